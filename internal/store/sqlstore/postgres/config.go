package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"mintmark/internal/store"
)

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

// connectionsAtOnce is how many transactions of a node run side by side, unless pool_max_conns in
// the connection string says otherwise. A database server does not get faster beyond a few for
// each of its cores.
const connectionsAtOnce = 16

func poolConfig(url string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The error of the driver shows the string, but for the password.
		return nil, fmt.Errorf("postgres: %w", err)
	}
	set := config.ConnConfig
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = connectionsAtOnce
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

// acquire waits for a free connection.
func (e *Engine) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	return conn, nil
}
