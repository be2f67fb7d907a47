package issuing

import (
	"context"
	"fmt"

	"mintmark/internal/customer"
	"mintmark/internal/store"
)

// AdjustAccount is ChangeAccount for a sandbox: the account may have another owner and another type
// behind it, although cards draw on it, and its balances are those that are asked for.
func (s *Service) AdjustAccount(
	ctx context.Context, who Operator, revision int, asked WantedAccount,
) (AccountSheet, error) {
	return s.changeAccount(ctx, who, asked, changeAccountAct,
		func(w *writeTx, stored map[int]customer.Account) (AccountSheet, error) {
			before, there := stored[asked.ID]
			if !there || before.ProgramID != asked.ProgramID {
				return AccountSheet{}, fmt.Errorf("account %d: %w", asked.ID, store.ErrNotFound)
			}
			if err := atRevision("the account", before.Revision, revision); err != nil {
				return AccountSheet{}, err
			}
			after := asked.Account
			after.NumberMasked, after.Held = before.NumberMasked, before.Held
			after.Revision = before.Revision
			return w.putAccount(after, asked.Number, before)
		})
}
