// Package operator defines who may run a program for its bank: the roles of operators, the banks in
// their scope, and their credentials. It does no I/O. Package auth identifies the operator, package
// admin determines the role that a request requires, and package issuing checks the banks in scope.
package operator

import "slices"

// Role is a set of permissions of an operator.
type Role string

// The roles.
const (
	Support       Role = "support"       // customers, accounts, access, cards, orders
	Configurator  Role = "configurator"  // settings of a bank, webhooks, orders, jobs, events
	Security      Role = "security"      // keys, operators, tokens, encryption keys, approvals
	Auditor       Role = "auditor"       // reads everything except searches by full card number
	Administrator Role = "administrator" // the other four
)

// AllRoles lists the roles.
var AllRoles = []Role{Support, Configurator, Security, Auditor, Administrator}

// Roles lists the roles of an operator.
type Roles []Role

// Has reports whether the roles include role. An administrator has every role.
func (r Roles) Has(role Role) bool {
	return slices.Contains(r, role) || slices.Contains(r, Administrator)
}

// Names returns the names of the roles.
func (r Roles) Names() []string {
	names := make([]string, len(r))
	for i, role := range r {
		names[i] = string(role)
	}
	return names
}

// MayGrant reports whether an operator with these roles may grant others.
func (r Roles) MayGrant(others Roles) bool {
	for _, role := range others {
		if role == Administrator && !slices.Contains(r, Administrator) || !r.Has(role) {
			return false
		}
	}
	return true
}

// Scope is the set of banks that an operator sees. The zero value is the empty set.
type Scope struct {
	All   bool
	Banks []int // in ascending order; empty if All is set
}

// Includes reports whether a bank is in the scope.
func (s Scope) Includes(bankID int) bool { return s.All || slices.Contains(s.Banks, bankID) }

// Within reports whether everything in the scope is also in other.
func (s Scope) Within(other Scope) bool {
	if other.All || s.All {
		return other.All
	}
	return !slices.ContainsFunc(s.Banks, func(bank int) bool { return !other.Includes(bank) })
}

// Intersect returns the banks that are in both scopes.
func (s Scope) Intersect(other Scope) Scope {
	switch {
	case s.All:
		return other
	case other.All:
		return s
	}
	outside := func(bank int) bool { return !other.Includes(bank) }
	return Scope{Banks: slices.DeleteFunc(slices.Clone(s.Banks), outside)}
}

// Identity identifies who makes a request, a person or a token, by its ID. The name is only for
// display and may change.
type Identity struct {
	Name    string // of the operator, or of the token
	IsToken bool
	ID      int   // of the operator or the token
	Owner   Owner // of a token
	Roles   Roles
	Scope   Scope
}

// OwnerKind is the kind of a token's owner.
type OwnerKind string

// The kinds of owner. A token from a version that did not store owners has none.
const (
	OwnedByPerson  OwnerKind = "operator"
	OwnedByMachine OwnerKind = "load" // created by a command on the machine
)

// Owner is the root of the chain of tokens that created a token. The zero value means unknown.
type Owner struct {
	Kind OwnerKind
	ID   int // of the person
}

// Person returns the person who acts: the person itself, or the owner of the token.
func (i Identity) Person() Owner {
	if i.IsToken {
		return i.Owner
	}
	return Owner{OwnedByPerson, i.ID}
}

// Kind returns the kind of the identity, as the audit names it.
func (i Identity) Kind() string {
	if i.IsToken {
		return "token"
	}
	return "operator"
}

// Is reports whether two identities are the same.
func (i Identity) Is(other Identity) bool {
	return i.IsToken == other.IsToken && i.ID == other.ID
}

// MayBeSamePerson reports whether both identities may belong to the same person. A token without a
// known owner may belong to any person.
func (i Identity) MayBeSamePerson(other Identity) bool {
	owner, two := i.Person(), other.Person()
	return owner == two || owner == Owner{} || two == Owner{}
}
