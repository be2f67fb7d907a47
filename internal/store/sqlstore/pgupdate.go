package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"mintmark/internal/card"
	"mintmark/internal/store"
)

// How often, and for how long, an Update is tried that gets in the way of others.
const (
	maxTries  = 50
	retryTime = 10 * time.Second
	// freeTries are those that do not take turns. Beyond them, transactions that have collided
	// come one after the other, on all nodes, so that each gets through.
	freeTries = 2
)

// Update runs a closure and keeps what it wrote, all of it or nothing.
func (p *Postgres) Update(ctx context.Context, fn func(store.Tx) error) error {
	end := time.Now().Add(retryTime)
	for try := 1; ; try++ {
		err := p.attempt(ctx, fn, try > freeTries)
		if !errors.Is(err, errCollision) {
			return err
		}
		if try == maxTries || time.Now().After(end) {
			return fmt.Errorf("%w: after %d tries: %w", store.ErrUnavailable, try, err)
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}

// pause waits before another try, long enough for those who were in the way to be done, and not
// as long as they wait themselves.
func pause(ctx context.Context, try int) error {
	longest := min(time.Duration(try)*2*time.Millisecond, 20*time.Millisecond)
	timer := time.NewTimer(rand.N(longest))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// attempt runs the closure in one transaction.
func (p *Postgres) attempt(ctx context.Context, fn func(store.Tx) error, inTurn bool) error {
	one, err := p.take(ctx)
	if err != nil {
		return err
	}
	defer one.release()
	one.opening = one.openUpdate(inTurn)
	t := &pgTx{store: p, pg: one, tx: &tx{
		reader:  reader{ctx: ctx, session: one, keeps: true},
		touched: &touched{}, // there is no cache that would have to forget it
	}}
	err = fn(t)
	if errors.Is(one.failure, errCollision) {
		// Whatever the closure has made of it, it was told nothing true.
		return one.failure
	}
	for _, failed := range []error{err, t.failure, one.failure} {
		if failed != nil {
			return failed
		}
	}
	err = one.commit(ctx)
	if errors.Is(err, errNoAnswer) {
		return p.settle(one, err)
	}
	return err
}

// beginning is what the server says when an Update begins.
type beginning struct {
	id  string // of the transaction, by which its outcome can be asked for
	now int64  // milliseconds
}

// BeginUpdate is the statement that asks for it.
const BeginUpdate = `SELECT CAST(pg_current_xact_id() AS TEXT),
	CAST(FLOOR(EXTRACT(EPOCH FROM now()) * 1000) AS BIGINT)`

// openUpdate are the statements with which an Update begins. Taking turns is a lock that nothing
// else asks for; it comes before the picture is taken that the transaction sees.
func (s *pgSession) openUpdate(inTurn bool) []statement {
	opening := []statement{{text: "BEGIN ISOLATION LEVEL SERIALIZABLE"}}
	if inTurn {
		opening = append(opening,
			statement{text: "LOCK TABLE access_revision IN SHARE ROW EXCLUSIVE MODE"})
	}
	return append(opening, statement{text: BeginUpdate, read: func(rows pgx.Rows) error {
		if !rows.Next() {
			return rows.Err()
		}
		return rows.Scan(&s.beginning.id, &s.beginning.now)
	}})
}

// pgTx finds and writes.
type pgTx struct {
	*tx
	store *Postgres
	pg    *pgSession
}

// Now is the time at which the transaction began, by the clock of the server: the clocks of the
// nodes may differ.
func (t *pgTx) Now() time.Time {
	if !t.now.IsZero() {
		return t.now
	}
	now := time.Now().UnixMilli()
	if t.pg.beginning.id == "" {
		// When this fails so does the transaction, whatever time it takes this to be.
		_ = t.pg.trip(t.ctx)
	}
	if t.pg.beginning.id != "" {
		now = t.pg.beginning.now
	}
	if t.store.clock != nil {
		now = t.store.clock().UnixMilli()
	}
	t.now = time.UnixMilli(t.store.notBefore(now)).UTC()
	return t.now
}

// notBefore returns a time, or that of the newest Update: a clock that is set back must not make a
// change older than what it changes.
func (p *Postgres) notBefore(now int64) int64 {
	for {
		newest := p.newest.Load()
		if now <= newest {
			return newest
		}
		if p.newest.CompareAndSwap(newest, now) {
			return now
		}
	}
}

// PutAttempt notes the time of the transaction.
func (t *pgTx) PutAttempt(cardID int, kind store.AttemptKind) error {
	t.Now()
	return t.tx.PutAttempt(cardID, kind)
}

// PutLease goes by the time of the transaction.
func (t *pgTx) PutLease(l store.Lease) error {
	t.Now()
	return t.tx.PutLease(l)
}

// keepUp moves the numbering of cards past one that was numbered by hand.
const keepUp = `SELECT setval('cards_card_id_seq', $1) FROM cards_card_id_seq
	WHERE last_value < $1`

// PutCard inserts or changes a card.
func (t *pgTx) PutCard(c *card.Card) error {
	byHand := c.ID != 0 && c.Revision == 0
	if err := t.tx.PutCard(c); err != nil || !byHand {
		return err
	}
	return t.write(keepUp, c.ID)
}
