package sqlstore

import "mintmark/internal/store"

// A number is looked for by its digest, because what is sealed looks different every time.
const hasNumber = `SELECT EXISTS (SELECT 1 FROM card_numbers WHERE digest = $1)`

func (r *reader) HasNumber(digest []byte) (bool, error) {
	var found bool
	err := r.row(hasNumber, digest)(&found)
	return found, err
}

func (r *reader) CountNumbers(binID int) (int64, error) {
	var count int64
	err := r.row(`SELECT COUNT(*) FROM card_numbers WHERE bin_id = $1`, binID)(&count)
	return count, err
}

// The card is joined so that a number is found only by way of the program it belongs to.
const findNumber = `SELECT n.card_id, n.bin_id, n.digest, n.sealed, n.last_four
	FROM card_numbers n JOIN cards c ON c.card_id = n.card_id
	WHERE c.program_id = $1 AND c.card_id = $2`

func (r *reader) FindNumber(programID, cardID int) (store.Number, error) {
	var n store.Number
	err := r.row(findNumber, programID, cardID)(
		&n.CardID, &n.BinID, &n.Digest, &n.Sealed, &n.LastFour)
	if err != nil {
		return store.Number{}, err
	}
	return n, nil
}

// There is no ON CONFLICT: a number that was issued before must not be issued again.
const putNumber = `INSERT INTO card_numbers (digest, sealed, last_four, bin_id, card_id)
	VALUES ($1, $2, $3, $4, $5)`

func (t *tx) PutNumber(n store.Number) error {
	return t.write(putNumber, orEmpty(n.Digest), orEmpty(n.Sealed), n.LastFour, n.BinID,
		n.CardID)
}
