package load

const text51 = "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee1"

// Malformed files.
var brokenForm = []broken{
	{"banks: []\n", "banks: []\n", "", "1: the file is empty"},
	{"banks: []\n", "[]", "[", "1: did not find expected node content"},
	{"banks: []\n", "[]\n", "[]\n---\nbins: []\n", "2: a second document begins here"},
	{"banks: []\n", "banks: []", "- 1", "1: must be a mapping of names to values"},
	{"banks: []\n", "banks", "colour", "1: colour: is unknown"},
	{"banks: []\n", "[]\n", "[]\nbanks: []\n", "2: banks: is given twice"},
	{"banks: []\n", "[]", "", "none"},
	{goodBank, "banks:\n  - bankId: 1", "banks:\n  - 1\n  - bankId: 1",
		"2: banks[0]: must be a mapping of names to values"},
}

var brokenBanks = []broken{
	{goodBank, "bankId: 1", "bankId: one",
		"2: banks[0].bankId: must be a whole number of at most 2147483647"},
	{goodBank, "bankId: 1", "bankId: 0",
		"2: banks[0].bankId: must be a whole number from 1 to 2147483647"},
	{goodBank, "bankId: 1", "bankId: 2147483648",
		"2: banks[0].bankId: must be a whole number of at most 2147483647"},
	{goodBank, "bankId: 1", "bankId: {a: 1}",
		"2: banks[0].bankId: must be a whole number of at most 2147483647"},
	{goodBank, "name: First", "name: ", "3: banks[0].name: a value is required"},
	{goodBank, "name: First", "name: [First]",
		"3: banks[0].name: must be a text, in quotes where it looks like something else"},
	{goodBank, "name: First", "name: " + text51,
		"3: banks[0].name: must have at most 50 characters"},
	{goodBank, "status: 1", "status: 4",
		"4: banks[0].pciKeys[0].status: must be a whole number from 1 to 3"},
	{goodBank, "[{pciKeyId: 1, status: 1}]",
		"\n      - {pciKeyId: 1, status: 1}\n      - {pciKeyId: 1, status: 2}",
		"6: banks[0].pciKeys[1].pciKeyId: is the same as in banks[0].pciKeys[0]"},
	{goodBank, "banks:\n", "banks:\n  - {bankId: 1, name: Other}\n",
		"3: banks[1].bankId: is the same as in banks[0]"},
}

