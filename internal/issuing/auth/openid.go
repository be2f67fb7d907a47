package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
)

// Claimed holds the claims of an OpenID Connect provider about a person, as the settings interpret
// them.
type Claimed struct {
	Issuer, Subject string
	Name            string
	Roles           operator.Roles // empty if no claim grants any
	Scope           operator.Scope
	From
}

// SignInClaimed returns the identity that a provider vouches for. A person who signs in for the
// first time becomes an operator; roles and scope follow the provider at each sign-in, and the
// audit shows the changes. SignInClaimed returns ErrSignIn if no role is claimed, if another
// operator has the name, for an ended operator, and if the last administrator would be removed. A
// refused person loses roles and sessions.
func (o *Operators) SignInClaimed(ctx context.Context, c Claimed) (operator.Identity, error) {
	var who operator.Identity
	refusal := ""
	err := o.people.Update(ctx, func(tx store.Tx) error {
		before, after, refused, err := claimed(tx, c)
		if err != nil {
			return err
		}
		if err := c.put(tx, before, &after); err != nil {
			return err
		}
		entry := audit.Entry{
			At: tx.Now(), Actor: c.actor(after.ID, c.Name), Act: "sign in by OpenID Connect",
			Outcome: signedIn,
		}
		if after.ID != 0 {
			entry.Subject = audit.Of(audit.Person, after.ID)
		}
		refusal = refused
		if refused != "" {
			entry.Outcome = signInRefused + ": " + refused
			return tx.Audit().Put(entry)
		}
		who = after.Identity()
		if err := tx.Operators().PutSignIn(after.ID, tx.Now()); err != nil {
			return err
		}
		return tx.Audit().Put(entry)
	})
	if err == nil && refusal != "" {
		err = fmt.Errorf("%w: %s", ErrSignIn, refusal)
	}
	if err != nil {
		return operator.Identity{}, err
	}
	return who, nil
}

// claimed returns the person of a claim before and after the sign-in, and why the sign-in is
// refused, empty if it is not.
func claimed(
	tx store.Tx, c Claimed,
) (before, after operator.Person, refused string, err error) {
	key := c.Issuer + "#" + c.Subject
	before, err = tx.Operators().FindOpenID(key)
	if errors.Is(err, store.ErrNotFound) {
		err = nil
		before = operator.Person{OpenID: key, State: operator.Active, Created: tx.Now()}
	}
	if err != nil {
		return before, before, "", err
	}
	after = before
	after.Name, after.Roles, after.Scope = c.Name, c.Roles, c.Scope
	refused, err = refuseClaim(tx, before, after)
	if err != nil || refused == "" {
		return before, after, "", err
	}
	after = before
	if before.ID == 0 || before.Standing() != operator.Active {
		return before, after, refused, nil
	}
	after.Roles, after.SessionsSince = operator.Roles{}, tx.Now()
	last, err := RemovesLastAdministrator(tx, before, after)
	if last {
		after.Roles = before.Roles
	}
	return before, after, refused, err
}

// put stores a person whom the provider has changed, with an audit entry of the new rights.
func (c Claimed) put(tx store.Tx, before operator.Person, after *operator.Person) error {
	same := before.Name == after.Name && before.Grants() == after.Grants()
	if same && before.SessionsSince.Equal(after.SessionsSince) {
		return nil
	}
	if err := tx.Operators().Put(after); err != nil || same {
		return err
	}
	entry, err := PersonEntry(before, *after)
	if err != nil {
		return err
	}
	entry.At, entry.Actor = tx.Now(), c.actor(after.ID, after.Name)
	entry.Reason = "by the OpenID Connect provider"
	entry.Act, entry.Outcome = "create operator", "created"
	if before.ID != 0 {
		entry.Act, entry.Outcome = "change operator", "changed"
	}
	return tx.Audit().Put(entry)
}

func refuseClaim(tx store.Tx, before, after operator.Person) (string, error) {
	var wrong problem.List
	renamed := before.ID == 0 || before.Name != after.Name
	if renamed {
		operator.CheckName("name", after.Name, &wrong)
	}
	switch {
	case before.State == operator.Ended:
		return "the operator is ended", nil
	case len(after.Roles) == 0:
		return "no claim gives a role", nil
	case len(wrong) > 0:
		return "the name " + wrong[0].Text, nil
	}
	last, err := RemovesLastAdministrator(tx, before, after)
	if err != nil || last {
		return "it would remove the last administrator of all banks", err
	}
	if !renamed {
		return "", nil
	}
	taken, err := NameTaken(tx, after.Name, before.ID)
	if err == nil && taken {
		return "another operator or a token has the name, or one that looks like it", nil
	}
	return "", err
}

// OpenIDTime bounds a sign-in at the provider.
const OpenIDTime = 10 * time.Minute
