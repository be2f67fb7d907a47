package load

// programMeanings are those of the members of a program.
var programMeanings = map[string]string{
	"programId": "Number of the program.",
	"bankId":    "Bank of the program.",
	"verificationWindowDays": "For how many days a card may stay unverified before it " +
		"expires; 90 when left out.",

	"decimalCount": "Digits behind the point of every amount of the program.",

	"isInterestEnabled":                   "Whether interest accrues.",
	"isInternalToInternalTransferEnabled": "Whether customers may move money between own accounts.",
	"isRecurringContributionEnabled":      "Whether recurring contributions are possible.",

	"name":                         "Name of the program.",
	"perProgramDailyDepositLimit":  "All deposits of a day in the program.",
	"perProgramDailyWithdrawLimit": "All withdrawals of a day in the program.",
	"perTransactionDepositLimit":   "One deposit.",
	"perTransactionWithdrawLimit":  "One withdrawal.",
	"perUserDailyDepositLimit":     "All deposits of a day of one customer.",
	"perUserDailyWithdrawLimit":    "All withdrawals of a day of one customer.",
	"perUserMonthlyDepositLimit":   "All deposits of a month of one customer.",
	"perUserMonthlyWithdrawLimit":  "All withdrawals of a month of one customer.",

	"regDFeeAmount": "Fee on each withdrawal from savings after the free ones of a month.",
	"regDMonthlyTransactionWithdrawCountMax": "How many withdrawals from savings are free in a " +
		"month.",

	"timeZone": "Time zone in which every date is answered, the same in all programs of a " +
		"bank.",
	"verificationType": "How a new customer is verified.",
	"website":          "Address of the program's site.",
	"accounts":         "Accounts of the program itself.",
	"externalAccounts": "Accounts of the program at other banks.",
	"products":         "Products of the program.",
	"publicKeyAlgorithms": "How PINs may be encrypted: names separated by commas, tried in this " +
		"order. NONE, the plain digits, works in the sandbox only.",
	"bank":          "What callers read about the bank.",
	"eCodeProducts": "Always {}.",

	"isDebitRewardsEnabled":          "Whether debit rewards are possible.",
	"perUserAccountCountMax":         "Most accounts of one customer.",
	"perUserExternalAccountCountMax": "Most external accounts of one customer.",
	"perUserTotalAccountBalanceMax":  "Greatest sum of one customer's balances.",
	"validAccountTypes":              "Types of account that the program has.",
	"validProductTypes":              "Types of product that the program has.",
	"bins":                           "BINs. Without an active one no card is made (50902).",
}

// cardMeanings are those of the members of a card.
var cardMeanings = map[string]string{
	"cardId":     "Number of the card. Those that Mintmark numbers begin with 10001; stay below.",
	"programId":  "Program of the card.",
	"customerId": "Customer who created it.",
	"cardHolderCustomerId": "Customer who holds it; the one who created it when " +
		"left out.",
	"binId":    "BIN that its new number is drawn from.",
	"typeCode": "Debit or credit; DBT when left out.",
	"status":   "Status of the card.",
	"lockTypeCode": "UNL unlocked, CST locked by a customer, SYS by the system; UNL when left " +
		"out.",
	"lockReasonTypeCode": "Why it is locked. Needed with a lock; PIN only with SYS; UNK, and " +
		"nothing else, with UNL.",
	"tag":           "The caller's own key of the card, once in a program.",
	"nickName":      "Name to show, once among the creator's cards in use.",
	"firstName":     "First name on the card.",
	"middleName":    "Middle name on the card.",
	"lastName":      "Last name on the card.",
	"qualifierCode": "Code that the card processor has agreed on for the BIN.",
	"isDigitalOnly": "Whether it was never printed; false when left out.",
	"accountIds": "Accounts that it draws on: the first is the primary one, the others follow " +
		"in the order of their priorities.",
	"createdDate":   "When it was created.",
	"requestedDate": "When it was ordered from the card processor.",
	"verifiedDate":  "When it was verified. Needed for Verified.",
	"reissuedDate":  "When it was made anew or replaced. Needed for Reissued.",
	"deniedDate":    "When the card processor refused it. Needed for Denied.",
	"expiredDate":   "When it expired. Needed for Expired.",
	"archivedDate":  "When it was archived. Needed for Archived.",
}
