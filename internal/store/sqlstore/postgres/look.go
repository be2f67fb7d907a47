package postgres

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"mintmark/internal/store/sqlstore/db"
)

// Condition is the result of examining a PostgreSQL server.
type Condition struct {
	Version          int               // as in 150004
	Now              time.Time         // by its clock
	Settings         map[string]string // those that determine whether an answered commit is durable
	Local, Encrypted bool              // the connection
	Invalid          []string          // constraints and indexes that are not valid for all rows
	BadPages         int64             // pages with a wrong checksum
}

// LookInto runs a closure that reads a database, over a connection configured like those of serve.
// It changes nothing.
func LookInto(
	ctx context.Context, url string, fn func(db.Session) error,
) (*Condition, error) {
	config, err := poolConfig(url)
	if err != nil {
		return nil, err
	}
	config.MinConns, config.MaxConns = 0, 1
	// The catalog of the server is read by sequential scans.
	delete(config.ConnConfig.RuntimeParams, "enable_seqscan")
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	defer pool.Close()
	e := &Engine{pool: pool}
	c := &Condition{Settings: make(map[string]string)}
	err = e.View(ctx, func(s db.Session) error {
		if err := c.look(s); err != nil {
			return err
		}
		return fn(s)
	})
	return c, err
}

const (
	serverSettings = `SELECT name, setting FROM pg_settings WHERE name IN ('fsync',
		'full_page_writes', 'synchronous_commit', 'data_checksums', 'server_version',
		'server_version_num')`
	serverState = `SELECT CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT),
		COALESCE(host(inet_server_addr()), ''),
		COALESCE((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), FALSE),
		COALESCE((SELECT checksum_failures FROM pg_stat_database
			WHERE datname = current_database()), 0)`
	serverInvalid = `SELECT conrelid::regclass || '.' || conname FROM pg_constraint
			WHERE NOT convalidated AND connamespace = CAST(current_schema() AS regnamespace)
		UNION ALL SELECT CAST(indexrelid::regclass AS TEXT) FROM pg_index
			WHERE NOT indisvalid`
)

// look reads the settings and the state of the server.
func (c *Condition) look(s db.Session) error {
	err := s.Query(db.Query{Text: serverSettings, Each: func(row db.Scan) error {
		var name, value string
		err := row(&name, &value)
		c.Settings[name] = value
		return err
	}})
	if err != nil {
		return err
	}
	c.Version, err = strconv.Atoi(c.Settings["server_version_num"])
	if err != nil {
		return fmt.Errorf("postgres: read the server version: %w", err)
	}
	var address string
	err = s.Query(
		db.Row([]any{db.Time{To: &c.Now}, &address, &c.Encrypted, &c.BadPages}, serverState),
		db.Rows(&c.Invalid, func(row db.Scan) (string, error) {
			var name string
			err := row(&name)
			return name, err
		}, serverInvalid))
	// Without an address the connection is a Unix socket.
	parsed, notAddress := netip.ParseAddr(address)
	c.Local = address == "" || notAddress == nil && parsed.IsLoopback()
	return err
}
