package auth

import (
	"slices"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
)

// PersonEntry returns the audit entry of a change of a person: the subject, and the person's rights
// before and after. before may be the zero value.
func PersonEntry(before, after operator.Person) (e audit.Entry, err error) {
	e.Subject = audit.Of(audit.Person, after.ID)
	if before.ID != 0 {
		e.Before, err = before.Shown()
	}
	if err == nil {
		e.After, err = after.Shown()
	}
	return e, err
}

// RemovesLastAdministrator reports whether a change of a person would remove the last active
// administrator of all banks.
func RemovesLastAdministrator(tx store.Tx, before, after operator.Person) (bool, error) {
	if !before.IsFullAdministrator() || after.IsFullAdministrator() {
		return false, nil
	}
	people, err := tx.Operators().List()
	return err == nil && !slices.ContainsFunc(people, func(other operator.Person) bool {
		return other.ID != before.ID && other.IsFullAdministrator()
	}), err
}

// NameTaken reports whether an operator or a token has the name, or one that reads like it.
// personID is the person who may have it, 0 for a new one.
func NameTaken(tx store.Tx, name string, personID int) (bool, error) {
	folded := operator.FoldName(name)
	people, err := tx.Operators().List()
	if err != nil {
		return false, err
	}
	for _, other := range people {
		if other.ID != personID && operator.FoldName(other.Name) == folded {
			return true, nil
		}
	}
	tokens, err := tx.Tokens().List()
	for _, other := range tokens {
		if operator.FoldName(other.Name) == folded {
			return true, err
		}
	}
	return false, err
}
