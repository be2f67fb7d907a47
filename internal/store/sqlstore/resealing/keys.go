// Package resealing holds the SQL of keys of banks, in this file, and of the numbers and PINs that
// are sealed under them, in texts.go. Which key is used for what is decided in package issuing.
package resealing

import (
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Keys are the rows of the table bank_keys.
type Keys struct{ Session db.Session }

const (
	columns = `SELECT b.key_id, b.pci_key_id, k.bank_id, b.state, b.made_at, b.wrapped, b.revision
		FROM bank_keys b JOIN pci_keys k ON k.pci_key_id = b.pci_key_id`
	findKey  = columns + ` WHERE b.key_id = $1`
	listKeys = columns + ` ORDER BY b.pci_key_id, b.made_at, b.key_id`

	insertKey = `INSERT INTO bank_keys (key_id, pci_key_id, state, made_at, wrapped)
		VALUES ($1, $2, $3, $4, $5)`
	updateKey = `UPDATE bank_keys SET state = $2, wrapped = $3, revision = revision + 1
		WHERE key_id = $1 AND revision = $4`
)

func scanKey(row db.Scan) (program.BankKey, error) {
	var k program.BankKey
	var state string
	err := row(&k.ID, &k.PciKeyID, &k.BankID, &state, db.Time{To: &k.Made}, &k.Wrapped,
		&k.Revision)
	k.State = program.BankKeyState(state)
	return k, err
}

// Find returns a key by its number.
func (t Keys) Find(id int) (program.BankKey, error) {
	found, err := db.List(t.Session, scanKey, findKey, id)
	if err == nil && len(found) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return program.BankKey{}, err
	}
	return found[0], nil
}

// List returns the keys of each pciKeyId, the oldest first.
func (t Keys) List() ([]program.BankKey, error) { return db.List(t.Session, scanKey, listKeys) }

// Put inserts a key, or replaces the revision that was read.
func (t Keys) Put(k program.BankKey) error {
	if k.Revision == 0 {
		return t.Session.Write(insertKey, k.ID, k.PciKeyID, string(k.State), db.Millis(k.Made),
			db.OrEmpty(k.Wrapped))
	}
	return t.Session.Change(updateKey, k.ID, string(k.State), db.OrEmpty(k.Wrapped), k.Revision)
}
