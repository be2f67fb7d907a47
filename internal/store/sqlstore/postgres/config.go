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

// Default timeouts, which a connection string does not set.
const (
	connectTime = 3 * time.Second
	// lockTime is how long a statement waits for a lock.
	lockTime = "5s"
	// idleTime is how long a transaction may be idle before the server ends it.
	idleTime = "30s"
	// cancelTime is how long a server may take to interrupt a statement before the connection is
	// closed.
	cancelTime = time.Second
)

// connectionsAtOnce is the size of a node's pool, unless the connection string has pool_max_conns.
// A database server gets no faster with more than a few connections for each of its cores.
const connectionsAtOnce = 16

func poolConfig(url string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The error of the driver shows the connection string without the password.
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
		"application_name":                    "mintmark/2", // see inspect.EarlierNodes
		"lock_timeout":                        lockTime,
		"idle_in_transaction_session_timeout": idleTime,
		// A commit is answered when it is on disk and, if the server has a synchronous standby
		// (synchronous_standby_names), on the standby.
		"synchronous_commit": "on",
		// Every query has an index. A sequential scan of a small table would make unrelated
		// serializable transactions collide.
		"enable_seqscan":  "off",
		"plan_cache_mode": "force_generic_plan",
		// A hash join or a merge join also reads a whole table, with the same collisions. Every
		// join here looks up a few rows in an index.
		"enable_hashjoin":  "off",
		"enable_mergejoin": "off",
		// With these settings, a scan that cannot be avoided looks so expensive that the server
		// would compile the query each time.
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

// unreachable returns the error for a connection that could not be opened.
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
