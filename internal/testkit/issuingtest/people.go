package issuingtest

import (
	"mintmark/internal/domain/audit"
	scope "mintmark/internal/domain/operator"
	scopes "mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
)

// Clerk is an operator who sees all banks.
var Clerk = issuing.Operator{
	Actor: audit.Actor{
		Kind: audit.Operator, Name: "clerk", Address: "127.0.0.1", RequestID: "1",
		Reason: "the branch asks",
	},
	Scope: scopes.Scope{All: true},
}

// Ada is an operator of all banks, ben one of bank 2 alone.
var (
	Ada = issuing.Operator{
		Actor: audit.Actor{Kind: audit.Operator, Name: "ada"}, Scope: scope.Scope{All: true},
	}
	Ben = issuing.Operator{
		Actor: audit.Actor{Kind: audit.Operator, Name: "ben"},
		Scope: scope.Scope{Banks: []int{2}},
	}
)
