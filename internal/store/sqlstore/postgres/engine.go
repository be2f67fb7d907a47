// Package postgres is the engine of a PostgreSQL server, which any number of nodes may share. It
// owns round trips: each costs more than the statement, so BEGIN is sent with the first query, and
// statements that only write are sent with the commit. It owns the retries of transactions that
// collide, and finds out the outcome of a commit that was not answered. Of the tables it reads and
// writes that of its commit tokens alone. It locks rows to take turns, and listens for changes of
// API keys. The SQL of the acts is that of package sqlstore.
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

	// clock makes business time of the time of the database server, which all nodes share: with
	// their own clocks a node could change a card before the time at which another made it.
	clock *clock.Clock

	// newest is the time of the server at the newest Update of this process, in milliseconds.
	newest atomic.Int64
	// setBack is by how much that was set back further than is passed over, a time.Duration, until
	// MendSetBack has mended it.
	setBack atomic.Int64
	ahead   atomic.Int64 // how far the clock of the server is ahead, a time.Duration: see learn

	// findOutcome finds the outcome of a commit that was not answered. It is outcomeByToken, and
	// another function in tests that show what happens without it.
	findOutcome func(unanswered *session, cause error) error

	collisions atomic.Int64 // of Updates so far, each tried again

	turns   turns       // of Updates that would collide
	numbers *allotments // of rows; nil where their INSERT numbers them

	// stopSweep ends the goroutine that deletes old tokens.
	stopSweep func()

	closed atomic.Bool
}

var _ db.Engine = (*Engine)(nil)

// Options say how an engine works. The zero value is right for a server.
type Options struct {
	// Clock makes business time of the time of the server; without one they are the same.
	Clock *clock.Clock
	// Blocks takes the numbers of new cards in blocks, see allotments. Without it they ascend in the
	// order of time.
	Blocks bool
	// Tracer, where it is set, is told of each statement.
	Tracer Tracer
}

// Tracer is told of each statement.
type Tracer = pgx.QueryTracer

// Open opens the database that a connection string names and brings its tables up to date. The
// string may name several servers; whichever of them can be written to is used.
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
		e.numbers = &allotments{blocks: make(map[db.Serial][]*block)}
	}
	e.findOutcome = e.outcomeByToken
	if _, err := e.ServerTime(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("postgres: %w", err)
	}
	e.stopSweep = e.startSweep()
	return e, nil
}

// Connections is how the connections to the server are used.
type Connections struct {
	Used, Idle, Most int
	Waits            int64 // transactions that had to wait for a connection so far
	Collisions       int64 // transactions that collided with others so far
}

// Connections returns how the connections are used now.
func (e *Engine) Connections() Connections {
	state := e.pool.Stat()
	return Connections{
		Used: int(state.AcquiredConns()), Idle: int(state.IdleConns()),
		Most: int(state.MaxConns()), Waits: state.EmptyAcquireCount(),
		Collisions: e.collisions.Load(),
	}
}

// BatchesReads is true: a round trip costs more than finding the rows of a lookup.
func (e *Engine) BatchesReads() bool { return true }

// Read runs a closure in which each Query sees a snapshot of its own.
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

// readTime is the time of a transaction that only reads: that of the server, as far as the node
// knows it.
func (e *Engine) readTime(ctx context.Context) time.Time {
	return clock.Or(ctx, e.clock.At(e.clock.Engine().Add(e.Ahead())))
}

// Ahead returns how far the clock of the server is ahead of this node's. It is 0 as long as both may
// be the same.
func (e *Engine) Ahead() time.Duration { return time.Duration(e.ahead.Load()) }

// ServerTime asks the server for the time by its clock.
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

// learn corrects how far the clock of the server is ahead, where it has shown a time, in
// milliseconds, that it cannot have shown between sent and now.
func (e *Engine) learn(shown int64, sent time.Time) {
	least := time.UnixMilli(shown).Sub(e.clock.Engine())
	most := time.UnixMilli(shown + 1).Sub(sent)
	if ahead := e.Ahead(); ahead < least || ahead > most {
		e.ahead.Store(int64(max(least, min(ahead, most))))
	}
}

// Close waits for running transactions and ends the engine.
func (e *Engine) Close() error {
	e.closed.Store(true)
	e.stopSweep()
	e.pool.Close()
	return nil
}
