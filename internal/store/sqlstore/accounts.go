package sqlstore

import (
	"mintmark/internal/domain/customer"
	"mintmark/internal/store/sqlstore/db"
)

// accounts implements store.Accounts on the table accounts.
type accounts struct{ *tx }

// The column available_balance is the amount before holds. So the previous version, which knows no
// holds, can write the column while there are some without releasing any.
const accountColumns = `a.account_id, a.program_id, a.customer_id, a.type, a.status, a.name, a.tag,
		a.number_masked, a.balance, a.available_balance - a.held, a.pending_balance,
		a.balance_modified_at, a.modified_at, a.revision, a.held`

// accountInto returns the scan destinations for accountColumns.
func accountInto(a *customer.Account) []any {
	return []any{&a.ID, &a.ProgramID, &a.CustomerID, &a.Type, &a.Status, &a.Name, &a.Tag,
		&a.NumberMasked, &a.Balance.TenThousandths, &a.AvailableBalance.TenThousandths,
		&a.PendingBalance.TenThousandths, db.Time{To: &a.BalanceModified},
		db.Time{To: &a.Modified}, &a.Revision, &a.Held.TenThousandths}
}

const findAccountFor = `SELECT ` + accountColumns + `, COALESCE(x.type, 'NONE')
	FROM accounts a
	LEFT JOIN account_access x ON x.customer_id = $3 AND x.account_id = a.account_id
	WHERE a.program_id = $1 AND a.account_id = $2`

func (t accounts) FindFor(programID, accountID, customerID int) (
	customer.Account, customer.AccountAccess, error,
) {
	var a customer.Account
	access := customer.NoAccess
	err := t.find(append(accountInto(&a), &access), findAccountFor,
		programID, accountID, customerID)
	if err != nil {
		return customer.Account{}, customer.NoAccess, err
	}
	return a, access, nil
}

const findAccounts = `SELECT ` + accountColumns + ` FROM accounts a WHERE a.account_id IN `

func (t accounts) FindMany(accountIDs []int) (map[int]customer.Account, error) {
	rows, err := db.FindMany(t.session, readInto(accountInto), findAccounts, accountIDs)
	byID := make(map[int]customer.Account, len(rows))
	for _, a := range rows {
		byID[a.ID] = a
	}
	return byID, err
}

// An amount is stored in ten-thousandths. It has more digits than the program shows if it is not a
// multiple of the program's smallest unit. The sum of holds may be a multiple where a hold is not.
const hasFinerBalances = `SELECT COUNT(*) FROM (SELECT 1 FROM accounts WHERE program_id = $1
	AND (balance % $2 <> 0 OR available_balance % $2 <> 0 OR pending_balance % $2 <> 0)
	UNION ALL SELECT 1 FROM holds WHERE program_id = $1 AND amount % $2 <> 0
	LIMIT 1) finer`

func (t accounts) HasFinerBalances(programID, digits int) (bool, error) {
	const keptDigits = 4
	unit := 1
	for range keptDigits - digits {
		unit *= 10
	}
	var count int
	err := t.find([]any{&count}, hasFinerBalances, programID, unit)
	return count > 0, err
}

const (
	insertAccount = `INSERT INTO accounts (account_id, program_id, customer_id, type, status, name,
			tag, number_masked, balance, available_balance, pending_balance,
			balance_modified_at, modified_at, balance_changed_at, held)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13, $14)`
	updateAccount = `UPDATE accounts SET program_id = $2, customer_id = $3, type = $4, status = $5,
			name = $6, tag = $7, number_masked = $8, balance = $9, available_balance = $10,
			balance_changed_at = CASE WHEN balance = $9 THEN balance_changed_at ELSE $12 END,
			pending_balance = $11, balance_modified_at = $12, modified_at = $13, held = $14,
			revision = revision + 1 WHERE account_id = $1 AND revision = $15`
)

func (t accounts) Put(a customer.Account) error {
	return db.Put(t.session, a.Revision, insertAccount, updateAccount, a.ID, a.ProgramID,
		a.CustomerID, a.Type,
		a.Status, a.Name, a.Tag, a.NumberMasked, a.Balance.TenThousandths,
		a.AvailableBalance.TenThousandths+a.Held.TenThousandths, a.PendingBalance.TenThousandths,
		db.Millis(a.BalanceModified), db.Millis(a.Modified), a.Held.TenThousandths)
}
