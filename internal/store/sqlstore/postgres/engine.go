// Package postgres is the engine of a PostgreSQL server, which any number of nodes may share. It
// saves round trips, each of which costs more than the statement: BEGIN is sent with the first
// query, and statements that only write are sent with the commit. It retries transactions that
// collide, and finds the outcome of a commit that was not answered. The only table that it reads
// and writes itself is that of its commit tokens. It locks a table to take turns, and listens for
// changes of API keys. The SQL of the acts is in package sqlstore.
package postgres

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"mintmark/internal/base/clock"
	"mintmark/internal/store/sqlstore/db"
)

// Engine runs transactions on a PostgreSQL database.
type Engine struct {
	pool *pgxpool.Pool

	// clock derives business time from the time of the database server, which all nodes share: with
	// their own clocks, a node could change a card before the time at which another created it.
	clock *clock.Clock

	// newest is the server time of the newest Update of this process, in milliseconds.
	newest atomic.Int64
	// setBack is how far the server's clock was set back, a time.Duration, if that exceeds what is
	// tolerated and until HandleClockSetBack has handled it.
	setBack atomic.Int64
	ahead   atomic.Int64 // how far the server's clock is ahead, a time.Duration: see learn

	// findOutcome finds the outcome of a commit that was not answered. It is outcomeByToken, except
	// in tests that show what happens without it.
	findOutcome func(unanswered *session, cause error) error

	collisions atomic.Int64 // of Updates so far, each retried

	turns   turns         // of Updates that would collide
	numbers *numberBlocks // of rows; nil if their INSERT numbers them

	// stopSweep stops the goroutine that deletes old tokens.
	stopSweep func()

	closed atomic.Bool
}

var _ db.Engine = (*Engine)(nil)

// Options configures an engine. The zero value is right for a server.
type Options struct {
	// Clock derives business time from the time of the server; without a Clock they are the same.
	Clock *clock.Clock
	// Blocks takes the IDs of new cards from blocks, see allotments. Otherwise they ascend in the
	// order of time.
	Blocks bool
	// Tracer, if set, is called for each statement.
	Tracer Tracer
}

// Tracer traces statements.
type Tracer = pgx.QueryTracer

// Open opens the database that a connection string names and brings its tables up to date. The
// string may name several servers; the one that accepts writes is used.
func Open(ctx context.Context, url string, options Options) (*Engine, error) {
	config, err := poolConfig(url)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.Tracer = options.Tracer
	return open(ctx, config, options)
}

func open(ctx context.Context, config *pgxpool.Config, options Options) (*Engine, error) {
	if err := migrate(ctx, config.ConnConfig, newest); err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	e := &Engine{pool: pool, clock: options.Clock}
	if options.Blocks {
		e.numbers = &numberBlocks{blocks: make(map[db.Serial][]*block)}
	}
	e.findOutcome = e.outcomeByToken
	if _, err := e.ServerTime(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("postgres: %w", err)
	}
	e.stopSweep = e.startSweep()
	return e, nil
}

// Connections describes the use of the connections to the server.
type Connections struct {
	Used, Idle, Most int
	Waits            int64 // transactions so far that had to wait for a connection
	Collisions       int64 // transactions so far that collided with others
}

// Connections returns the current use of the connections.
func (e *Engine) Connections() Connections {
	state := e.pool.Stat()
	return Connections{
		Used: int(state.AcquiredConns()), Idle: int(state.IdleConns()),
		Most: int(state.MaxConns()), Waits: state.EmptyAcquireCount(),
		Collisions: e.collisions.Load(),
	}
}

// BatchesReads returns true: a round trip costs more than finding the rows of a lookup.
func (e *Engine) BatchesReads() bool { return true }

// Read runs a closure in which each Query sees its own snapshot.
func (e *Engine) Read(ctx context.Context, fn func(db.Session) error) error {
	if e.closed.Load() {
		return errClosed
	}
	s := &session{ctx: ctx, engine: e, autocommit: true, now: e.readTime(ctx)}
	defer s.release()
	return fn(s)
}

// View runs a closure in which all queries see one snapshot.
func (e *Engine) View(ctx context.Context, fn func(db.Session) error) error {
	s, err := e.newSession(ctx)
	if err != nil {
		return err
	}
	defer s.release()
	s.opening, s.now = []statement{{text: beginView}}, e.readTime(ctx)
	return fn(s)
}

// readTime returns the time of a transaction that only reads: that of the server, as far as the
// node knows it.
func (e *Engine) readTime(ctx context.Context) time.Time {
	return clock.TimeOr(ctx, e.clock.At(e.clock.Engine().Add(e.Ahead())))
}

// Ahead returns how far the server's clock is ahead of this node's. It is 0 as long as both may
// show the same time.
func (e *Engine) Ahead() time.Duration { return time.Duration(e.ahead.Load()) }

// ServerTime queries the time by the server's clock.
func (e *Engine) ServerTime(ctx context.Context) (time.Time, error) {
	var now int64
	sent := e.clock.Engine()
	err := e.runAlone(ctx, reading(db.Row([]any{&now}, serverTime)))
	if err != nil {
		return time.Time{}, err
	}
	e.learn(now, sent)
	return time.UnixMilli(now), nil
}

// learn corrects how far the server's clock is ahead if that contradicts a time, in milliseconds,
// that the server has shown between sent and now.
func (e *Engine) learn(shown int64, sent time.Time) {
	least := time.UnixMilli(shown).Sub(e.clock.Engine())
	most := time.UnixMilli(shown + 1).Sub(sent)
	if ahead := e.Ahead(); ahead < least || ahead > most {
		e.ahead.Store(int64(max(least, min(ahead, most))))
	}
}

// Close waits for running transactions and closes the engine.
func (e *Engine) Close() error {
	e.closed.Store(true)
	e.stopSweep()
	e.pool.Close()
	return nil
}
