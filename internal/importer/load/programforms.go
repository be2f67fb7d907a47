package load

import (
	"mintmark/internal/base/problem"
	"mintmark/internal/domain/program"
)

// The forms of the mappings inside a program, which are the types of its settings.

var programBankForm = form{
	title: "bank",
	members: map[string]string{
		"maintenanceStartDate": "Start of the next maintenance.",
		"maintenanceEndDate":   "End of the next maintenance, not before its start.",
		"name":                 "Name of the bank, as callers read it.",
		"phone":                "Phone number.",
		"timeZone":             "Time zone of the bank: the timeZone of its programs.",
		"webUrl":               "Address of the bank's site.",
	},
	rules: problem.Describe(program.Bank{}),
}

var limitForm = form{
	title: "limit",
	members: map[string]string{
		"minimumAmount": "Least amount, inclusive; none when left out.",
		"maximumAmount": "Greatest amount, inclusive; none when left out.",
	},
}

var programAccountForm = form{
	title: "accounts of a program",
	members: map[string]string{
		"accountBalance":      "Balance.",
		"accountId":           "Identifier of the account.",
		"accountNumber":       "Number of the account.",
		"accountNumberMasked": "Its masked form; made from accountNumber when left out.",
		"description":         "Purpose.",
		"isActive":            "Whether it is in use; false when left out.",
		"programAccountId":    "Number of the account in the program.",
		"type":                "Kind of account.",
	},
	rules: problem.Describe(program.ProgramAccount{}),
}

var externalAccountForm = form{
	title: "external accounts",
	members: map[string]string{
		"accountNumber":            "Number of the account.",
		"accountNumberMasked":      "Its masked form; made from accountNumber when left out.",
		"description":              "Purpose.",
		"externalAccountId":        "Identifier of the account.",
		"isActive":                 "Whether it is in use; false when left out.",
		"nachaName":                "Name used in transfers.",
		"programExternalAccountId": "Number of the account in the program.",
		"routingNumber":            "Routing number of the other bank.",
		"type":                     "Kind of account.",
	},
	rules: problem.Describe(program.ExternalAccount{}),
}

var productForm = form{
	title: "products",
	members: map[string]string{
		"productId":                      "Number of the product.",
		"type":                           "Type of its accounts.",
		"category":                       "Category, by which callers filter.",
		"name":                           "Name, unique in the program.",
		"description":                    "Text that callers read.",
		"balanceLimit":                   "Balance of an account.",
		"perTransactionDepositLimit":     "One deposit.",
		"perTransactionWithdrawLimit":    "One withdrawal.",
		"interestRates":                  "Interest by tier.",
		"isExternalWithdrawEnabled":      "Whether money may be moved to another bank.",
		"isInterestEnabled":              "Whether interest accrues.",
		"isRecurringContributionEnabled": "Whether recurring contributions are possible.",

		"perMonthRegDTransactionCountMaximum": "Most withdrawals of a month under Regulation " +
			"D.",
		"perMonthRegDTransactionCountWithoutFee": "Withdrawals per month under Regulation D " +
			"without a fee.",
	},
	rules: problem.Describe(program.Product{}),
}

var rateForm = form{
	title: "interest rates",
	members: map[string]string{
		"apr":               "Annual percentage rate.",
		"apy":               "Annual percentage yield.",
		"description":       "Text that callers read.",
		"effectiveDate":     "Since when the tier exists.",
		"rateEffectiveDate": "Since when the rate applies.",
		"minimumAmount":     "Least balance of the tier.",
		"maximumAmount":     "Greatest balance of the tier.",
		"productId":         "Product; the one around it when left out.",
		"tier":              "Number of the tier.",
	},
	rules:  problem.Describe(program.InterestRate{}),
	filled: []string{"productId"},
}
