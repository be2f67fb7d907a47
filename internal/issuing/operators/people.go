package operators

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/auth"
	"mintmark/internal/store"
)

// ErrNotHeld is returned for granting, changing or revoking a role or a bank that the operator does
// not hold.
var ErrNotHeld = errors.New("an operator cannot give, change or take a role or a bank that they do not hold")

// GrantsRequest holds the roles and the scope of an operator or a token.
type GrantsRequest struct {
	Roles operator.Roles
	Scope operator.Scope
}

// check validates the request and returns it in its stored form. The error lists all problems.
func (g GrantsRequest) check(name string) (GrantsRequest, error) {
	var wrong problem.List
	operator.CheckName("name", name, &wrong)
	operator.CheckRoles("roles", g.Roles, &wrong)
	operator.CheckScope(g.Scope, &wrong)
	if err := wrong.Err(); err != nil {
		return g, err
	}
	g.Scope.Banks = slices.Compact(slices.Sorted(slices.Values(g.Scope.Banks)))
	return g, nil
}

// checkHeld returns ErrNotHeld unless the operator holds what the act grants or revokes.
func checkHeld(o issuing.Operator, roles operator.Roles, scope operator.Scope) error {
	if !o.Roles.MayGrant(roles) || !scope.Within(o.Scope) {
		return ErrNotHeld
	}
	return nil
}

// checkBanks returns an error unless all banks of a scope exist.
func checkBanks(tx *issuing.Tx, scope operator.Scope) error {
	if scope.All {
		return nil
	}
	banks, err := tx.Banks().List()
	if err != nil {
		return err
	}
	var wrong problem.List
	for _, id := range scope.Banks {
		if !slices.ContainsFunc(banks, func(b store.Bank) bool { return b.ID == id }) {
			wrong.Add("banks", "there is no bank %d", id)
		}
	}
	return wrong.Err()
}

// checkFree refuses a name that another operator or token has, or that reads like theirs.
func checkFree(tx *issuing.Tx, name string) error {
	taken, err := auth.NameTaken(tx, name, 0)
	if err == nil && taken {
		err = issuing.Refuse(
			"There is an operator or a token with this name, or with one that reads " +
				"like it.")
	}
	return err
}

// onPeople runs an act on operators or tokens, which belong to no program and need a second
// operator if the settings demand one.
func (s *Service) onPeople(
	ctx context.Context, who issuing.Operator, act string, fn func(*issuing.Tx) error,
) error {
	return s.Act(ctx, who, issuing.InInstallation, act, issuing.Guarded(fn))
}

// ListOperators returns the people whose scope is within that of the operator, by ID.
func (s *Service) ListOperators(
	ctx context.Context, who issuing.Operator, query string, page issuing.Page,
) (persons []operator.Person, last string, err error) {
	err = s.Store.View(ctx, func(r store.Tx) error {
		all, err := r.Operators().List()
		all = slices.DeleteFunc(all, func(p operator.Person) bool {
			return !p.Scope.Within(who.Scope) || !issuing.Matches(query, p.Name)
		})
		persons, last = issuing.PageByNumber(all, page, func(p operator.Person) int { return p.ID })
		return err
	})
	return persons, last, err
}

// FindOperator returns a person whose scope is within that of the operator.
func (s *Service) FindOperator(
	ctx context.Context, who issuing.Operator, id int,
) (operator.Person, error) {
	return store.ViewOf(ctx, s.Store, func(r store.Tx) (operator.Person, error) {
		return findPerson(r, who, id)
	})
}

func findPerson(r store.Tx, who issuing.Operator, id int) (operator.Person, error) {
	person, err := r.Operators().Find(id)
	if err == nil && !person.Scope.Within(who.Scope) {
		err = store.ErrNotFound
	}
	if err != nil {
		return operator.Person{}, fmt.Errorf("operator %d: %w", id, err)
	}
	return person, nil
}

