package customers

import (
	"context"

	"mintmark/internal/domain/customer"
	"mintmark/internal/issuing"
)

// AdjustAccount is ChangeAccount for a sandbox: the account may have another owner and another type
// behind it, although cards draw on it, and its balances are those that are asked for.
func (s *Service) AdjustAccount(
	ctx context.Context, who issuing.Operator, revision int, asked WantedAccount,
) (AccountSheet, error) {
	return s.changeAccount(ctx, who, asked, changeAccountAct,
		func(tx *issuing.Tx, stored map[int]customer.Account) (AccountSheet, error) {
			before, after, err := asked.atRevision(revision, stored)
			if err != nil {
				return AccountSheet{}, err
			}
			return putAccount(tx, after, asked.Number, before)
		})
}
