package customers

import (
	"context"

	"mintmark/internal/domain/customer"
	"mintmark/internal/issuing"
)

// AdjustAccount is ChangeAccount for a sandbox: the account may have another owner and another type
// behind it, although cards draw on it, and its balances are those that are asked for.
func (s *Service) AdjustAccount(
	ctx context.Context, who issuing.Operator, revision int, wanted WantedAccount,
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
