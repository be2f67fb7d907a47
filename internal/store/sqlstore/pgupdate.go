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
	t := &pgTx{&tx{
		reader:  reader{ctx: ctx, session: one, began: p.beganAt(ctx, one), keeps: true},
		touched: &touched{}, // there is no cache that would have to forget it
	}}
	err = t.verdict(fn(t))
	if errors.Is(one.failure, errCollision) {
		// Whatever the closure has made of it, it was told nothing true.
		return one.failure
	}
	for _, failed := range []error{err, one.failure} {
		if failed != nil {
			return failed
		}
	}
	err = one.commit(ctx)
	if errors.Is(err, errNoAnswer) {
		// The question needs a connection, and many may have to ask at the same time.
		one.giveUp()
		return p.resolve(one, err)
	}
	return err
}

// BeginUpdate is the statement that asks the server when an Update began.
const BeginUpdate = `SELECT CAST(FLOOR(EXTRACT(EPOCH FROM now()) * 1000) AS BIGINT)`

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
		s.began.known = time.Now()
		return rows.Scan(&s.began.at)
	}})
}

// errNoTime is a server that has begun a transaction and not said when.
var errNoTime = errors.New("sqlstore: the server has not told the time")

// begin sees to it that the transaction has begun, and that it is known when.
func (s *pgSession) begin(ctx context.Context) error {
	if !s.began.known.IsZero() {
		return nil
	}
	if err := s.trip(ctx); err != nil {
		return err
	}
	if s.began.known.IsZero() {
		return errNoTime
	}
	return nil
}

// beganAt is when an Update began, by the clock of the server: the clocks of the nodes may differ.
// The server says so along with its first answer, and is asked for nothing else when the time is
// needed before.
func (p *Postgres) beganAt(ctx context.Context, one *pgSession) began {
	var at time.Time
	return func() (time.Time, error) {
		if !at.IsZero() {
			return at, nil
		}
		if err := one.begin(ctx); err != nil {
			return time.Time{}, err
		}
		now := one.began.at
		if p.clock != nil {
			now = p.clock().UnixMilli()
		}
		at = time.UnixMilli(p.notBefore(now)).UTC()
		return at, nil
	}
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

// pgTx finds and writes.
type pgTx struct{ *tx }

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
