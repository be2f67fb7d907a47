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
	began   began

	// noTime is why the time of the transaction could not be had. What was decided without it
	// must not count, so this error comes before all others.
	noTime error

	// seen are the cards that were read or written in an Update, as they are stored, the latest
	// last: what was read once need not be read again to see what changes. A View keeps none.
	seen  []card.Card
	keeps bool
}

var _ store.Reader = (*reader)(nil)

// began tells when a transaction began. It is a function, because a server may have to be asked:
// a query that needs the time cannot overlook that.
type began func() (time.Time, error)

// beganAt is a transaction whose time is known.
func beganAt(at time.Time) began {
	return func() (time.Time, error) { return at, nil }
}

// Now is the time of the transaction.
func (r *reader) Now() time.Time {
	now, err := r.began()
	if err != nil {
		r.noTime = err
	}
	return now
}

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

// verdict is the error with which a transaction ends whose closure has returned one, or none.
func (t *tx) verdict(err error) error {
	for _, failed := range []error{t.noTime, err, t.failure} {
		if failed != nil {
			return failed
		}
	}
	return nil
}

// failed notes the outcome of a write and returns it.
func (t *tx) failed(err error) error {
	if t.failure == nil {
		t.failure = err
	}
	return err
}
