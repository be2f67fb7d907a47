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

// How often and for how long an Update that collides with others is tried.
const (
	maxTries  = 50
	retryTime = 10 * time.Second
	// freeTries is how many tries run beside others. Later tries take a lock, so that transactions
	// that have collided run one after the other, on all nodes, and each succeeds.
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

// pause waits a random time before another try, so that two transactions that have collided do not
// meet again.
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
		// The error of the closure does not count: what it read was not one consistent state.
		return s.failure
	}
	for _, failed := range []error{err, s.failure} {
		if failed != nil {
			return failed
		}
	}
	err = s.commit()
	if errors.Is(err, errNoAnswer) {
		// resolve needs a connection, and many Updates may need one for that at the same time.
		s.giveUp()
		return e.resolve(s, err)
	}
	return err
}

// openUpdate returns the statements with which an Update begins. Tries that take turns lock a table
// that no other statement locks like this, before the transaction takes its snapshot.
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