// CreateOperator creates a person, and a link behind which the person sets a password.
func (s *Service) CreateOperator(
	ctx context.Context, who issuing.Operator, name string, req GrantsRequest,
) (person operator.Person, link secret.Text, err error) {
	if req, err = req.check(name); err != nil {
		return person, link, err
	}
	if err := checkHeld(who, req.Roles, req.Scope); err != nil {
		return person, link, err
	}
	err = s.onPeople(ctx, who, "create operator", func(tx *issuing.Tx) error {
		if err := checkFree(tx, name); err != nil {
			return err
		}
		if err := checkBanks(tx, req.Scope); err != nil {
			return err
		}
		p := operator.Person{
			Name: name, Roles: req.Roles, Scope: req.Scope, State: operator.Invited,
			Created: tx.Now(),
		}
		if err := tx.Operators().Put(&p); err != nil {
			return err
		}
		text, err := auth.NewInvitation(tx, s.Vault, s.Secrets, p.ID)
		if err != nil {
			return err
		}
		person, link = p, text
		return auditPerson(tx, operator.Person{}, p, issuing.OutcomeCreated)
	})
	return person, link, err
}

// ChangeOperator changes the roles and the scope of a person. Open sessions follow immediately.
func (s *Service) ChangeOperator(
	ctx context.Context, who issuing.Operator, id, revision int, req GrantsRequest,
) (operator.Person, error) {
	return s.changePerson(ctx, who, id, revision, "change operator",
		func(tx *issuing.Tx, person *operator.Person) error {
			req, err := req.check(person.Name)
			if err != nil {
				return err
			}
			if err := checkHeld(who, req.Roles, req.Scope); err != nil {
				return err
			}
			person.Roles, person.Scope = req.Roles, req.Scope
			return checkBanks(tx, req.Scope)
		})
}

// EndOperator removes a person's password, link and sessions permanently.
func (s *Service) EndOperator(
	ctx context.Context, who issuing.Operator, id, revision int,
) (operator.Person, error) {
	return s.changePerson(ctx, who, id, revision, "end operator",
		func(tx *issuing.Tx, person *operator.Person) error {
			person.State, person.SessionsSince = operator.Ended, tx.Now()
			if err := tx.Operators().DeleteCredential(id); err != nil {
				return err
			}
			return tx.Operators().DeleteInvitation(id)
		})
}

// InviteOperator creates another link for a person who has lost the password or the authenticator
// app. The old ones work until the link is used.
func (s *Service) InviteOperator(
	ctx context.Context, who issuing.Operator, id, revision int,
) (invited operator.Person, link secret.Text, err error) {
	invited, err = s.changePerson(ctx, who, id, revision, "invite operator",
		func(tx *issuing.Tx, person *operator.Person) error {
			if person.OpenID != "" {
				return issuing.Refuse("The operator signs in through an OpenID Connect provider.")
			}
			text, err := auth.NewInvitation(tx, s.Vault, s.Secrets, id)
			link = text
			return err
		})
	return invited, link, err
}

// changePerson runs an act on a person at a revision, 0 for any. It refuses to change an ended
// person, and to remove the last administrator of all banks.
func (s *Service) changePerson(
	ctx context.Context, who issuing.Operator, id, revision int, act string,
	change func(*issuing.Tx, *operator.Person) error,
) (changedTo operator.Person, err error) {
	err = s.onPeople(ctx, who, act, func(tx *issuing.Tx) error {
		before, err := findPerson(tx, who, id)
		if err != nil {
			return err
		}
		if err := issuing.CheckRevisionIf("the operator", before.Revision, revision); err != nil {
			return err
		}
		if before.State == operator.Ended {
			return issuing.Refuse("The operator is ended.")
		}
		if err := checkHeld(who, before.Roles, before.Scope); err != nil {
			return err
		}
		after := before
		if err := change(tx, &after); err != nil {
			return err
		}
		if err := checkLastAdministrator(tx, before, after); err != nil {
			return err
		}
		if err := tx.Operators().Put(&after); err != nil {
			return err
		}
		changedTo = after
		return auditPerson(tx, before, after, issuing.OutcomeChanged)
	})
	return changedTo, err
}

// checkLastAdministrator refuses to remove the last active administrator of all banks.
func checkLastAdministrator(tx *issuing.Tx, before, after operator.Person) error {
	last, err := auth.RemovesLastAdministrator(tx, before, after)
	if err != nil || !last {
		return err
	}
	return issuing.Refuse("The last administrator of all banks cannot be removed.")
}

// auditPerson stores the entry of an act on a person. before may be the zero value.
func auditPerson(tx *issuing.Tx, before, after operator.Person, outcome string) error {
	entry, err := auth.PersonEntry(before, after)
	if err != nil {
		return err
	}
	entry.Outcome = outcome
	return tx.PutEntry(entry)
}
