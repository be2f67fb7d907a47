package sqlstore

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations
var migrations embed.FS

// migrateAttempts bounds how often a migration is tried that another process may be making at
// the same time.
const migrateAttempts = 5

// migrate brings the tables of a SQLite database up to date. Nothing happens when they are.
func migrate(ctx context.Context, db *sql.DB) error {
	provider, err := migrator(db)
	if err != nil {
		return err
	}
	// Two processes that open a new file at the same moment make the same tables, and one of
	// them fails. It is done as soon as nothing is left to do, whoever did it.
	for range migrateAttempts {
		_, err = provider.Up(ctx)
		if err == nil {
			return nil
		}
	}
	return fmt.Errorf("bring the tables up to date: %w", classifySQLite(err))
}

// migrator knows the migrations of SQLite.
func migrator(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations/sqlite")
	if err != nil {
		return nil, fmt.Errorf("sqlstore: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files,
		goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return nil, fmt.Errorf("sqlstore: %w", err)
	}
	return provider, nil
}
