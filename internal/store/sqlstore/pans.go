package sqlstore

import (
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// pans are the rows of the table card_numbers.
type pans struct{ *tx }

// A PAN is found by its digest, because sealing the same PAN twice gives two different texts.
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

// The join makes sure that the card belongs to the program.
const findPAN = `SELECT n.card_id, n.bin_id, n.digest, n.sealed, n.last_four
	FROM card_numbers n JOIN cards c ON c.card_id = n.card_id
	WHERE c.program_id = $1 AND c.card_id = $2`

func (t pans) Find(programID, cardID int) (store.SealedPAN, error) {
	return findOne(t.tx, func(p *store.SealedPAN) []any {
		return []any{&p.CardID, &p.BinID, &p.Digest, &p.Sealed, &p.LastFour}
	}, findPAN, programID, cardID)
}

// Without ON CONFLICT, a PAN that was issued before is refused with store.ErrExists.
const putPAN = `INSERT INTO card_numbers (digest, sealed, last_four, bin_id, card_id)
	VALUES ($1, $2, $3, $4, $5)`

func (t pans) Put(p store.SealedPAN) error {
	return t.session.Write(putPAN, db.OrEmpty(p.Digest), db.OrEmpty(p.Sealed), p.LastFour, p.BinID,
		p.CardID)
}
