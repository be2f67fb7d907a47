package sqlstore

import (
	"context"
	"maps"
	"slices"
	"time"

	"mintmark/internal/card"
	"mintmark/internal/store"
)

// reader finds what is kept, in one transaction.
type reader struct {
	ctx     context.Context
	session session
	now     time.Time

	// seen are the cards that were read or written in an Update, as they are stored: what was
	// read once need not be read again to see what changes. It is nil in a View.
	seen map[int]card.Card
}

var _ store.Reader = (*reader)(nil)

// Now is the time of the transaction.
func (r *reader) Now() time.Time { return r.now }

// remember keeps cards in mind as they are stored, whatever the closure does to them afterward.
func (r *reader) remember(cards ...card.Card) {
	if r.seen == nil {
		return
	}
	for _, c := range cards {
		c.Slots = clone(c.Slots)
		r.seen[c.ID] = c
	}
}

func clone(s card.Slots) card.Slots {
	return card.Slots{Checking: slices.Clone(s.Checking), Savings: slices.Clone(s.Savings)}
}

// row returns the scan of the first row that a query finds.
func (r *reader) row(text string, args ...any) scan {
	return r.session.queryRow(r.ctx, text, args...)
}

// list returns every row that a query finds, each read by a function.
func list[T any](r *reader, read func(scan) (T, error), text string, args ...any) ([]T, error) {
	var found []T
	err := r.session.query(r.ctx, func(row scan) error {
		one, err := read(row)
		found = append(found, one)
		return err
	}, text, args...)
	if err != nil {
		return nil, err
	}
	return found, nil
}

// tx finds and writes.
type tx struct {
	reader

	// failure is the first write that failed. It ends the transaction even if the closure goes
	// on, because half of what was to be written is worse than none of it.
	failure error

	// touched is what this one has written, and earlier what those before it in the same group
	// have. What both leave alone is as it was when the group began, and as the cache has it.
	touched, earlier *touched
	cache            *cache
}

var _ store.Tx = (*tx)(nil)

// FindStanding answers from memory what nobody has written since the last commit, and keeps such an
// answer there. The caller holds the right to write, so nobody else changes it.
func (t *tx) FindStanding(
	programID, customerID int, of store.CardKey,
) (store.Standing, error) {
	if t.cache == nil {
		return t.reader.FindStanding(programID, customerID, of)
	}
	found, known := t.cache.find(programID, customerID, of)
	if known && t.asCommitted(found) {
		t.remember(found.Card)
		return ownStanding(found), nil
	}
	found, err := t.reader.FindStanding(programID, customerID, of)
	// What was written before a failure is there for a little while, and was not noted.
	if err == nil && t.failure == nil && t.asCommitted(found) {
		t.cache.put(t.cache.begin(), ownStanding(found))
	}
	return found, err
}

// asCommitted reports whether nobody in the group has written what a standing shows.
func (t *tx) asCommitted(found store.Standing) bool {
	return !t.touched.shows(found.Card.ID) && !t.earlier.shows(found.Card.ID)
}

// ownStanding is a standing whose parts are nobody else's: a closure may change what it was handed.
func ownStanding(found store.Standing) store.Standing {
	found.Card.Slots = clone(found.Card.Slots)
	found.Accounts = maps.Clone(found.Accounts)
	return found
}

// write runs a statement that changes rows.
func (t *tx) write(text string, args ...any) error {
	return t.failed(t.session.write(t.ctx, text, args...))
}

// failed notes the outcome of a write and returns it.
func (t *tx) failed(err error) error {
	if t.failure == nil {
		t.failure = err
	}
	return err
}
