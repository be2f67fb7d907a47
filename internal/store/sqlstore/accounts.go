package sqlstore

import (
	"errors"
	"slices"

	"mintmark/internal/customer"
	"mintmark/internal/store"
)

const accountColumns = `a.account_id, a.program_id, a.customer_id, a.type, a.status, a.name, a.tag,
		a.number_masked, a.balance, a.available_balance, a.pending_balance,
		a.balance_modified_at, a.modified_at`

// accountInto are where the values of accountColumns go. The digits that an amount is printed
// with are left to the program that it belongs to.
func accountInto(a *customer.Account) []any {
	return []any{&a.ID, &a.ProgramID, &a.CustomerID, &a.Type, &a.Status, &a.Name, &a.Tag,
		&a.NumberMasked, &a.Balance.TenThousandths, &a.AvailableBalance.TenThousandths,
		&a.PendingBalance.TenThousandths, timeColumn{&a.BalanceModified},
		timeColumn{&a.Modified}}
}

const selectAccounts = `SELECT ` + accountColumns + ` FROM accounts a `

func scanAccount(row scan) (customer.Account, error) {
	var a customer.Account
	err := row(accountInto(&a)...)
	return a, err
}

func (r *reader) FindAccount(programID, accountID int) (customer.Account, error) {
	a, err := scanAccount(r.row(
		selectAccounts+`WHERE program_id = $1 AND account_id = $2`, programID, accountID))
	if err != nil {
		return customer.Account{}, err
	}
	return a, nil
}

const findAccountFor = `SELECT ` + accountColumns + `, COALESCE(x.type, 'NONE')
	FROM accounts a
	LEFT JOIN account_access x ON x.customer_id = $3 AND x.account_id = a.account_id
	WHERE a.program_id = $1 AND a.account_id = $2`

func (r *reader) FindAccountFor(programID, accountID, customerID int) (
	customer.Account, customer.AccountAccess, error,
) {
	var a customer.Account
	access := customer.NoAccess
	err := r.row(findAccountFor, programID, accountID, customerID)(
		append(accountInto(&a), &access)...)
	if err != nil {
		return customer.Account{}, customer.NoAccess, err
	}
	return a, access, nil
}

// accountsAtOnce is how many accounts one query reads. With a fixed number the text stays the
// same, and is prepared once.
const accountsAtOnce = 8

const listAccounts = selectAccounts + `WHERE account_id IN ($1, $2, $3, $4, $5, $6, $7, $8)`

// listAccounts returns the accounts of the given numbers, which may repeat.
func (r *reader) listAccounts(accountIDs []int) (map[int]customer.Account, error) {
	slices.Sort(accountIDs)
	var questions []question
	var accounts []customer.Account
	for chunk := range slices.Chunk(slices.Compact(accountIDs), accountsAtOnce) {
		// No account has the number 0, which fills the places that are left.
		args := make([]any, accountsAtOnce)
		for i := range args {
			args[i] = 0
		}
		for i, id := range chunk {
			args[i] = id
		}
		questions = append(questions, listing(&accounts, scanAccount, listAccounts, args...))
	}
	if err := r.together(questions...); err != nil {
		return nil, err
	}
	found := make(map[int]customer.Account)
	for _, a := range accounts {
		found[a.ID] = a
	}
	return found, nil
}

const putAccount = `INSERT INTO accounts (account_id, program_id, customer_id, type, status, name,
		tag, number_masked, balance, available_balance, pending_balance,
		balance_modified_at, modified_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
	ON CONFLICT (account_id) DO UPDATE SET program_id = excluded.program_id,
		customer_id = excluded.customer_id, type = excluded.type, status = excluded.status,
		name = excluded.name, tag = excluded.tag, number_masked = excluded.number_masked,
		balance = excluded.balance, available_balance = excluded.available_balance,
		pending_balance = excluded.pending_balance,
		balance_modified_at = excluded.balance_modified_at, modified_at = excluded.modified_at`

func (t *tx) PutAccount(a customer.Account) error {
	t.touched.more = true
	return t.write(putAccount, a.ID, a.ProgramID, a.CustomerID, a.Type, a.Status, a.Name, a.Tag,
		a.NumberMasked, a.Balance.TenThousandths, a.AvailableBalance.TenThousandths,
		a.PendingBalance.TenThousandths, millis(a.BalanceModified), millis(a.Modified))
}

// An access that was never given and one that was taken away look the same.
const findAccess = `SELECT type FROM account_access WHERE customer_id = $1 AND account_id = $2`

func (r *reader) FindAccess(customerID, accountID int) (customer.AccountAccess, error) {
	var access customer.AccountAccess
	err := r.row(findAccess, customerID, accountID)(&access)
	if errors.Is(err, store.ErrNotFound) {
		return customer.NoAccess, nil
	}
	return access, err
}

const putAccess = `INSERT INTO account_access (customer_id, account_id, type)
	VALUES ($1, $2, $3)
	ON CONFLICT (customer_id, account_id) DO UPDATE SET type = excluded.type`

func (t *tx) PutAccess(a customer.Access) error {
	return t.write(putAccess, a.CustomerID, a.AccountID, a.Type)
}
