package sqlstore

import (
	"mintmark/internal/domain/digests"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// pans are the rows of the table card_numbers.
type pans struct{ *tx }

// A PAN is found by its digest, because sealing the same PAN twice gives two different texts.
// While a digest key is rotated it has two: see package digests.
const (
	hasPAN       = `SELECT EXISTS (SELECT 1 FROM card_numbers WHERE digest = $1)`
	hasPANOfEach = `SELECT EXISTS (SELECT 1 FROM card_numbers
		WHERE digest = $1 OR second_digest = $2)`
)

func (t pans) Has(number digests.Number) (bool, error) {
	text, args := hasPAN, []any{number.First}
	if number.Second != nil {
		text, args = hasPANOfEach, append(args, number.Second)
	}
	var found bool
	err := t.find([]any{&found}, text, args...)
	return found, err
}

func (t pans) Count(binID int) (int64, error) {
	var count int64
	err := t.find([]any{&count}, `SELECT COUNT(*) FROM card_numbers WHERE bin_id = $1`, binID)
	return count, err
}

// The join makes sure that the card belongs to the program.
const findPAN = `SELECT n.card_id, n.bin_id, n.digest, n.second_digest, n.digest_key, n.sealed,
		n.last_four
	FROM card_numbers n JOIN cards c ON c.card_id = n.card_id
	WHERE c.program_id = $1 AND c.card_id = $2`

func (t pans) Find(programID, cardID int) (store.SealedPAN, error) {
	return findOne(t.tx, func(p *store.SealedPAN) []any {
		return []any{&p.CardID, &p.BinID, &p.Digest.First, &p.Digest.Second, &p.Digest.Key,
			&p.Sealed, &p.LastFour}
	}, findPAN, programID, cardID)
}

// Without ON CONFLICT, a PAN that was issued before is refused with store.ErrExists. No row is
// written when the digests are of another generation: they could miss one that is taken.
const putPAN = `INSERT INTO card_numbers (digest, second_digest, sealed, last_four, bin_id, card_id,
		digest_key)
	SELECT $1, $2, $3, $4, $5, $6,
		COALESCE((SELECT key_id FROM number_digests WHERE one_row = 1), 0)
	WHERE COALESCE((SELECT generation FROM number_digests WHERE one_row = 1), 0) = $7`

func (t pans) Put(p store.SealedPAN) error {
	return t.session.Change(putPAN, db.OrEmpty(p.Digest.First), db.OrNull(p.Digest.Second),
		db.OrEmpty(p.Sealed), p.LastFour, p.BinID, p.CardID, p.Digest.Generation)
}
