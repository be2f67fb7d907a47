// Package operator says who may run a program for its bank: the roles of operators, the banks in
// their scope, and what they sign in with. It does no I/O. Package auth identifies the operator,
// package admin knows the role that a request needs, and package issuing checks the banks in
// scope.
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

// AllRoles lists the roles.
var AllRoles = []Role{Support, Configurator, Security, Auditor, Administrator}

// Roles are those that an operator holds.
type Roles []Role

// Has reports whether the roles include one; an administrator holds all.
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

// MayGive reports whether an operator with these roles may give others to somebody.
func (r Roles) MayGive(others Roles) bool {
	for _, role := range others {
		if role == Administrator && !slices.Contains(r, Administrator) || !r.Has(role) {
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

// Intersect are the banks that are in two scopes.
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

// Identity is who asks: a person or a token, by its number. The name is for people to read, and may
// be another one tomorrow.
type Identity struct {
	Name    string // of the operator, or of the token
	IsToken bool
	ID      int   // of the operator or the token
	Owner   Owner // of a token
	Roles   Roles
	Scope   Scope
}

// OwnerKind says whom a token belongs to.
type OwnerKind string

// The kinds of owner. A token of a version that did not keep its owner has none.
const (
	OwnedByPerson  OwnerKind = "operator"
	OwnedByMachine OwnerKind = "load" // made by a command on the machine
)

// Owner is at the root of the chain of tokens that made a token. The zero value is not known.
type Owner struct {
	Kind OwnerKind
	ID   int // of the person
}

// Person returns who stands behind an identity: the person itself, or the owner of the token.
func (i Identity) Person() Owner {
	if i.IsToken {
		return i.Owner
	}
	return Owner{OwnedByPerson, i.ID}
}

// Kind is the kind of an identity, as the audit names it.
func (i Identity) Kind() string {
	if i.IsToken {
		return "token"
	}
	return "operator"
}

// Is reports whether two identities are the same one.
func (i Identity) Is(other Identity) bool {
	return i.IsToken == other.IsToken && i.ID == other.ID
}

// MayBeSamePerson reports whether both identities may belong to the same person. A token without a
// known owner may belong to anybody.
func (i Identity) MayBeSamePerson(other Identity) bool {
	owner, two := i.Person(), other.Person()
	return owner == two || owner == Owner{} || two == Owner{}
}
