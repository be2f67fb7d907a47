// Package privacy holds the SQL of what is kept of people beside their own rows: the keys under
// which the audit names them, and the copies that are emptied when a customer is erased. Whether a
// customer may be erased, and of what, is decided in package issuing.
package privacy

import (
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Keys are the rows of the table person_keys.
type Keys struct{ Session db.Session }

var _ store.PersonKeys = Keys{}

type key struct {
	cardID int
	sealed []byte
}

func scanKey(row db.Scan) (key, error) {
	var k key
	err := row(&k.cardID, &k.sealed)
	return k, err
}

const (
	findKeys  = `SELECT card_id, sealed FROM person_keys WHERE card_id IN `
	putKey    = `INSERT INTO person_keys (card_id, sealed) VALUES ($1, $2)`
	deleteKey = `DELETE FROM person_keys WHERE card_id = $1`
)

// FindMany returns the keys of cards.
func (t Keys) FindMany(cardIDs []int) (map[int][]byte, error) {
	rows, err := db.FindMany(t.Session, scanKey, findKeys, cardIDs)
	found := make(map[int][]byte, len(rows))
	for _, one := range rows {
		found[one.cardID] = one.sealed
	}
	return found, err
}

// Put inserts the key of a card.
func (t Keys) Put(cardID int, sealed []byte) error {
	return t.Session.Write(putKey, cardID, sealed)
}

// Delete removes the key of a card.
func (t Keys) Delete(cardID int) error { return t.Session.Write(deleteKey, cardID) }