var brokenPrograms = []broken{
	{goodProgram, "decimalCount: 2", "decimalCount: 5",
		"5: programs[0].decimalCount: must be a whole number from 0 to 4"},
	{goodProgram, "decimalCount: 2", "decimalCount: 1",
		"9: programs[0].regDFeeAmount: has more decimal digits than the program's 1"},
	{goodProgram, "10.25", "10.123456",
		`9: programs[0].regDFeeAmount: "10.123456" has more than 4 decimal digits`},
	{goodProgram, "10.25", "ten", `9: programs[0].regDFeeAmount: "ten" is not a decimal number`},
	{goodProgram, "10.25", "[1]", "9: programs[0].regDFeeAmount: must be a single value"},
	{goodProgram, "timeZone: America/New_York\n    public", "timeZone: Mars/Base\n    public",
		`6: programs[0].timeZone: "Mars/Base" is not a known time zone, ` +
			"such as America/New_York"},
	{goodProgram, "RSA-OAEP-SHA256-MGF1", "RSA-OAEP-SHA256-MGF1,DES",
		`7: programs[0].publicKeyAlgorithms: "DES" is not one of: RSA-OAEP-SHA512-MGF1, ` +
			"RSA-OAEP-SHA256-MGF1, RSA-OAEP-SHA1-MGF1, NONE"},
	{goodProgram, "RSA-OAEP-SHA256-MGF1", "RSA-OAEP-SHA256-MGF1,NONE",
		"7: programs[0].publicKeyAlgorithms: NONE leaves PINs unencrypted: it is for the sandbox " +
			"only"},
	{goodProgram, "bank: {name: First, timeZone: America/New_York}", "bank: ",
		"8: programs[0].bank: a value is required"},
	{goodProgram, "{name: First,", "{maintenanceStartDate: 2026-01-02, " +
		"maintenanceEndDate: 2026-01-01, name: First,",
		"8: programs[0].bank.maintenanceEndDate: lies before maintenanceStartDate"},
	{goodProgram, "decimalCount: 2", "filledDate: 2026-01-01\n    decimalCount: 2",
		"5: programs[0].filledDate: is filled by the service and cannot be set"},
	{goodProgram, "category: Savings", "category: Loan",
		`13: programs[0].products[0].category: "Loan" is not one of: Checking, Savings, Prepaid`},
	{goodProgram, "{minimumAmount: 0, maximumAmount: 10}", "{minimumAmount: 11, maximumAmount: 10}",
		"15: programs[0].products[0].balanceLimit.maximumAmount: is less than the minimum"},
	{goodProgram, "interestRates: [{tier: 1, apr: 1.5, apy: 1.51}]", "interestRates: [7]",
		"16: programs[0].products[0].interestRates[0]: must be a mapping of names to values"},
	{goodProgram, "bank: {name: First, timeZone: America/New_York}",
		"bank: {name: First, timeZone: UTC}", "8: programs[0].bank.timeZone: must be " +
			"America/New_York, the timeZone of the program"},
	{goodProgram, "bank: {name: First, timeZone: America/New_York}", "bank: First",
		"8: programs[0].bank: must be a mapping of names to values"},
	{goodProgram, "apr: 1.5,", "apr: 1.5, productId: 2,",
		"16: programs[0].products[0].interestRates[0].productId: " +
			"is not that of the enclosing product"},
	{goodProgram, "products:\n", "products:\n      - {productId: 1, type: Savings, " +
		"category: Savings, name: Other}\n",
		"12: programs[0].products[1].productId: is the same as in products[0]"},
	{goodProgram, "validMonths: 48", "validMonths: 0",
		"23: programs[0].bins[0].validMonths: must be a whole number from 1 to 240"},
	{goodProgram, `"400000000000000"`, "400000000000000", "21: programs[0].bins[0].firstBody: " +
		"must be a text, in quotes where it looks like something else"},
	{goodProgram, `"400000000000000"`, `"4000"`, "21: programs[0].bins[0].firstBody: " +
		`a range end has 15 digits (a card number without its check digit), not "4000"`},
	{goodProgram, `"400000000000000"`, `"410000000000000"`,
		"21: programs[0].bins[0].firstBody: " +
			"the range 410000000000000 to 400000000999999 is empty"},
	{goodProgram, "isActive: true", "isActive: maybe",
		"20: programs[0].bins[0].isActive: must be true or false"},
	{goodProgram, "binId: 1", "binId: 1\n        programId: 2",
		"19: programs[0].bins[0].programId: is not that of the enclosing program"},
	{goodProgram + "bins:\n", "bins:\n      - binId: 1", "bins:\n      - binId: 1\n        name: x",
		"19: programs[0].bins[0].name: is unknown"},
	{goodProgram + "bins: []\n", "bins: []",
		"bins: [{binId: 1, vendorTypeCode: AX, firstBody: \"400000000000000\", " +
			"lastBody: \"400000000000000\"}]",
		"24: bins[0].binId: is the same as in programs[0].bins[0]\n" +
			"24: bins[0].programId: a value is required\n" +
			`24: bins[0].vendorTypeCode: "AX" is not one of: VS, MC`},
	{goodProgram, "programs:\n", "programs:\n  - {programId: 2, bankId: 1, name: P2, " +
		"decimalCount: 0, timeZone: UTC, publicKeyAlgorithms: RSA-OAEP-SHA256-MGF1, " +
		"bank: {name: First, timeZone: UTC}}\n",
		"7: programs[1].timeZone: must be UTC, as in the bank's other programs"},
}

