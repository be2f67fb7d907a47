package load

import (
	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
)

type accountEntry struct {
	AccountID               int          `json:"accountId"`
	ProgramID               int          `json:"programId"`
	CustomerID              int          `json:"customerId"`
	Type                    string       `json:"type"`
	Status                  string       `json:"status"`
	Name                    string       `json:"name"`
	Tag                     string       `json:"tag"`
	AccountNumber           string       `json:"accountNumber"`
	AccountBalance          value.Amount `json:"accountBalance"`
	AvailableBalance        value.Amount `json:"availableBalance"`
	PendingBalance          value.Amount `json:"pendingBalance"`
	BalanceLastModifiedDate value.Time   `json:"balanceLastModifiedDate"`
	LastModifiedDate        value.Time   `json:"lastModifiedDate"`
}

var accountForm = form{
	title: "accounts",
	members: map[string]string{
		"accountId":  "Number of the account.",
		"programId":  "Program of the account.",
		"customerId": "Customer who owns it; the list access says what the owner may do.",
		"type":       "Type. A card draws on Checking and Savings.",
		"status": "Status. A new card needs Open or PendingOpen, " +
			"/card/addAccount needs Open.",
		"name":          "Name that callers read.",
		"tag":           "The caller's own key of the account.",
		"accountNumber": "Number of the account. Kept masked: the last four digits.",
		"accountBalance": "Balance, with at most decimalCount digits after the decimal point, as the " +
			"other balances; 0 when left out.",
		"availableBalance": "Balance that transfers draw on while there is no hold; holds reduce it. " +
			"When left out it is the accountBalance of a new account, and moves with it later.",
		"pendingBalance": "Balance after all pending transactions settle; 0 when left out.",
		"balanceLastModifiedDate": "When a balance changed last; the moment of loading when left " +
			"out.",
		"lastModifiedDate": "When the account changed last; the moment of loading when left out.",
	},
	rules: problem.Describe(customer.Account{}, customer.AccountNumber("")),
}

// entryOfAccount returns an account, without its holds, as an entry of a file.
func entryOfAccount(a customer.Account) accountEntry {
	return accountEntry{
		AccountID: a.ID, ProgramID: a.ProgramID, CustomerID: a.CustomerID,
		Type: string(a.Type), Status: string(a.Status), Name: a.Name, Tag: a.Tag,
		AccountNumber: a.NumberMasked, AccountBalance: a.Balance,
		AvailableBalance: a.AvailableBalance, PendingBalance: a.PendingBalance,
		BalanceLastModifiedDate: value.Time{Time: a.BalanceModified},
		LastModifiedDate:        value.Time{Time: a.Modified},
	}
}

// account returns the account. Its number is masked already: the full number is stored nowhere.
func (e *accountEntry) account() customer.Account {
	return customer.Account{
		ID: e.AccountID, ProgramID: e.ProgramID, CustomerID: e.CustomerID,
		Type: customer.AccountType(e.Type), Status: customer.AccountStatus(e.Status),
		Name: e.Name, Tag: e.Tag, NumberMasked: e.AccountNumber, Balance: e.AccountBalance,
		AvailableBalance: e.AvailableBalance, PendingBalance: e.PendingBalance,
		BalanceModified: e.BalanceLastModifiedDate.UTC(), Modified: e.LastModifiedDate.UTC(),
	}
}
