package customers

import (
	"context"

	"mintmark/internal/domain/customer"
	"mintmark/internal/issuing"
)

// AdjustAccount is ChangeAccount for a sandbox: it may also change the owner and the type of the
// account, although cards draw on it, and sets its balances exactly as requested.
func (s *Service) AdjustAccount(
	ctx context.Context, who issuing.Operator, revision int, wanted AccountSpec,
) (AccountSheet, error) {
	return s.changeAccount(ctx, who, wanted, changeAccountAct,
		func(tx *issuing.Tx, stored map[int]customer.Account) (AccountSheet, error) {
			before, after, err := wanted.atRevision(revision, stored)
			if err != nil {
				return AccountSheet{}, err
			}
			return putAccount(tx, after, wanted.Number, before)
		})
}
