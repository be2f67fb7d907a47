package sqlstore

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"mintmark/internal/store"
)

// Postgres is a store.Store on a PostgreSQL server, which any number of nodes may share. The
// queries are those of the embedded store. What is different is how they travel: each trip to the
// server costs more than the query, so a transaction begins along with its first query, and what
// it only writes waits for the commit.
type Postgres struct {
	pool *pgxpool.Pool

	// clock replaces the clock of the database server, in tests. Without it all nodes go by the
	// server's, so that nobody changes a card before another node has made it.
	clock func() time.Time

	// byID and byTag gather the requests for standings.
	byID, byTag gatherer

	// newest is the time of the newest Update of this process, in milliseconds.
	newest atomic.Int64

	// resolve finds out what has become of a commit that was not answered. It is settle.
	resolve func(one *pgSession, cause error) error

	// sweeping ends the sweeping of old tokens, and waits for it.
	sweeping func()
}

var _ store.Store = (*Postgres)(nil)

// OpenPostgres opens the database that a connection string names and brings its tables up to date.
// The string may name several servers; whichever of them can be written to is used.
func OpenPostgres(ctx context.Context, url string, options ...Option) (*Postgres, error) {
	config, err := postgresConfig(url)
	if err != nil {
		return nil, err
	}
	return openPostgres(ctx, config, options)
}

func openPostgres(
	ctx context.Context, config *pgxpool.Config, options []Option,
) (*Postgres, error) {
	if err := migratePostgres(ctx, config.ConnConfig); err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("sqlstore: %w", err)
	}
	var set Store
	for _, option := range options {
		option(&set)
	}
	p := &Postgres{pool: pool, clock: set.clock}
	p.byID.ask = func(all []*wanted) { p.glance(standingsByID, all) }
	p.byTag.ask = func(all []*wanted) { p.glance(standingsByTag, all) }
	p.resolve = p.settle
	p.sweeping = p.startSweeping()
	return p, nil
}

// beginView begins a transaction that sees one stable picture.
const beginView = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// View runs a closure over one stable picture.
func (p *Postgres) View(ctx context.Context, fn func(store.Reader) error) error {
	one, err := p.take(ctx)
	if err != nil {
		return err
	}
	defer one.release()
	one.opening = []statement{{text: beginView}}
	return fn(&reader{ctx: ctx, session: one, began: p.viewTime()})
}

// FindStanding is what most requests that read ask for.
func (p *Postgres) FindStanding(
	ctx context.Context, programID, customerID int, of store.CardKey,
) (store.Standing, error) {
	gather := &p.byID
	switch {
	case of.ID == 0 && of.Else != "":
		// Nobody asks in this way but older callers.
		return findStanding(ctx, p, programID, customerID, of)
	case of.ID == 0:
		gather = &p.byTag
	}
	return gather.find(ctx, &wanted{programID: programID, customerID: customerID, of: of})
}

// FindHoldings is asked for when there are many cards.
func (p *Postgres) FindHoldings(
	ctx context.Context, programID, customerID int,
) (store.Holdings, error) {
	return findHoldings(ctx, p, programID, customerID)
}

// FindFewHoldings is the query for all cards of a customer.
func (p *Postgres) FindFewHoldings(
	ctx context.Context, programID, customerID int,
) (store.Holdings, error) {
	return findFewHoldings(ctx, p, programID, customerID)
}

// glanceTime is how long it may take to find what requests want that were gathered. Each of them
// may give up before.
const glanceTime = 10 * time.Second

// glance finds what is wanted, for one request or for many.
func (p *Postgres) glance(text string, all []*wanted) {
	ctx, cancel := context.WithTimeout(context.Background(), glanceTime)
	defer cancel()
	one, err := p.take(ctx)
	if err == nil {
		defer one.release()
		one.apart = true
		err = (&reader{ctx: ctx, session: one, began: p.viewTime()}).findStandings(text, all)
	}
	if err != nil {
		for _, one := range all {
			one.err = err
		}
	}
}

// Close waits for the transactions that run and ends the store.
func (p *Postgres) Close() error {
	p.sweeping()
	p.pool.Close()
	return nil
}

// take waits for a free connection.
func (p *Postgres) take(ctx context.Context) (*pgSession, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	conn, err := p.pool.Acquire(ctx)
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	return &pgSession{conn: conn}, nil
}

// How long things may take that have no time limit of their own in a connection string.
const (
	connectTime = 3 * time.Second
	// lockTime is how long a statement waits for others that hold what it needs.
	lockTime = "5s"
	// idleTime is after how long the server ends a transaction whose node says nothing more.
	idleTime = "30s"
	// cancelTime is how long a server may take to interrupt a statement before the connection is
	// given up.
	cancelTime = time.Second
)

// SessionsAtOnce is how many transactions of a node run side by side, unless pool_max_conns in
// the connection string says otherwise. A database server does not get faster beyond a few for
// each of its cores.
const SessionsAtOnce = 16

func postgresConfig(url string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The error of the driver shows the string, but for the password.
		return nil, fmt.Errorf("sqlstore: %w", err)
	}
	set := config.ConnConfig
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = SessionsAtOnce
	}
	if !strings.Contains(url, "connect_timeout") {
		set.ConnectTimeout = connectTime
	}
	if set.ValidateConnect == nil {
		set.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	for name, value := range map[string]string{
		"application_name":                    "mintmark",
		"lock_timeout":                        lockTime,
		"idle_in_transaction_session_timeout": idleTime,
		// A commit is answered when it is on disk, and on the standby where there is one.
		"synchronous_commit": "on",
		// Every query has an index. A table that is read through while it is small would make
		// transactions collide that have nothing to do with each other.
		"enable_seqscan":  "off",
		"plan_cache_mode": "force_generic_plan",
		// So does one that is joined whole. Every join is of few rows to what an index finds.
		"enable_hashjoin":  "off",
		"enable_mergejoin": "off",
		// What has to be read whole all the same looks so costly then that the server would
		// translate it into machine code each time.
		"jit": "off",
	} {
		if _, said := set.RuntimeParams[name]; !said {
			set.RuntimeParams[name] = value
		}
	}
	set.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelTime}
	}
	set.OnNotice = noteWarning
	return config, nil
}

// unreachable is the error of a connection that could not be had.
func unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
}

// noteWarning keeps in mind that the server has warned: see commit.
func noteWarning(conn *pgconn.PgConn, notice *pgconn.Notice) {
	if notice.Code == codeWarning {
		conn.CustomData()[warnedKey] = true
	}
}
