// Package operator says who may run a program for its bank: the roles of operators, the banks in
// their scope, and what they sign in with. It does no I/O. Package auth finds out who asks, package
// admin which role a request needs; what an operator may see of a bank is asked in package issuing.
package operator

import "slices"

// Role is a set of things that an operator may do.
type Role string

// The roles.
const (
	Support       Role = "support"       // customers, accounts, access, cards, orders
	Configurator  Role = "configurator"  // what a bank sets up, webhooks, orders, jobs, events
	Security      Role = "security"      // keys, operators, tokens, encryption keys, approvals
	Auditor       Role = "auditor"       // reads everything but whole-number searches
	Administrator Role = "administrator" // the other four
)

// Known lists the roles.
var Known = []Role{Support, Configurator, Security, Auditor, Administrator}

// Roles are those that an operator holds.
type Roles []Role

// Has reports whether the roles include one; an administrator holds all.
func (r Roles) Has(one Role) bool {
	return slices.Contains(r, one) || slices.Contains(r, Administrator)
}

// MayGive reports whether an operator with these roles may give others to somebody.
func (r Roles) MayGive(others Roles) bool {
	for _, one := range others {
		if one == Administrator && !slices.Contains(r, Administrator) || !r.Has(one) {
			return false
		}
	}
	return true
}

// Scope are the banks that an operator sees. The zero value is none.
type Scope struct {
	All   bool
	Banks []int // in ascending order; empty when All is set
}

// Includes reports whether a bank is in the scope.
func (s Scope) Includes(bankID int) bool { return s.All || slices.Contains(s.Banks, bankID) }

// Within reports whether everything in the scope is in another one, too.
func (s Scope) Within(other Scope) bool {
	if other.All || s.All {
		return other.All
	}
	return !slices.ContainsFunc(s.Banks, func(bank int) bool { return !other.Includes(bank) })
}

// Identity is who asks.
type Identity struct {
	Name    string // of the operator, or of the token
	IsToken bool
	ID      int // of the operator or the token
	Roles   Roles
	Scope   Scope
}
