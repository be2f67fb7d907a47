package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"zombiezen.com/go/sqlite"

	"mintmark/internal/store/sqlstore/db"
)

// Look is the result of examining the file of a database from outside.
type Look struct {
	Version  string   // of SQLite
	LogBytes int64    // length of the log
	Damage   []string // found by a deep examination, one line per problem
}

// LookInto runs a closure that reads the file of a database. It changes nothing: the log is not
// written back, because after a crash it may hold pages that are not on disk. A server may have the
// file open. If deep is set, LookInto also checks every page. If that finds damage, the error of
// the closure is dropped.
func LookInto(
	ctx context.Context, path string, deep bool, fn func(db.Session) error,
) (Look, error) {
	var look Look
	on, err := openToLook(path)
	if err != nil {
		return look, err
	}
	defer func() { _ = on.close() }() // it has written nothing
	if log, err := os.Stat(path + "-wal"); err == nil {
		look.LogBytes = log.Size()
	}
	err = on.row(ctx, []any{&look.Version}, "SELECT sqlite_version()")
	if err == nil {
		err = fn(&session{ctx: ctx, on: on, now: time.Now().UTC().Truncate(time.Millisecond)})
	}
	if deep {
		var failed error
		look.Damage, failed = check(ctx, on, deep)
		err = errors.Join(err, failed)
	}
	if len(look.Damage) > 0 {
		return look, nil
	}
	if isCorrupt(err) && !deep {
		return look, damaged(path, []string{err.Error()})
	}
	return look, err
}

// openToLook opens a file for reading. Other processes may have it open.
func openToLook(path string) (*connection, error) {
	name := fileName(path)
	_, err := os.Stat(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		// No other process has it open. Opening it in the usual way would create a log file.
		name += "?immutable=1"
		err = nil
	}
	if err != nil {
		return nil, err
	}
	conn, err := sqlite.OpenConn(name, sqlite.OpenReadOnly, sqlite.OpenURI)
	if err != nil {
		return nil, classify(err)
	}
	return configured(conn, bothSettings)
}
