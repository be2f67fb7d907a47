// Package tables brings the tables of an embedded database up to date: a new database gets the
// newest ones directly, an older one by the migrations. It also provides an empty database with the
// newest tables, for databases that live in memory. Package sqlite owns connections and
// transactions.
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
// needs. It does nothing if they are up to date.
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

// begin creates the newest tables in a database that has none, in one transaction, and reports
// whether it did.
func begin(ctx context.Context, db *sql.DB) (begun bool, err error) {
	var tables int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables)
	if err != nil || tables > 0 {
		return false, err
	}
	if _, err := db.ExecContext(ctx, "BEGIN;\n"+newest+"COMMIT"); err != nil {
		return false, fmt.Errorf("create the tables: %w", err)
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
		return fmt.Errorf("migrate the schema: %w", err)
	}
	return nil
}

// empty holds the result of Empty, which is built once in a process.
var empty struct {
	sync.Mutex
	image []byte
}

// Empty returns an empty database with the newest tables, as serialized by SQLite. The caller must
// not change it.
func Empty() ([]byte, error) {
	empty.Lock()
	defer empty.Unlock()
	if empty.image != nil {
		return empty.image, nil
	}
	image, err := makeEmpty()
	if err != nil {
		return nil, fmt.Errorf("create an empty database: %w", err)
	}
	empty.image = image
	return image, nil
}

// newest creates the tables that the migrations create, and the rows that they write. The test of
// this package generates it: running all migrations takes six times as long, and every new database
// would wait for them.
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
