package sqlstore

import (
	"mintmark/internal/domain/authorization"
	"mintmark/internal/store/sqlstore/db"
)

// balances implements store.Balances on the table accounts.
type balances struct{ *tx }

// The column available_balance is the amount before holds: see accountColumns.
const balanceColumns = `a.account_id, a.program_id, a.customer_id, a.status, a.balance,
		a.available_balance - a.held, a.held, a.balance_modified_at, a.revision`

// balanceInto returns the scan destinations for balanceColumns.
func balanceInto(a *authorization.Account) []any {
	return []any{&a.ID, &a.ProgramID, &a.CustomerID, &a.Status, &a.Balance.TenThousandths,
		&a.Available.TenThousandths, &a.Held.TenThousandths, db.Time{To: &a.Modified}, &a.Revision}
}

const findBalance = `SELECT ` + balanceColumns + ` FROM accounts a WHERE a.account_id = $1`

func (t balances) Find(accountID int) (authorization.Account, error) {
	var a authorization.Account
	if err := t.find(balanceInto(&a), findBalance, accountID); err != nil {
		return authorization.Account{}, err
	}
	return a, nil
}

// A hold changes only the available balance. balance_changed_at is when the balance itself changed.
const changeBalances = `UPDATE accounts SET balance = $2, available_balance = $3, held = $4,
		balance_changed_at = CASE WHEN balance = $2 THEN balance_changed_at ELSE $5 END,
		balance_modified_at = $5, revision = revision + 1
	WHERE account_id = $1 AND revision = $6`

func (t balances) Change(a authorization.Account) error {
	return t.session.Change(changeBalances, a.ID, a.Balance.TenThousandths,
		a.Available.TenThousandths+a.Held.TenThousandths, a.Held.TenThousandths,
		db.Millis(a.Modified), a.Revision)
}
