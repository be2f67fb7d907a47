package load

import (
	"mintmark/internal/base/problem"
	"mintmark/internal/domain/customer"
)

type accessEntry struct {
	ProgramID  int    `json:"programId"`
	CustomerID int    `json:"customerId"`
	AccountID  int    `json:"accountId"`
	Access     string `json:"access"`
}

var accessForm = form{
	title: "access",
	says: "A customer without an entry, the owner too, can tie an account to no card " +
		"(150211).",

	members: map[string]string{
		"programId":  "Program of both.",
		"customerId": "Customer who may do it.",
		"accountId":  "Account.",
		"access":     "Full access, reading only, or none.",
	},
	rules: problem.Describe(customer.Access{}, ownProgram(0)),
}

func (e *accessEntry) access() customer.Access {
	return customer.Access{
		CustomerID: e.CustomerID, AccountID: e.AccountID, Type: customer.AccountAccess(e.Access),
	}
}
