package issuingtest

import (
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
)

// Clerk is an operator for all banks.
var Clerk = issuing.Operator{
	Actor: audit.Actor{
		Kind: audit.Operator, Name: "clerk", Address: "127.0.0.1", RequestID: "1",
		Reason: "the branch asks",
	},
	Scope: operator.Scope{All: true},
}

// Ada is an operator for all banks, Ben one for bank 2 only.
var (
	Ada = issuing.Operator{
		Actor: audit.Actor{Kind: audit.Operator, Name: "ada"}, Scope: operator.Scope{All: true},
	}
	Ben = issuing.Operator{
		Actor: audit.Actor{Kind: audit.Operator, Name: "ben"},
		Scope: operator.Scope{Banks: []int{2}},
	}
)
