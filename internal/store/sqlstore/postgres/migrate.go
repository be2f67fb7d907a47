package postgres

import (
	"context"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"mintmark/internal/store/sqlstore/migrations"
)

// How often, in seconds, and how many times a node asks whether another has finished migrating.
const (
	migrateAsk   = 1
	migrateTimes = 300
)

// MigrateTo makes the tables of an earlier version, for rows of that version. Tables that are newer
// stay as they are.
func MigrateTo(ctx context.Context, url string, version int64) error {
	config, err := poolConfig(url)
	if err != nil {
		return err
	}
	return migrate(ctx, config.ConnConfig, version)
}

// newest stands for all migrations.
const newest = math.MaxInt64

// migrate brings the tables of a PostgreSQL database up to date, or to a version. Nodes that are
// started together wait for each other.
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
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(migrateAsk, migrateTimes))
	if err != nil {
		return fmt.Errorf("postgres: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true),
		goose.WithSessionLocker(locker))
	if err != nil {
		return fmt.Errorf("postgres: %w", err)
	}
	// Most starts find nothing to do, and need not wait for the lock to see that.
	pending, err := provider.HasPending(ctx)
	if err == nil && !pending {
		return nil
	}
	if _, err := provider.UpTo(ctx, version); err != nil {
		return fmt.Errorf("bring the tables up to date: %w", err)
	}
	return nil
}
