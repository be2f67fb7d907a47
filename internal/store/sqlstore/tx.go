package sqlstore

import (
	"context"
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

	// seen are the cards that were read or written in an Update, as they are stored, the latest
	// last: what was read once need not be read again to see what changes. A View keeps none.
	seen  []card.Card
	keeps bool
}

var _ store.Reader = (*reader)(nil)

// Now is the time of the transaction.
func (r *reader) Now() time.Time { return r.now }

// remember keeps cards in mind as they are stored.
func (r *reader) remember(cards ...card.Card) {
	if r.keeps {
		r.seen = append(r.seen, cards...)
	}
}

// sighted returns a card as it is stored, if that is known.
func (r *reader) sighted(cardID int) (c *card.Card, known bool) {
	for i := range slices.Backward(r.seen) {
		if r.seen[i].ID == cardID {
			return &r.seen[i], true
		}
	}
	return &card.Card{}, false
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

	// touched is what this one has written, and those before it in the same group. What they have
	// left alone is as it was when the group began, and as the cache has it.
	touched *touched
	cache   *cache
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
		return found, nil
	}
	found, err := t.reader.FindStanding(programID, customerID, of)
	// What was written before a failure is there for a little while, and was not noted.
	if err == nil && t.failure == nil && t.asCommitted(found) {
		t.cache.put(t.cache.begin(), found)
	}
	return found, err
}

// asCommitted reports whether nobody in the group has written what a standing shows.
func (t *tx) asCommitted(found store.Standing) bool {
	return !t.touched.shows(found.Card.ID)
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
