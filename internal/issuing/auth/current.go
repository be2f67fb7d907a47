package auth

import (
	"context"
	"errors"

	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
)

// Current returns an operator or a token with its current rights. active is false if it has ended.
func (o *Operators) Current(
	ctx context.Context, who operator.Identity,
) (now operator.Identity, active bool, err error) {
	err = o.people.View(ctx, func(r store.Tx) error {
		if who.IsToken {
			token, err := r.Tokens().Find(who.ID)
			if err == nil {
				now, active, err = underOwner(r, token)
			}
			return err
		}
		person, err := r.Operators().Find(who.ID)
		now, active = person.Identity(), person.Standing() == operator.Active
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return operator.Identity{}, false, nil
	}
	return now, active, err
}

// underOwner returns the current identity of a token. active is false if the token or its owner has
// ended.
func underOwner(r store.Tx, t operator.Token) (who operator.Identity, active bool, err error) {
	if t.State(r.Now()) != "active" {
		return operator.Identity{}, false, nil
	}
	if t.Owner.Kind != operator.OwnedByPerson {
		return t.Identity(), true, nil
	}
	owner, err := r.Operators().Find(t.Owner.ID)
	if err != nil {
		return operator.Identity{}, false, err
	}
	who, active = t.Under(owner)
	return who, active, nil
}
