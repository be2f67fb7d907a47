package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// How often, and for how long, an Update is tried that collides with others.
const (
	maxTries  = 50
	retryTime = 10 * time.Second
	// freeTries are those that do not take turns. Beyond them, transactions that have collided
	// come one after the other, on all nodes, so that each gets through.
	freeTries = 2
)

// Update runs a closure in a serializable transaction and keeps what it wrote, or nothing.
func (e *Engine) Update(ctx context.Context, fn func(db.Session) error) error {
	end := time.Now().Add(retryTime)
	for try := 1; ; try++ {
		err := e.attempt(ctx, fn, try > freeTries)
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

// pause waits before another try: long enough for the other transaction to end, and for a random
// time, so that two that have collided do not meet again.
func pause(ctx context.Context, try int) error {
	longest := min(time.Duration(try)*2*time.Millisecond, 20*time.Millisecond)
	select {
	case <-time.After(rand.N(longest)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// attempt runs the closure in one transaction.
func (e *Engine) attempt(ctx context.Context, fn func(db.Session) error, inTurn bool) error {
	s, err := e.newSession(ctx)
	if err != nil {
		return err
	}
	defer s.release()
	s.opening = s.openUpdate(inTurn)
	err = fn(s)
	if errors.Is(s.failure, errCollision) {
		// Whatever the closure has made of it, what it read was not one state.
		return s.failure
	}
	for _, failed := range []error{err, s.failure} {
		if failed != nil {
			return failed
		}
	}
	err = s.commit()
	if errors.Is(err, errNoAnswer) {
		// The question needs a connection, and many may have to ask at the same time.
		s.giveUp()
		return e.resolve(s, err)
	}
	return err
}

// openUpdate are the statements with which an Update begins. Taking turns is a lock on a table that
// no other statement locks; it comes before the snapshot of the transaction is taken.
func (s *session) openUpdate(inTurn bool) []statement {
	opening := []statement{{text: "BEGIN ISOLATION LEVEL SERIALIZABLE"}}
	if inTurn {
		opening = append(opening,
			statement{text: "LOCK TABLE access_revision IN SHARE ROW EXCLUSIVE MODE"})
	}
	return append(opening, statement{text: serverTime, read: func(rows pgx.Rows) error {
		if !rows.Next() {
			return rows.Err()
		}
		s.began.known = time.Now()
		return rows.Scan(&s.began.at)
	}})
}
