package sqlstore

import (
	"mintmark/internal/domain/digests"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// cardNumbers implements store.CardNumbers on the tables card_numbers and number_digests.
type cardNumbers struct{ *tx }

// A PAN is found by its digest, because encrypting the same PAN twice gives two different
// ciphertexts. During the rotation of a digest key it has two digests: see package digests.
const (
	hasPAN       = `SELECT EXISTS (SELECT 1 FROM card_numbers WHERE digest = $1)`
	hasPANOfEach = `SELECT EXISTS (SELECT 1 FROM card_numbers
		WHERE digest = $1 OR second_digest = $2)`
)

func (t cardNumbers) Has(number digests.Number) (ok bool, err error) {
	return ok, t.session.Query(queryPAN(&ok, number))
}

// queryPAN returns the query that reports whether a PAN was ever issued.
func queryPAN(ok *bool, number digests.Number) db.Query {
	if number.Second != nil {
		return db.Row([]any{ok}, hasPANOfEach, number.First, number.Second)
	}
	return db.Row([]any{ok}, hasPAN, number.First)
}

func (t cardNumbers) Count(binID int) (int64, error) {
	var count int64
	err := t.find([]any{&count}, `SELECT COUNT(*) FROM card_numbers WHERE bin_id = $1`, binID)
	return count, err
}

// The join ensures that the card belongs to the program.
const (
	selectPAN = `SELECT n.card_id, n.bin_id, n.digest, n.second_digest, n.digest_key, n.sealed,
			n.last_four
		FROM card_numbers n JOIN cards c ON c.card_id = n.card_id`
	findPAN  = selectPAN + ` WHERE c.program_id = $1 AND c.card_id = $2`
	listPANs = selectPAN + ` WHERE c.program_id = $1 AND c.card_id > $2
		ORDER BY c.card_id LIMIT 0 + $3`
)

func panInto(p *store.SealedNumber) []any {
	return []any{&p.CardID, &p.BinID, &p.Digest.First, &p.Digest.Second, &p.Digest.Key, &p.Sealed,
		&p.LastFour}
}

func (t cardNumbers) Find(programID, cardID int) (store.SealedNumber, error) {
	return findOne(t.tx, panInto, findPAN, programID, cardID)
}

func (t cardNumbers) ListOfProgram(programID, after, limit int) ([]store.SealedNumber, error) {
	return db.List(t.session, readInto(panInto), listPANs, programID, after, limit)
}

// Without ON CONFLICT, a PAN that was issued before is rejected with store.ErrExists. No row is
// written if the digests are of another generation: they could miss a PAN that is already issued.
const putPAN = `INSERT INTO card_numbers (digest, second_digest, sealed, last_four, bin_id, card_id,
		digest_key)
	SELECT $1, $2, $3, $4, $5, $6,
		COALESCE((SELECT key_id FROM number_digests WHERE one_row = 1), 0)
	WHERE COALESCE((SELECT generation FROM number_digests WHERE one_row = 1), 0) = $7`

func (t cardNumbers) Put(p store.SealedNumber) error {
	return t.session.Change(putPAN, db.OrEmpty(p.Digest.First), db.OrNull(p.Digest.Second),
		db.OrEmpty(p.Sealed), p.LastFour, p.BinID, p.CardID, p.Digest.Generation)
}

const (
	findDigestState = `SELECT phase, key_id, wrapped, next_key_id, next_wrapped, changed_at,
			generation
		FROM number_digests WHERE one_row = 1`
	insertDigestState = `INSERT INTO number_digests (one_row, phase, key_id, wrapped, next_key_id,
			next_wrapped, changed_at, generation)
		VALUES (1, $1, $2, $3, $4, $5, $6, 1)`
	updateDigestState = `UPDATE number_digests SET phase = $1, key_id = $2, wrapped = $3,
			next_key_id = $4,
			next_wrapped = $5, changed_at = $6, generation = generation + 1
		WHERE one_row = 1 AND generation = $7`

	// Both counts come from indexes, which is faster than reading the rows.
	countCardNumbers   = `SELECT COUNT(*) FROM card_numbers`
	countSecondDigests = `SELECT COUNT(*) FROM card_numbers WHERE second_digest IS NOT NULL`

	listUndigested = `SELECT card_id, sealed FROM card_numbers
		WHERE card_id > $1 AND second_digest IS NULL ORDER BY card_id LIMIT 0 + $2`
	putSecondDigest = `UPDATE card_numbers SET second_digest = $1
		WHERE card_id = $2 AND second_digest IS NULL`

	// The index on second digests holds the rows that are still to be moved.
	moveSecondDigests = `UPDATE card_numbers SET digest = second_digest, second_digest = NULL,
			digest_key = COALESCE((SELECT key_id FROM number_digests WHERE one_row = 1), 0)
		WHERE card_id IN (SELECT card_id FROM card_numbers WHERE second_digest IS NOT NULL
			ORDER BY second_digest LIMIT 0 + $1)`
)

// FindDigestState returns the stored digests.State. A database without a row has had no rotation.
func (t cardNumbers) FindDigestState() (digests.State, error) {
	s := digests.State{Phase: digests.OneKey}
	_, err := db.Find(t.session, []any{&s.Phase, &s.Key.ID, &s.Key.Wrapped, &s.Next.ID,
		&s.Next.Wrapped, db.Time{To: &s.Changed}, &s.Generation}, findDigestState)
	return s, err
}

// PutDigestState replaces the generation that was read.
func (t cardNumbers) PutDigestState(s digests.State) error {
	values := []any{string(s.Phase), s.Key.ID, db.OrNull(s.Key.Wrapped), s.Next.ID,
		db.OrNull(s.Next.Wrapped), db.Millis(s.Changed)}
	return db.Put(t.session, s.Generation, insertDigestState, updateDigestState, values...)
}

// CountDigests counts the card numbers and the second digests.
func (t cardNumbers) CountDigests() (numbers, seconds int64, err error) {
	err = t.session.Query(db.Row([]any{&numbers}, countCardNumbers),
		db.Row([]any{&seconds}, countSecondDigests))
	return numbers, seconds, err
}

// ListUndigested returns card numbers without a second digest.
func (t cardNumbers) ListUndigested(after, limit int) ([]digests.Sealed, error) {
	return db.List(t.session, func(row db.Scan) (digests.Sealed, error) {
		var s digests.Sealed
		err := row(&s.CardID, &s.Sealed)
		return s, err
	}, listUndigested, after, limit)
}

// PutSecondDigest stores the second digest of a card number.
func (t cardNumbers) PutSecondDigest(cardID int, second []byte) error {
	return t.session.Change(putSecondDigest, db.OrEmpty(second), cardID)
}

// ChangeFirstDigests replaces first digests with the second ones.
func (t cardNumbers) ChangeFirstDigests(limit int) (int, error) {
	moved, err := t.session.Exec(moveSecondDigests, limit)
	return int(moved), err
}
