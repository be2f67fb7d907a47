package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"mintmark/internal/store/sqlstore/migrations"
)

// A node that waits for another to finish migrating checks every migrateAsk seconds, migrateTimes
// times at most.
const (
	migrateAsk   = 1
	migrateTimes = 300
)

// MigrateTo creates the tables of an earlier version, for rows of that version. Newer tables stay
// as they are.
func MigrateTo(ctx context.Context, url string, version int64) error {
	config, err := poolConfig(url)
	if err != nil {
		return err
	}
	return migrate(ctx, config.ConnConfig, version)
}

// newest selects all migrations.
const newest = math.MaxInt64

// migrate brings the tables of a PostgreSQL database up to date, or to a version. Nodes that start
// at the same time wait for each other.
func migrate(ctx context.Context, config *pgx.ConnConfig, version int64) error {
	once := config.Copy()
	// A migration may wait for long transactions.
	delete(once.RuntimeParams, "lock_timeout")
	db := stdlib.OpenDB(*once)
	defer db.Close()
	if err := db.PingContext(ctx); err != nil {
		return unreachable(ctx, err)
	}
	files, err := migrations.For(migrations.PostgreSQL)
	if err != nil {
		return fmt.Errorf("postgres: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("postgres: %w", err)
	}
	// Most starts find nothing to do, and need not wait for the lock to see that.
	pending, err := provider.HasPending(ctx)
	if err == nil && !pending {
		return nil
	}
	err = alone(ctx, db, func(conn *sql.Conn) error {
		if err := dropBrokenIndexes(ctx, conn); err != nil {
			return err
		}
		_, err := provider.UpTo(ctx, version)
		return err
	})
	if err != nil {
		return fmt.Errorf("migrate the schema: %w", err)
	}
	return nil
}

// alone runs a function while no other node migrates the database.
func alone(ctx context.Context, db *sql.DB, fn func(*sql.Conn) error) error {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(migrateAsk, migrateTimes))
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := locker.SessionLock(ctx, conn); err != nil {
		return err
	}
	return errors.Join(fn(conn), locker.SessionUnlock(context.WithoutCancel(ctx), conn))
}

const listBrokenIndexes = `SELECT i.indexrelid::regclass::text FROM pg_index i
	JOIN pg_class c ON c.oid = i.indexrelid
	WHERE NOT i.indisvalid AND c.relnamespace = current_schema()::regnamespace`

// dropBrokenIndexes drops what an interrupted CREATE INDEX CONCURRENTLY has left. The migration,
// when it runs again, would take such an index for its own and leave it as it is: incomplete, and
// ignored by every query.
func dropBrokenIndexes(ctx context.Context, conn *sql.Conn) error {
	rows, err := conn.QueryContext(ctx, listBrokenIndexes)
	if err != nil {
		return err
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, name := range names { // quoted by PostgreSQL
		if _, err := conn.ExecContext(ctx, "DROP INDEX CONCURRENTLY "+name); err != nil {
			return err
		}
	}
	return nil
}
