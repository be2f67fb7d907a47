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

// How often and for how long an Update that collides with others is tried.
const (
	// maxCollisions bounds the tries of one Update. An act whose Update was refused is tried again
	// by package issuing, MaxActTries times at most; a collision is not among the reasons.
	maxCollisions = 50
	retryTime     = 10 * time.Second
	// freeTries are those that do not take turns. Beyond them, transactions that have collided
	// come one after the other, on all nodes, so that each gets through.
	freeTries = 2
)

// Update runs a closure in a serializable transaction and keeps what it wrote, or nothing.
// Decision 1 says why not with row locks.
func (e *Engine) Update(ctx context.Context, fn func(db.Session) error) error {
	turn := store.TurnOf(ctx)
	return e.tryAgain(ctx, func(try int) error {
		leave, err := e.turns.take(ctx, turn)
		if err != nil {
			return err
		}
		defer leave()
		return e.attempt(ctx, fn, openUpdate(try > freeTries))
	})
}

// Dispatch runs a closure in a transaction that takes no part in the order of the serializable
// ones. It can still meet another for the same rows.
func (e *Engine) Dispatch(ctx context.Context, fn func(db.Session) error) error {
	return e.tryAgain(ctx, func(int) error {
		return e.attempt(ctx, fn, []statement{{text: beginApart}})
	})
}

// Alone is an Update that begins when no other transaction is writing to some tables any more, and
// that lets none write to them until it has ended.
func (e *Engine) Alone(ctx context.Context, tables []string, fn func(db.Session) error) error {
	// Only LOCK comes before the snapshot of the transaction, see takeTurn.
	lock := "LOCK TABLE " + strings.Join(tables, ", ") + " IN EXCLUSIVE MODE"
	return e.tryAgain(ctx, func(int) error {
		return e.attempt(ctx, fn, append(openUpdate(false), statement{text: lock}))
	})
}

// tryAgain tries a transaction, numbered from 1, until it does not collide with others.
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

// attempt runs the closure in one transaction, which begins with some statements.
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
		// To find the outcome needs a connection, which many may need at the same time.
		s.giveUp()
		return e.findOutcome(s, err)
	}
	return err
}

// takeTurn waits until no other transaction has the turn, and keeps it until the end of this one.
// Only LOCK does so without taking the snapshot of the transaction: behind a function such as
// pg_advisory_xact_lock the snapshot would be older than what the last transaction wrote. The mode
// conflicts with itself, with VACUUM and with changes of the schema, and not with the UPDATE of a
// row. VACUUM hardly ever visits this table, because it has one row, which seldom changes.
const takeTurn = "LOCK TABLE access_revision IN SHARE UPDATE EXCLUSIVE MODE"

// openUpdate are the statements with which an Update begins.
func openUpdate(inTurn bool) []statement {
	opening := []statement{{text: "BEGIN ISOLATION LEVEL SERIALIZABLE"}}
	if inTurn {
		opening = append(opening, statement{text: takeTurn})
	}
	return opening
}

// askTime is the statement that reads when the transaction began.
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
