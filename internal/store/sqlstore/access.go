package sqlstore

import (
	"mintmark/internal/domain/customer"
	"mintmark/internal/store/sqlstore/db"
)

// access implements store.Access on the table account_access.
type access struct{ *tx }

const findAccess = `SELECT type FROM account_access WHERE customer_id = $1 AND account_id = $2`

func (t access) Find(customerID, accountID int) (customer.AccountAccess, error) {
	granted := customer.NoAccess
	_, err := db.Find(t.session, []any{&granted}, findAccess, customerID, accountID)
	return granted, err
}

const listAccess = `SELECT customer_id, account_id, type, revision FROM account_access
	WHERE customer_id IN `

func accessInto(a *customer.Access) []any {
	return []any{&a.CustomerID, &a.AccountID, &a.Type, &a.Revision}
}

func (t access) List(customerIDs []int) ([]customer.Access, error) {
	return db.FindMany(t.session, readInto(accessInto), listAccess, customerIDs)
}

const (
	insertAccess = `INSERT INTO account_access (customer_id, account_id, type)
		VALUES ($1, $2, $3)`
	updateAccess = `UPDATE account_access SET type = $3, revision = revision + 1
		WHERE customer_id = $1 AND account_id = $2 AND revision = $4`
)

func (t access) Put(a customer.Access) error {
	return db.Put(t.session, a.Revision, insertAccess, updateAccess, a.CustomerID, a.AccountID,
		a.Type)
}

const deleteAccess = `DELETE FROM account_access
	WHERE customer_id = $1 AND account_id = $2 AND revision = $3`

func (t access) Delete(a customer.Access) error {
	return t.session.Change(deleteAccess, a.CustomerID, a.AccountID, a.Revision)
}
