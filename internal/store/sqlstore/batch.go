package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mintmark/internal/customer"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// batcher answers concurrent lookups of card views with one statement. On a server a statement
// costs more than finding its rows, and so does the round trip, so lookups that would queue travel
// together. A lookup that is alone is sent at once.
type batcher struct {
	byID, byTag batchQueue
}

// batchQueue holds the lookups that wait for a statement of one kind.
type batchQueue struct {
	engine db.Engine
	text   string // of the statement for many lookups

	lock    sync.Mutex
	waiting []*pendingLookup
	sending int // how many batches are under way
}

// lookup names a card view.
type lookup struct {
	programID, customerID int
	of                    store.CardKey
}

// pendingLookup is a lookup that a request waits for.
type pendingLookup struct {
	lookup
	done chan struct{} // closed when the rest is known
	view store.CardView
	err  error
}

// maxBatches is how many batches are under way at once. Fewer put more lookups into each, which
// saves work; more make better use of a server that is far away.
const maxBatches = 2

// batchTime bounds how long a batch may take. A request may give up before.
const batchTime = 10 * time.Second

func newBatcher(engine db.Engine) *batcher {
	return &batcher{
		byID:  batchQueue{engine: engine, text: findViewsByID},
		byTag: batchQueue{engine: engine, text: findViewsByTag},
	}
}

func (b *batcher) find(ctx context.Context, what lookup) (store.CardView, error) {
	if what.of.ID != 0 {
		return b.byID.find(ctx, what)
	}
	return b.byTag.find(ctx, what)
}

// find waits for the answer to a lookup. A batch is sent after all its lookups arrived, so no
// answer is older than its request.
func (q *batchQueue) find(ctx context.Context, what lookup) (store.CardView, error) {
	if err := ctx.Err(); err != nil {
		return store.CardView{}, err
	}
	one := &pendingLookup{lookup: what, done: make(chan struct{})}
	q.lock.Lock()
	q.waiting = append(q.waiting, one)
	if q.sending < maxBatches {
		q.sending++
		go q.send()
	}
	q.lock.Unlock()
	select {
	case <-one.done:
		return one.view, one.err
	case <-ctx.Done():
		return store.CardView{}, ctx.Err()
	}
}

// send sends batches until no lookup waits.
func (q *batchQueue) send() {
	for {
		q.lock.Lock()
		all := q.waiting
		q.waiting = nil
		if len(all) == 0 {
			q.sending--
			q.lock.Unlock()
			return
		}
		q.lock.Unlock()
		q.answer(all)
	}
}

// errBatchPanicked answers the lookups of a batch that has panicked. The process must not end with
// it, as little as it does when a single request panics.
var errBatchPanicked = errors.New("sqlstore: batched lookup panicked")

// answer runs a batch. It is not cancelled when a waiting request is.
func (q *batchQueue) answer(all []*pendingLookup) {
	defer func() {
		cause := recover()
		for _, one := range all {
			if cause != nil {
				one.err = fmt.Errorf("%w: %v", errBatchPanicked, cause)
			}
			close(one.done)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), batchTime)
	defer cancel()
	err := q.engine.Read(ctx, func(s db.Session) error {
		return findViews(&tx{Session: s, run: &transaction{}}, q.text, all)
	})
	for _, one := range all {
		one.err = cmp.Or(one.err, err)
	}
}

// The statements for many lookups take the programs, customers and cards as arrays, and each row
// that they find names its place in them. They are PostgreSQL's alone.
const (
	findViewsByID = `SELECT k.place, ` + viewColumns + `
		FROM unnest(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[]))
			WITH ORDINALITY AS k (program_id, customer_id, card_id, place)
		JOIN customers u ON u.program_id = k.program_id AND u.customer_id = k.customer_id
		JOIN cards c ON c.program_id = k.program_id AND c.card_id = k.card_id
		LEFT JOIN card_slots s ON s.card_id = c.card_id
		LEFT JOIN accounts a ON a.account_id = s.account_id
		ORDER BY k.place`
	findViewsByTag = `SELECT k.place, ` + viewColumns + `
		FROM unnest(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[]), CAST($3 AS TEXT[]))
			WITH ORDINALITY AS k (program_id, customer_id, tag, place)
		JOIN customers u ON u.program_id = k.program_id AND u.customer_id = k.customer_id
		JOIN cards c ON c.program_id = k.program_id AND c.tag = k.tag
		LEFT JOIN card_slots s ON s.card_id = c.card_id
		LEFT JOIN accounts a ON a.account_id = s.account_id
		ORDER BY k.place`
)

// findViews answers one lookup, or many with one statement.
func findViews(t *tx, text string, all []*pendingLookup) error {
	if len(all) == 1 {
		one := all[0]
		one.view, one.err = t.findView(one.programID, one.customerID, one.of)
		return nil
	}
	programs, customers := make([]int, len(all)), make([]int, len(all))
	ids, tags := make([]int, len(all)), make([]string, len(all))
	for i, one := range all {
		programs[i], customers[i] = one.programID, one.customerID
		ids[i], tags[i] = one.of.ID, one.of.Tag
	}
	key := any(ids)
	if all[0].of.ID == 0 {
		key = tags
	}
	var place, last int
	var asks customer.Standing
	var found cardRows
	into := append([]any{&place}, found.into(&asks)...)
	err := t.Query(db.Query{Text: text, Args: []any{programs, customers, key},
		Each: func(row db.Scan) error {
			if err := row(into...); err != nil {
				return err
			}
			if place != last {
				last = place
				found.clear()
			}
			found.add()
			all[place-1].view = found.view(asks)
			return nil
		}})
	if err != nil {
		return err
	}
	return findMissing(t, all)
}

// findMissing takes the second look for lookups without a card or customer, as findAround does for
// one.
func findMissing(t *tx, all []*pendingLookup) error {
	missing := slices.DeleteFunc(slices.Clone(all), func(one *pendingLookup) bool {
		return one.view.Card.ID != 0
	})
	if len(missing) == 0 {
		return nil
	}
	asks, found := make([]customer.Standing, len(missing)), make([]cardRows, len(missing))
	var queries []db.Query
	for i, one := range missing {
		text, args := viewQuery(one.programID, one.customerID, one.of)
		queries = append(queries,
			found[i].query(&asks[i], text, args...),
			db.Row(standingInto(&asks[i]), findStanding, one.programID, one.customerID))
	}
	if err := t.Query(queries...); err != nil {
		return err
	}
	for i, one := range missing {
		one.view = found[i].view(asks[i])
		if asks[i].ID == 0 {
			one.err = store.ErrNotFound
		}
	}
	return nil
}