var brokenKeys = []broken{
	{goodKey, "name: k1", "name: k:1", `2: keys[0].name: must not contain ":"`},
	{goodKey, "version: 1", "version: 3",
		"4: keys[0].version: must be a whole number from 1 to 2"},
	{goodKey, "[{secret: s1}, ", "[{secret: s1}, {secret: s3}, ",
		"5: keys[0].secrets: must have 1 to 2 entries"},
	{goodKey, "{secret: s1}", "{}", "5: keys[0].secrets[0].secret: a value is required"},
	{goodKey, "2030-01-01", "2030-13-01",
		`5: keys[0].secrets[1].expires: "2030-13-01" is not an ISO 8601 date or date-time`},
	{goodKey, "10.0.0.0/8", "10.0.0.0/33",
		`6: keys[0].allow: "10.0.0.0/33" is neither an address nor a CIDR block`},
	{goodKey, `"::1"`, `"fe80::1%eth0"`,
		`6: keys[0].allow: "fe80::1%eth0" is neither an address nor a CIDR block`},
	{goodKey, "perSecond: 2.5", "perSecond: -1",
		"7: keys[0].perSecond: must not be negative; 0 stands for no limit"},
	{goodKey, "perSecond: 2.5", "perSecond: .inf", "7: keys[0].perSecond: must be a number"},
	{goodKey, "burst: 5", "burst: 0", "8: keys[0].burst: must be at least 1"},
	{goodKey, "[earlier-clients]", "[later-clients]",
		`9: keys[0].compatibility: "later-clients" is not one of: earlier-clients`},
	{goodKey, "[earlier-clients]", "[earlier-clients, earlier-clients]",
		"9: keys[0].compatibility: earlier-clients appears twice"},
}

var brokenPeople = []broken{
	{goodCustomer, "status: Verified", "status: verified", `4: customers[0].status: "verified" ` +
		"is not one of: Initiated, Manual Review, Verified, Denied, Archived"},
	{goodCustomer, "access: FULL", "access: ALL",
		`5: customers[0].access: "ALL" is not one of: FULL, ACCT, CARD, NONE`},
	{goodCustomer, "1985-03-14", "1985-03-14T10:00:00Z",
		"6: customers[0].birthDate: must be a date without a time, such as 1985-03-14"},
	{goodCustomer, "birthDate: 1985-03-14", "birthDate: 1985-03-14\n    deceasedDate: 1980-01-01",
		"7: customers[0].deceasedDate: lies before birthDate"},
	{goodCustomer, "city: Town, ", "", "9: customers[0].mailing.city: a value is required"},
	{goodAccount, "type: Checking", "type: Loan",
		`5: accounts[0].type: "Loan" is not one of: Checking, Savings, ForBenefitOf`},
	{goodAccount, "0123456789", "01-23",
		"8: accounts[0].accountNumber: must have 4 to 17 digits and nothing else"},
	{goodAccount, "0123456789", "123456789012345678",
		"8: accounts[0].accountNumber: must have 4 to 17 digits and nothing else"},
	{goodAccess, "programId: 1", "programId: 0",
		"2: access[0].programId: must be a whole number from 1 to 2147483647"},
	{goodAccess, "access: FULL", "access: READ",
		`2: access[0].access: "READ" is not one of: FULL, RDONLY, NONE`},
	{goodAccess, "access:\n", "access:\n" +
		"  - {programId: 1, customerId: 1, accountId: 1, access: NONE}\n",
		"3: access[1].accountId: is the same as in access[0]"},
}

