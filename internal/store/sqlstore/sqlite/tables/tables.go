// Package tables brings the tables of an embedded database up to date: a new database gets the
// newest ones at once, an older one by the migrations. It also keeps a database with the newest
// tables and nothing in them, for those that live in memory. Connections and transactions are those
// of package sqlite.
package tables

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"sync"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the driver that goose needs
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"mintmark/internal/store/sqlstore/migrations"
)

// Update brings the tables of a database up to date, over a database/sql connection, which goose
// needs. Nothing happens when they are.
func Update(ctx context.Context, name string) error {
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	begun, err := begin(ctx, db)
	if err == nil && !begun {
		err = migrate(ctx, db)
	}
	return errors.Join(err, db.Close())
}

// begin makes the newest tables in a database that has none, in one transaction, and reports whether
// it did.
func begin(ctx context.Context, db *sql.DB) (begun bool, err error) {
	var tables int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables)
	if err != nil || tables > 0 {
		return false, err
	}
	if _, err := db.ExecContext(ctx, "BEGIN;\n"+newest+"COMMIT"); err != nil {
		return false, fmt.Errorf("make the tables: %w", err)
	}
	return true, nil
}

func migrate(ctx context.Context, db *sql.DB) error {
	files, err := migrations.For(migrations.SQLite)
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files,
		goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("bring the tables up to date: %w", err)
	}
	return nil
}

// empty is what Empty returns. It is made once in a process.
var empty struct {
	sync.Mutex
	image []byte
}

// Empty returns a database with the newest tables as SQLite serializes it. It is not to be changed.
func Empty() ([]byte, error) {
	empty.Lock()
	defer empty.Unlock()
	if empty.image != nil {
		return empty.image, nil
	}
	image, err := makeEmpty()
	if err != nil {
		return nil, fmt.Errorf("make an empty database: %w", err)
	}
	empty.image = image
	return image, nil
}

// newest makes the tables that the migrations make, and the rows that they write. It is printed by
// the test of this package, because to run all migrations takes six times as long, which each new
// database would wait for.
//
//go:embed newest.sql
var newest string

func makeEmpty() (image []byte, err error) {
	conn, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := sqlitex.ExecuteScript(conn, newest, nil); err != nil {
		return nil, err
	}
	return conn.Serialize("main")
}
