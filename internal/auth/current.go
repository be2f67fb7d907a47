package auth

import (
	"context"
	"errors"

	"mintmark/internal/operator"
	"mintmark/internal/store"
)

// Current returns an operator or a token as it is now, and false when it has ended since.
func (o *Operators) Current(
	ctx context.Context, who operator.Identity,
) (now operator.Identity, active bool, err error) {
	err = o.people.View(ctx, func(r store.Tx) error {
		if who.IsToken {
			found, err := r.Tokens().Find(who.ID)
			now, active = found.Identity(), found.State(r.Now()) == "active"
			return err
		}
		found, err := r.Operators().Find(who.ID)
		now, active = found.Identity(), found.State == operator.Active
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return operator.Identity{}, false, nil
	}
	return now, active, err
}