var brokenDocuments = []broken{
	{goodDocument, "CardInfo", "Card", `5: documents[0].documentType: "Card" is not one of: ` +
		"TermsAndConditions, PrivacyPolicy, TruthInSavings, eStatement, " +
		"ConsumerDepositAgreement, FeeSchedule, ReferAFriend, EftInfo, ProductInfo, CardInfo, " +
		"FeeDisclosure"},
	{goodDocument, "2027-01-01", "2026-01-01",
		"8: documents[0].expireDate: does not lie behind effectiveDate"},
	{goodDocument, "docs/good.html", "docs/none.html",
		"9: documents[0].html: docs/none.html cannot be read: file does not exist"},
	{goodDocument, "docs/good.html", "../../secret.html",
		`9: documents[0].html: "../../secret.html" does not lie beside the loaded file or below`},
	{goodDocument, "docs/good.html", "/etc/hostname",
		`9: documents[0].html: "/etc/hostname" does not lie beside the loaded file or below`},
	{goodDocument, "docs/good.html", "docs/bad.html",
		"9: documents[0].html: must be a file of UTF-8 text of at most 2 MB"},
	{goodDocument, "docs/good.pdf", "docs/bad.pdf",
		"10: documents[0].pdf: is not a PDF: it does not begin with %PDF"},
	{goodDocument, "pdf: docs/good.pdf", "pdf: ", "none"},
}

var brokenCards = []broken{
	{goodCard, "status: Verified", "status: Lost", `6: cards[0].status: "Lost" is not one of: ` +
		"Initiated, PendingVerification, ReissuePendingVerification, Verified, Reissued, " +
		"Denied, Expired, Archived"},
	{goodCard, "status: Verified", "status: Denied",
		"2: cards[0].deniedDate: a value is required for a card that is Denied"},
	{goodCard, "verifiedDate: 2026-01-20", "verifiedDate: 2026-01-14",
		"15: cards[0].verifiedDate: lies before createdDate"},
	{goodCard, "tag: t1", "archivedDate: 2026-02-01",
		"9: cards[0].archivedDate: cannot be set for a card that is Verified"},
	{goodCard, "lockTypeCode: SYS", "lockTypeCode: CST",
		"8: cards[0].lockReasonTypeCode: PIN is a reason of the system only"},
	{goodCard, "lockTypeCode: SYS", "lockTypeCode: ",
		"8: cards[0].lockReasonTypeCode: must be UNK while lockTypeCode is UNL"},
	{goodCard, "lockReasonTypeCode: PIN", "lockReasonTypeCode: ",
		"8: cards[0].lockReasonTypeCode: a value is required"},
	{goodCard, "firstName: Jane", "firstName: J4ne", `11: cards[0].firstName: "J4NE" may hold ` +
		"only the letters A to Z, hyphen, apostrophe, period, comma, ampersand and space"},
	{goodCard, "lastName: Sample", "lastName: de Vries", `12: cards[0].lastName: "DE VRIES" may ` +
		"hold only the letters A to Z, hyphen, apostrophe, period, comma and ampersand"},
	{goodCard, "nickName: Nick", "nickName: " + text51,
		"10: cards[0].nickName: must have at most 50 characters"},
	{goodCard, "tag: t1", "qualifierCode: A-1",
		"9: cards[0].qualifierCode: must have alphanumeric characters only"},
	{goodCard, "accountIds: [1]", "accountIds: []",
		"13: cards[0].accountIds: must have 1 to 8 entries"},
	{goodCard, "accountIds: [1]", "accountIds: [1, 1]",
		"13: cards[0].accountIds: 1 appears twice"},
	{goodCard, "accountIds: [1]", "accountIds: [1, x]",
		"13: cards[0].accountIds[1]: must be a whole number of at most 2147483647"},
	{goodCard, "cards:\n", "cards:\n  - {cardId: 2, programId: 1, customerId: 1, binId: 1, " +
		"status: Initiated, tag: t1, nickName: NICK, firstName: A, lastName: B, " +
		"accountIds: [1], createdDate: 2026-01-15}\n",
		"10: cards[1].tag: is the same as in cards[0]\n" +
			"11: cards[1].nickName: is the same as in cards[0]"},
	{goodCard, "cards:\n", "cards:\n  - {cardId: 1, programId: 1, customerId: 1, binId: 1, " +
		"status: Archived, nickName: NICK, firstName: A, lastName: B, accountIds: [1], " +
		"createdDate: 2026-01-15, archivedDate: 2026-01-16}\n",
		"3: cards[1].cardId: is the same as in cards[0]"},
}
