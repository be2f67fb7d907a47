package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Limits on the attempts of an Update that collides with others.
const (
	// maxCollisions bounds the attempts of one Update. Package issuing retries an act whose Update
	// was rejected, MaxActTries times at most; a collision is not among the reasons.
	maxCollisions = 50
	retryTime     = 10 * time.Second
	// freeTries is the number of attempts that do not take turns. After them, transactions that
	// have collided run one after the other, on all nodes, so that each gets through.
	freeTries = 2
)

// Update runs a closure in a serializable transaction and commits all of its writes, or none.
// Decision 1 says why it does not use row locks.
func (e *Engine) Update(ctx context.Context, fn func(db.Session) error) error {
	turn := store.ContentionOf(ctx)
	return e.tryAgain(ctx, func(try int) error {
		leave, err := e.turns.take(ctx, turn)
		if err != nil {
			return err
		}
		defer leave()
		return e.attempt(ctx, fn, openUpdate(try > freeTries))
	})
}

// Dispatch runs a closure in a transaction that is not serializable. It can still collide with
// another one over the same rows.
func (e *Engine) Dispatch(ctx context.Context, fn func(db.Session) error) error {
	return e.tryAgain(ctx, func(int) error {
		return e.attempt(ctx, fn, []statement{{text: beginReadCommitted}})
	})
}

// Alone is an Update that begins when no other transaction is writing to the given tables any more,
// and that lets none write to them until it has ended.
func (e *Engine) Alone(ctx context.Context, tables []string, fn func(db.Session) error) error {
	// Only LOCK runs before the transaction takes its snapshot: see takeTurn.
	lock := "LOCK TABLE " + strings.Join(tables, ", ") + " IN EXCLUSIVE MODE"
	return e.tryAgain(ctx, func(int) error {
		return e.attempt(ctx, fn, append(openUpdate(false), statement{text: lock}))
	})
}

// tryAgain tries a transaction until an attempt does not collide with others. Attempts are numbered
// from 1.
func (e *Engine) tryAgain(ctx context.Context, attempt func(try int) error) error {
	end := time.Now().Add(retryTime)
	for try := 1; ; try++ {
		err := attempt(try)
		if !errors.Is(err, errCollision) {
			return err
		}
		e.collisions.Add(1)
		if try == maxCollisions || time.Now().After(end) {
			return fmt.Errorf("%w: after %d tries: %w", store.ErrUnavailable, try, err)
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}

// pause waits a random time before another attempt, so that two transactions that have collided do
// not collide again.
func pause(ctx context.Context, try int) error {
	longest := min(time.Duration(try)*2*time.Millisecond, 20*time.Millisecond)
	select {
	case <-time.After(rand.N(longest)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// attempt runs the closure in one transaction, which begins with the given statements.
func (e *Engine) attempt(
	ctx context.Context, fn func(db.Session) error, opening []statement,
) error {
	s, err := e.newSession(ctx)
	if err != nil {
		return err
	}
	defer s.release()
	defer func() { e.numbers.giveBack(s.blocks) }()
	s.opening = append(opening, s.askTime())
	err = fn(s)
	if errors.Is(s.failure, errCollision) {
		// The error of the closure does not count: what it read was not one consistent state.
		return s.failure
	}
	if err := cmp.Or(err, s.failure); err != nil {
		return err
	}
	err = s.commit()
	if errors.Is(err, errNoAnswer) {
		// Finding the outcome takes a connection, which many may need at the same time.
		s.giveUp()
		return e.findOutcome(s, err)
	}
	return err
}

// takeTurn waits until no other transaction has the turn, and holds it until the end of this one.
// Only LOCK does so before the transaction takes its snapshot: after a function such as
// pg_advisory_xact_lock, the snapshot would be older than the writes of the previous holder. The
// mode conflicts with itself, with VACUUM and with changes of the schema, but not with the UPDATE
// of a row. VACUUM hardly ever visits this table, because it has one row, which seldom changes.
const takeTurn = "LOCK TABLE access_revision IN SHARE UPDATE EXCLUSIVE MODE"

// openUpdate returns the statements that begin an Update.
func openUpdate(inTurn bool) []statement {
	opening := []statement{{text: "BEGIN ISOLATION LEVEL SERIALIZABLE"}}
	if inTurn {
		opening = append(opening, statement{text: takeTurn})
	}
	return opening
}

// askTime returns the statement that reads when the transaction began.
func (s *session) askTime() statement {
	sent := s.engine.clock.Engine()
	return statement{text: serverTime, read: func(rows pgx.Rows) error {
		if !rows.Next() {
			return rows.Err()
		}
		if err := rows.Scan(&s.began.at); err != nil {
			return err
		}
		s.began.known = time.Now()
		s.engine.learn(s.began.at, sent)
		return nil
	}}
}
