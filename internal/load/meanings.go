package load

import (
	"reflect"

	"mintmark/internal/customer"
	"mintmark/internal/program"
)

// meaning is what the reference of the file says of a mapping and of its members. What a member's
// type and rules say already is not repeated here.
type meaning struct {
	title   string
	says    string
	members map[string]string
}

// meanings has a row for every type of mapping in the file, and in it a text for every member.
var meanings = map[reflect.Type]meaning{
	reflect.TypeFor[entries](): {title: "file", members: map[string]string{
		"banks":     "Banks, and the encryption keys that each may use.",
		"programs":  "Programs: their settings, products, accounts and BINs.",
		"bins":      "BINs that do not stand inside a program.",
		"keys":      "API keys of calling programs.",
		"customers": "Customers of a program.",
		"accounts":  "Accounts of customers, with their balances.",
		"access":    "What customers may do with accounts, their own included.",
		"documents": "Documents that customers must read and accept.",
		"cards":     "Cards that were made elsewhere; each gets a new number.",
	}},

	reflect.TypeFor[bankEntry](): {title: "banks", members: map[string]string{
		"bankId":  "Number of the bank.",
		"name":    "Name, for operators.",
		"pciKeys": "Encryption keys that the bank may use.",
	}},
	reflect.TypeFor[pciKeyEntry](): {title: "pciKeys",
		says: "A bank without a key of status 1 gets no card (50904).",
		members: map[string]string{
			"pciKeyId": "Number of the encryption key.",
			"status":   "1 encrypts and decrypts, 2 only decrypts, 3 is retired.",
		}},
	reflect.TypeFor[programEntry](): {title: "programs",
		says: "programId, bankId, verificationWindowDays and bins are Mintmark's own. The others " +
			"are the program object that callers read through /program/get. Of those, Mintmark " +
			"acts on decimalCount, timeZone and publicKeyAlgorithms; the others it only shows.",
		members: programMeanings},
	reflect.TypeFor[binEntry](): {title: "bins",
		says: "A range that card numbers are drawn from. It stands in the list bins of its " +
			"program, or in the file's own list bins.",
		members: map[string]string{
			"binId": "Number of the BIN.",
			"programId": "Program of the BIN. Needed where the BIN does not stand inside a " +
				"program.",
			"vendorTypeCode": "Card vendor.",
			"description":    "What callers read about it.",
			"isActive":       "Whether new cards are made from it; false when left out.",
			"firstNumber": "First number of the range: 15 digits, a card number without its " +
				"check digit. In quotes.",
			"lastNumber":  "Last number of the range, which belongs to it; 15 digits in quotes.",
			"validMonths": "For how many months its cards are valid; 48 when left out.",
		}},
	reflect.TypeFor[keyEntry](): {title: "keys", members: map[string]string{
		"name":      "Name of the key, the user name of Basic credentials. It may hold no colon.",
		"programId": "Program whose cards the key reaches.",
		"version":   "Version of the interface that the key speaks.",
		"state":     "active, or revoked for ever; active when left out.",
		"secrets": "Secrets that open the key: two while one takes the place of the other. Only " +
			"a digest is kept.",
		"allow": "Addresses and CIDR blocks that the key may come from.",
		"perSecond": "Requests a second that the key may make; 15 when left out, 0 for no limit, " +
			"never negative.",
		"burst": "Requests that may come at once, at least 1; as large as perSecond when left " +
			"out.",
		"compatibility": "Habits of the caller that answers keep to: earlier-clients shows both " +
			"names of an account's priority, and takes the creator for a holder who is left out.",
	}},
	reflect.TypeFor[secretEntry](): {title: "secrets", members: map[string]string{
		"secret": "The secret as callers send it.",
		"expires": "When it stops to open the key; never when left out of a new one. " +
			"An end that has come stays.",
	}},

	reflect.TypeFor[customerEntry](): {title: "customers", members: map[string]string{
		"customerId":   "Number of the customer.",
		"programId":    "Program of the customer.",
		"status":       "How far the bank is with the customer. Only Verified may use cards.",
		"accessType":   "What the customer may do: everything, accounts, cards, or nothing.",
		"isActive":     "Whether the customer may do anything; true when left out.",
		"isLocked":     "Whether the customer is locked; false when left out.",
		"deceasedDate": "Date of death, not before birthDate.",
		"birthDate":    "Date of birth, which /card/verify compares.",
		"firstName":    "First name.",
		"lastName":     "Last name.",
		"mobilePhone":  "Mobile phone. A card needs one of the two phones (150231).",
		"homePhone":    "Phone at home.",
		"mailingAddress": "Where mail goes. A card needs one of the two addresses " +
			"(150232).",
		"residenceAddress": "Where the customer lives.",
	}},
	reflect.TypeFor[customer.Address](): {title: "address", members: map[string]string{
		"line1":      "Street and house number.",
		"line2":      "Second line.",
		"city":       "City.",
		"region":     "State or region.",
		"postalCode": "Postal code. In quotes where it looks like a number.",
		"country":    "Country.",
	}},
	reflect.TypeFor[accountEntry](): {title: "accounts", members: map[string]string{
		"accountId":  "Number of the account.",
		"programId":  "Program of the account.",
		"customerId": "Customer who owns it; the list access says what the owner may do.",
		"type":       "Type. A card draws on Checking and Savings.",
		"status": "Status. A new card needs Open or PendingOpen, " +
			"/card/addAccount needs Open.",
		"name":          "Name that callers read.",
		"tag":           "The caller's own key of the account.",
		"accountNumber": "Number of the account. Kept masked: the last four digits.",
		"accountBalance": "Balance, with at most decimalCount digits behind the point, as the " +
			"other balances; 0 when left out.",
		"availableBalance": "What can be drawn on; 0 when left out.",
		"pendingBalance":   "Balance once what is under way has arrived; 0 when left out.",
		"balanceLastModifiedDate": "When a balance changed last; the moment of loading when left " +
			"out.",
		"lastModifiedDate": "When the account changed last; the moment of loading when left out.",
	}},
	reflect.TypeFor[accessEntry](): {title: "access",
		says: "A customer without an entry, the owner too, can tie an account to no card " +
			"(150211).",
		members: map[string]string{
			"programId":  "Program of both.",
			"customerId": "Customer who may do it.",
			"accountId":  "Account.",
			"type":       "Full access, reading only, or none.",
		}},
	reflect.TypeFor[documentEntry](): {title: "documents", members: map[string]string{
		"documentId":    "Number of the document.",
		"bankId":        "Bank whose document it is.",
		"culture":       "Language and region, such as en-US.",
		"documentType":  "Kind of document.",
		"title":         "Title, the text of the link.",
		"effectiveDate": "Since when it is in force.",
		"expireDate":    "Until when, behind effectiveDate; for ever when left out.",
		"html": "File with the text in HTML: at most 2 MB of UTF-8, beside the loaded file or " +
			"below.",
		"pdf": "File with the PDF form, beside the loaded file or below.",
	}},
	reflect.TypeFor[cardEntry](): {title: "cards",
		says: "A card that is stored already stays as it is, whatever the file says of it. A " +
			"status, a lock or a date that the life of a card cannot have made is refused.",
		members: cardMeanings},

	reflect.TypeFor[program.Bank](): {title: "bank", members: map[string]string{
		"maintenanceStartDate": "Begin of the next maintenance.",
		"maintenanceEndDate":   "End of the next maintenance, not before its begin.",
		"name":                 "Name of the bank, as callers read it.",
		"phone":                "Phone number.",
		"timeZone":             "Time zone of the bank.",
		"webUrl":               "Address of the bank's site.",
	}},
	reflect.TypeFor[program.Limit](): {title: "limit", members: map[string]string{
		"minimumAmount": "Least amount, inclusive; none when left out.",
		"maximumAmount": "Greatest amount, inclusive; none when left out.",
	}},
	reflect.TypeFor[program.ProgramAccount](): {title: "accounts of a program",
		members: map[string]string{
			"accountBalance":      "Balance.",
			"accountId":           "Identifier of the account.",
			"accountNumber":       "Number of the account.",
			"accountNumberMasked": "Its masked form; made from accountNumber when left out.",
			"description":         "What it is for.",
			"isActive":            "Whether it is in use; false when left out.",
			"programAccountId":    "Number of the account in the program.",
			"type":                "Kind of account.",
		}},
	reflect.TypeFor[program.ExternalAccount](): {title: "external accounts",
		members: map[string]string{
			"accountNumber":            "Number of the account.",
			"accountNumberMasked":      "Its masked form; made from accountNumber when left out.",
			"description":              "What it is for.",
			"externalAccountId":        "Identifier of the account.",
			"isActive":                 "Whether it is in use; false when left out.",
			"nachaName":                "Name used in transfers.",
			"programExternalAccountId": "Number of the account in the program.",
			"routingNumber":            "Routing number of the other bank.",
			"type":                     "Kind of account.",
		}},
	reflect.TypeFor[program.Product](): {title: "products", members: map[string]string{
		"productId":                      "Number of the product.",
		"type":                           "Type of its accounts.",
		"category":                       "Category, by which callers filter.",
		"name":                           "Name, once in a program.",
		"description":                    "What callers read about it.",
		"balanceLimit":                   "Balance of an account.",
		"perTransactionDepositLimit":     "One deposit.",
		"perTransactionWithdrawLimit":    "One withdrawal.",
		"interestRates":                  "Interest by tier.",
		"isExternalWithdrawEnabled":      "Whether money may be moved to another bank.",
		"isInterestEnabled":              "Whether interest accrues.",
		"isRecurringContributionEnabled": "Whether recurring contributions are possible.",

		"perMonthRegDTransactionCountMaximum": "Most withdrawals of a month under Regulation " +
			"D.",
		"perMonthRegDTransactionCountWithoutFee": "Withdrawals of a month under Regulation D " +
			"without a fee.",
	}},
	reflect.TypeFor[program.InterestRate](): {title: "interest rates", members: map[string]string{
		"apr":               "Annual percentage rate.",
		"apy":               "Annual percentage yield.",
		"description":       "What callers read about it.",
		"effectiveDate":     "Since when the tier exists.",
		"rateEffectiveDate": "Since when the rate applies.",
		"minimumAmount":     "Least balance of the tier.",
		"maximumAmount":     "Greatest balance of the tier.",
		"productId":         "Product; the one around it when left out.",
		"tier":              "Number of the tier.",
	}},
}
