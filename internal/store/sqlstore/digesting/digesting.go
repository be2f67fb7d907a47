// Package digesting holds the SQL of the keys under which the numbers of cards are digested, and of
// the second digests. What they mean is told in package digests.
package digesting

import (
	"mintmark/internal/domain/digests"
	"mintmark/internal/store/sqlstore/db"
)

// Rows are the one row of the table number_digests, and the digests of the table card_numbers.
type Rows struct{ Session db.Session }

const (
	findState = `SELECT phase, key_id, wrapped, next_key_id, next_wrapped, changed_at, generation
		FROM number_digests WHERE one_row = 1`
	firstState = `INSERT INTO number_digests (one_row, phase, key_id, wrapped, next_key_id,
			next_wrapped, changed_at, generation)
		VALUES (1, $1, $2, $3, $4, $5, $6, 1)`
	nextState = `UPDATE number_digests SET phase = $1, key_id = $2, wrapped = $3, next_key_id = $4,
			next_wrapped = $5, changed_at = $6, generation = generation + 1
		WHERE one_row = 1 AND generation = $7`

	// Both counts come from indexes, which a look at the rows themselves would be slower than.
	countNumbers = `SELECT COUNT(*) FROM card_numbers`
	countSeconds = `SELECT COUNT(*) FROM card_numbers WHERE second_digest IS NOT NULL`

	listMissing = `SELECT card_id, sealed FROM card_numbers
		WHERE card_id > $1 AND second_digest IS NULL ORDER BY card_id LIMIT 0 + $2`
	putSecond = `UPDATE card_numbers SET second_digest = $1
		WHERE card_id = $2 AND second_digest IS NULL`

	// The index of the second digests holds what is left to be moved.
	move = `UPDATE card_numbers SET digest = second_digest, second_digest = NULL,
			digest_key = COALESCE((SELECT key_id FROM number_digests WHERE one_row = 1), 0)
		WHERE card_id IN (SELECT card_id FROM card_numbers WHERE second_digest IS NOT NULL
			ORDER BY second_digest LIMIT 0 + $1)`
)

// Find returns the State. A database without a row has had no rotation.
func (t Rows) Find() (digests.State, error) {
	s := digests.State{Phase: digests.OneKey}
	_, err := db.Find(t.Session, []any{&s.Phase, &s.Key.ID, &s.Key.Wrapped, &s.Next.ID,
		&s.Next.Wrapped, db.Time{To: &s.Changed}, &s.Generation}, findState)
	return s, err
}

// Put replaces the generation that was read.
func (t Rows) Put(s digests.State) error {
	values := []any{string(s.Phase), s.Key.ID, db.OrNull(s.Key.Wrapped), s.Next.ID,
		db.OrNull(s.Next.Wrapped), db.Millis(s.Changed)}
	if s.Generation == 0 {
		return t.Session.Write(firstState, values...)
	}
	return t.Session.Change(nextState, append(values, s.Generation)...)
}

// Count counts the numbers, and the second digests.
func (t Rows) Count() (numbers, seconds int64, err error) {
	err = t.Session.Query(db.Row([]any{&numbers}, countNumbers),
		db.Row([]any{&seconds}, countSeconds))
	return numbers, seconds, err
}

// List returns numbers without a second digest.
func (t Rows) List(after, limit int) ([]digests.Sealed, error) {
	return db.List(t.Session, func(row db.Scan) (digests.Sealed, error) {
		var s digests.Sealed
		err := row(&s.CardID, &s.Sealed)
		return s, err
	}, listMissing, after, limit)
}

// PutSecond gives a number its second digest.
func (t Rows) PutSecond(cardID int, second []byte) error {
	return t.Session.Change(putSecond, db.OrEmpty(second), cardID)
}

// ChangeFirst has second digests take the place of the first.
func (t Rows) ChangeFirst(limit int) (int, error) {
	moved, err := t.Session.Exec(move, limit)
	return int(moved), err
}
