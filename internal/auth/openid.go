package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mintmark/internal/audit"
	"mintmark/internal/operator"
	"mintmark/internal/problem"
	"mintmark/internal/store"
)

// Claimed is what an OpenID Connect provider says of somebody, read by the settings.
type Claimed struct {
	Issuer, Subject string
	Name            string
	Roles           operator.Roles // none when no claim gives any
	Scope           operator.Scope
	From
}

// SignInClaimed returns who signs in by the word of a provider. A person whom the provider sends
// for the first time becomes an operator; roles and scope follow the provider at each sign-in.
// Without a role, for a name that another operator has, and for an ended operator it is ErrSignIn,
// and in the audit.
func (o *Operators) SignInClaimed(ctx context.Context, c Claimed) (operator.Identity, error) {
	var who operator.Identity
	refusal := ""
	err := o.people.Update(ctx, func(tx store.Tx) error {
		person, refused, err := claimed(tx, c)
		if err != nil {
			return err
		}
		entry := audit.Entry{
			At: tx.Now(), Actor: c.actor(person.ID, c.Name), Act: "sign in by OpenID Connect",
			Outcome: signedIn,
		}
		if person.ID != 0 {
			entry.Subject = audit.Of(audit.Person, person.ID)
		}
		if refused != "" {
			entry.Outcome = signInRefused + ": " + refused
			err = tx.Audit().Put(entry)
			refusal = refused
			return err
		}
		err = errors.Join(
			tx.Operators().PutSignIn(person.ID, tx.Now()), tx.Audit().Put(entry))
		who, refusal = person.Identity(), ""
		return err
	})
	if err == nil && refusal != "" {
		err = fmt.Errorf("%w: %s", ErrSignIn, refusal)
	}
	if err != nil {
		return operator.Identity{}, err
	}
	return who, nil
}

// claimed finds or stores the person of a claim, or says why there is none.
func claimed(tx store.Tx, c Claimed) (person operator.Person, refused string, err error) {
	key := c.Issuer + "#" + c.Subject
	person, err = tx.Operators().FindOpenID(key)
	known := err == nil
	if errors.Is(err, store.ErrNotFound) {
		err = nil
		person = operator.Person{OpenID: key, State: operator.Active, Created: tx.Now()}
	}
	if err != nil {
		return operator.Person{}, "", err
	}
	before := person
	person.Name, person.Roles, person.Scope = c.Name, c.Roles, c.Scope
	refused, err = refuseClaim(tx, before, person)
	if err != nil || refused != "" {
		return before, refused, err
	}
	if known && before.Name == person.Name && before.Grants() == person.Grants() {
		return person, "", nil
	}
	return person, "", tx.Operators().Put(&person)
}

func refuseClaim(tx store.Tx, before, person operator.Person) (string, error) {
	var wrong problem.List
	renamed := before.ID == 0 || before.Name != person.Name
	if renamed {
		operator.CheckName("name", person.Name, &wrong)
	}
	switch {
	case before.State == operator.Ended:
		return "the operator is ended", nil
	case len(person.Roles) == 0:
		return "no claim gives a role", nil
	case len(wrong) > 0:
		return "the name " + wrong[0].Text, nil
	}
	if !renamed {
		return "", nil
	}
	taken, err := NameTaken(tx, person.Name, before.ID)
	if err == nil && taken {
		return "another operator or a token has the name, or one that reads like it", nil
	}
	return "", err
}

// OpenIDTime bounds how long the way to the provider and back may take.
const OpenIDTime = 10 * time.Minute
