package sqlstore

import (
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// personKeys are the rows of the table person_keys.
type personKeys struct{ *tx }

var _ store.PersonKeys = personKeys{}

type personKey struct {
	cardID int
	sealed []byte
}

func scanPersonKey(row db.Scan) (personKey, error) {
	var k personKey
	err := row(&k.cardID, &k.sealed)
	return k, err
}

const (
	findPersonKeys  = `SELECT card_id, sealed FROM person_keys WHERE card_id IN `
	putPersonKey    = `INSERT INTO person_keys (card_id, sealed) VALUES ($1, $2)`
	deletePersonKey = `DELETE FROM person_keys WHERE card_id = $1`
)

// FindMany returns the keys of cards.
func (t personKeys) FindMany(cardIDs []int) (map[int][]byte, error) {
	rows, err := db.FindMany(t.session, scanPersonKey, findPersonKeys, cardIDs)
	found := make(map[int][]byte, len(rows))
	for _, one := range rows {
		found[one.cardID] = one.sealed
	}
	return found, err
}

// Put inserts the key of a card.
func (t personKeys) Put(cardID int, sealed []byte) error {
	return t.session.Write(putPersonKey, cardID, sealed)
}

// Delete removes the key of a card.
func (t personKeys) Delete(cardID int) error { return t.session.Write(deletePersonKey, cardID) }
