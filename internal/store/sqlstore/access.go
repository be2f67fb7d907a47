package sqlstore

import (
	"mintmark/internal/customer"
	"mintmark/internal/store/sqlstore/db"
)

// access are the rows of the table account_access.
type access struct{ *tx }

const findAccess = `SELECT type FROM account_access WHERE customer_id = $1 AND account_id = $2`

func (t access) Find(customerID, accountID int) (customer.AccountAccess, error) {
	granted := customer.NoAccess
	_, err := db.Find(t.session, []any{&granted}, findAccess, customerID, accountID)
	return granted, err
}

const listAccess = `SELECT customer_id, account_id, type FROM account_access WHERE customer_id IN `

func (t access) List(customerIDs []int) ([]customer.Access, error) {
	return db.FindMany(t.session, func(row db.Scan) (customer.Access, error) {
		var a customer.Access
		err := row(&a.CustomerID, &a.AccountID, &a.Type)
		return a, err
	}, listAccess, customerIDs)
}

const putAccess = `INSERT INTO account_access (customer_id, account_id, type)
	VALUES ($1, $2, $3)
	ON CONFLICT (customer_id, account_id) DO UPDATE SET type = excluded.type`

func (t access) Put(a customer.Access) error {
	return t.write(putAccess, a.CustomerID, a.AccountID, a.Type)
}
