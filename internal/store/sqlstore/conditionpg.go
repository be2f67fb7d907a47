package sqlstore

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"
)

// ExamineServer looks at a database on a PostgreSQL server, over a connection as serve has them.
func ExamineServer(ctx context.Context, url string) (Condition, error) {
	config, err := postgresConfig(url)
	if err != nil {
		return Condition{}, err
	}
	config.MinConns, config.MaxConns = 0, 1
	// Nothing looked at here is read by way of an index only.
	delete(config.ConnConfig.RuntimeParams, "enable_seqscan")
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return Condition{}, fmt.Errorf("sqlstore: %w", err)
	}
	defer pool.Close()
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return Condition{}, unreachable(ctx, err)
	}
	one := &pgSession{conn: conn, opening: []statement{{text: beginView}}}
	defer one.release()
	c := Condition{Server: &ServerCondition{Settings: make(map[string]string)}}
	if err := c.Server.lookAt(ctx, one); err != nil {
		return c, err
	}
	c.Engine = "PostgreSQL " + c.Server.Settings["server_version"]
	return c, c.lookAt(ctx, one, "migrations/postgres")
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

// lookAt asks the server about itself.
func (s *ServerCondition) lookAt(ctx context.Context, one session) error {
	err := one.query(ctx, func(row scan) error {
		var name, value string
		err := row(&name, &value)
		s.Settings[name] = value
		return err
	}, serverSettings)
	if err != nil {
		return err
	}
	s.Version, err = strconv.Atoi(s.Settings["server_version_num"])
	if err != nil {
		return fmt.Errorf("sqlstore: the version of the server: %w", err)
	}
	var address string
	err = one.queryRow(ctx, serverState)(timeColumn{&s.Now}, &address, &s.Encrypted, &s.BadPages)
	if err != nil {
		return err
	}
	// Without an address it is a socket of this machine.
	parsed, err := netip.ParseAddr(address)
	s.Local = address == "" || err == nil && parsed.IsLoopback()
	return one.query(ctx, func(row scan) error {
		var name string
		err := row(&name)
		s.Invalid = append(s.Invalid, name)
		return err
	}, serverInvalid)
}
