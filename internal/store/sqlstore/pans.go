package sqlstore

import (
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// pans are the rows of the table card_numbers.
type pans struct{ *tx }

// A PAN is looked for by its digest, because what is sealed looks different every time.
const hasPAN = `SELECT EXISTS (SELECT 1 FROM card_numbers WHERE digest = $1)`

func (t pans) Has(digest []byte) (bool, error) {
	var found bool
	err := t.find([]any{&found}, hasPAN, digest)
	return found, err
}

func (t pans) Count(binID int) (int64, error) {
	var count int64
	err := t.find([]any{&count}, `SELECT COUNT(*) FROM card_numbers WHERE bin_id = $1`, binID)
	return count, err
}

// The card is joined so that a PAN is found only by way of the program it belongs to.
const findPAN = `SELECT n.card_id, n.bin_id, n.digest, n.sealed, n.last_four
	FROM card_numbers n JOIN cards c ON c.card_id = n.card_id
	WHERE c.program_id = $1 AND c.card_id = $2`

func (t pans) Find(programID, cardID int) (store.SealedPAN, error) {
	var p store.SealedPAN
	err := t.find([]any{&p.CardID, &p.BinID, &p.Digest, &p.Sealed, &p.LastFour}, findPAN,
		programID, cardID)
	if err != nil {
		return store.SealedPAN{}, err
	}
	return p, nil
}

// There is no ON CONFLICT: a PAN that was issued before must not be issued again.
const putPAN = `INSERT INTO card_numbers (digest, sealed, last_four, bin_id, card_id)
	VALUES ($1, $2, $3, $4, $5)`

func (t pans) Put(p store.SealedPAN) error {
	return t.write(putPAN, db.OrEmpty(p.Digest), db.OrEmpty(p.Sealed), p.LastFour, p.BinID,
		p.CardID)
}
