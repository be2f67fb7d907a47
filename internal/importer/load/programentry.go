package load

import (
	"slices"
	"strconv"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
)

// programEntry holds the settings of interface §5.4 and those that callers do not see.
type programEntry struct {
	ProgramID              int  `json:"programId"`
	BankID                 int  `json:"bankId"`
	VerificationWindowDays *int `json:"verificationWindowDays"`

	Renewal  program.Renewal  `json:"renewal"`
	Balances program.Balances `json:"balances"`
	Currency string           `json:"currency"`

	program.Settings
	Bins     []binEntry     `json:"bins"`
	Webhooks []webhookEntry `json:"webhooks"`
}

var programForm = form{
	title: "programs",
	says: "programId, bankId, verificationWindowDays, renewal, balances, currency, bins and webhooks are " +
		"Mintmark's own. The others are the program object that callers read through " +
		"/program/get. Of those, Mintmark acts on decimalCount, timeZone, publicKeyAlgorithms " +
		"and, for card-based transfers, the limits per transaction, user and program; the others " +
		"it only shows.",

	members: map[string]string{
		"programId": "Number of the program.",
		"bankId":    "Bank of the program.",
		"verificationWindowDays": "For how many days a card may stay unverified before it " +
			"expires; " + strconv.Itoa(program.DefaultVerificationWindowDays) + " when left out.",
		"renewal": "Whether cards are renewed: automatic orders them " +
			strconv.Itoa(card.RenewalDays) + " days before the end of their expireMonth, manual " +
			"(when left out) never.",
		"balances": "Owner of the balances of accounts: core (when left out), the core banking " +
			"system, or mintmark. It decides nothing yet: a load sets a balance, and " +
			"a posting moves it.",

		"currency": "Currency of all amounts, such as USD: a card-based transfer in another one is " +
			"declined. Any when left out.",

		"decimalCount": "Digits after the decimal point of every amount of the program.",

		"isInterestEnabled": "Whether interest accrues.",
		"isInternalToInternalTransferEnabled": "Whether customers may move money between own " +
			"accounts.",
		"isRecurringContributionEnabled": "Whether recurring contributions are possible.",

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
		"regDMonthlyTransactionWithdrawCountMax": "How many withdrawals from savings are free in " +
			"a month.",

		"timeZone": "Time zone in which every date is answered, the same in all programs of a " +
			"bank.",
		"verificationType": "How a new customer is verified.",
		"website":          "Address of the program's site.",
		"accounts":         "Accounts of the program itself.",
		"externalAccounts": "Accounts of the program at other banks.",
		"products":         "Products of the program.",
		"publicKeyAlgorithms": "How PINs may be encrypted: names separated by commas, tried in " +
			"this order. NONE, the plain digits, works in the sandbox only.",
		"bank":          "Bank as callers read it.",
		"eCodeProducts": "Always {}.",

		"isDebitRewardsEnabled":          "Whether debit rewards are possible.",
		"perUserAccountCountMax":         "Most accounts of one customer.",
		"perUserExternalAccountCountMax": "Most external accounts of one customer.",
		"perUserTotalAccountBalanceMax":  "Greatest sum of one customer's balances.",
		"validAccountTypes":              "Types of account that the program has.",
		"validProductTypes":              "Types of product that the program has.",
		"bins":                           "BINs. Without an active one no card is made (50902).",
		"webhooks":                       "Where the program receives events.",
	},
	rules:  problem.Describe(program.Program{}),
	filled: []string{"verificationWindowDays", "renewal", "balances"},
	nested: []string{"bins", "webhooks"},
}

// fill sets the defaults of members that were left out.
func (e *programEntry) fill() {
	if e.VerificationWindowDays == nil {
		days := program.DefaultVerificationWindowDays
		e.VerificationWindowDays = &days
	}
	e.Renewal, e.Balances = e.Renewal.OrDefault(), e.Balances.OrDefault()
	// The slices may be those of the stored form, which other readers share.
	s := &e.Settings
	s.Accounts, s.ExternalAccounts = slices.Clone(s.Accounts), slices.Clone(s.ExternalAccounts)
	for i := range s.Accounts {
		fillMasked(&s.Accounts[i].AccountNumberMasked, s.Accounts[i].AccountNumber)
	}
	for i := range s.ExternalAccounts {
		fillMasked(&s.ExternalAccounts[i].AccountNumberMasked, s.ExternalAccounts[i].AccountNumber)
	}
	s.Products = slices.Clone(s.Products)
	for i := range s.Products {
		rates := slices.Clone(s.Products[i].InterestRates)
		for j := range rates {
			if rates[j].ProductID == 0 {
				rates[j].ProductID = s.Products[i].ProductID
			}
		}
		s.Products[i].InterestRates = rates
	}
}

// fillMasked derives the masked form of an account number unless it is given.
func fillMasked(masked *string, number string) {
	if *masked == "" {
		*masked = customer.AccountNumber(number).Masked()
	}
}
