package sqlstore

import (
	"mintmark/internal/store/sqlstore/db"
)

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

// FindPersonKeys returns the encrypted person keys of cards, by card.
func (t auditEntries) FindPersonKeys(cardIDs []int) (map[int][]byte, error) {
	rows, err := db.FindMany(t.session, scanPersonKey, findPersonKeys, cardIDs)
	sealed := make(map[int][]byte, len(rows))
	for _, p := range rows {
		sealed[p.cardID] = p.sealed
	}
	return sealed, err
}

func (t auditEntries) PutPersonKey(cardID int, sealed []byte) error {
	return t.session.Write(putPersonKey, cardID, sealed)
}

func (t auditEntries) DeletePersonKey(cardID int) error {
	return t.session.Write(deletePersonKey, cardID)
}
