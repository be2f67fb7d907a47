package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"runtime"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mintmark/internal/store"
)

// sqliteDialect takes the write lock when an Update begins. A transaction that reads first and
// locks later can find that somebody else has written in between, and would have to start again.
var sqliteDialect = dialect{
	beginView:   "BEGIN DEFERRED",
	beginUpdate: "BEGIN IMMEDIATE",
	groupLimit:  groupLimit,
	embedded:    true,
	classify:    classifySQLite,
}

// leastReaders is how many Views run side by side on a small machine.
const leastReaders = 4

// Settings of a connection. FULL makes every commit wait for the disk. The time limit, in
// milliseconds, is for other processes that write to the same file: the Updates of this one wait
// for each other elsewhere.
const (
	bothSettings   = "_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)"
	writerSettings = bothSettings + "&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"
	readerSettings = bothSettings + "&_pragma=query_only(1)"
)

// Open opens the database in a file, makes the file when there is none, and brings its tables up
// to date.
func Open(ctx context.Context, path string, options ...Option) (*Store, error) {
	name := "file:" + url.PathEscape(path) + "?"
	writing, err := openSQLite(ctx, name+writerSettings, 1, migrate)
	if err != nil {
		return nil, err
	}
	readers := max(leastReaders, runtime.NumCPU())
	reading, err := openSQLite(ctx, name+readerSettings, readers, nil)
	if err != nil {
		return nil, errors.Join(err, writing.close())
	}
	s := newStore(sqliteDialect, options)
	s.writers, s.readers = writing.sessions, reading.sessions
	s.close = func() error { return errors.Join(writing.db.Close(), reading.db.Close()) }
	return s, nil
}

// OpenMemory opens an empty database that lives in memory, and only as long as the store. Such a
// database belongs to one connection, so Views and Updates take turns.
func OpenMemory(ctx context.Context, options ...Option) (*Store, error) {
	only, err := openSQLite(ctx, "file::memory:?"+bothSettings, 1, migrate)
	if err != nil {
		return nil, err
	}
	s := newStore(sqliteDialect, options)
	s.writers, s.readers = only.sessions, only.sessions
	s.close = only.db.Close
	return s, nil
}

// connections are sessions on one database, as many as there will ever be.
type connections struct {
	db       *sql.DB
	sessions chan session
}

// openSQLite connects. What has to be done before the connections are taken is handed in.
func openSQLite(
	ctx context.Context, name string, count int, first func(context.Context, *sql.DB) error,
) (connections, error) {
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return connections{}, fmt.Errorf("sqlstore: %w", err)
	}
	// Idle connections are kept: the first one is the database when that lives in memory.
	db.SetMaxOpenConns(count)
	db.SetMaxIdleConns(count)
	made := connections{db, make(chan session, count)}
	if first != nil {
		if err := first(ctx, db); err != nil {
			return connections{}, errors.Join(err, made.close())
		}
	}
	for range count {
		one, err := newSQLSession(ctx, db, classifySQLite)
		if err != nil {
			return connections{}, errors.Join(err, made.close())
		}
		made.sessions <- one
	}
	return made, nil
}

// close ends connections that no store has taken over yet.
func (c connections) close() error {
	close(c.sessions)
	var errs []error
	for one := range c.sessions {
		errs = append(errs, one.close())
	}
	return errors.Join(append(errs, c.db.Close())...)
}

// classifySQLite goes by the codes that SQLite documents; its messages are for people.
func classifySQLite(err error) error {
	var coded *sqlite.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return store.ErrNotFound
	case errors.Is(err, sql.ErrConnDone), errors.Is(err, driver.ErrBadConn):
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	case !errors.As(err, &coded):
		return err
	}
	switch coded.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
		sqlite3.SQLITE_CONSTRAINT_ROWID:
		return fmt.Errorf("%w: %w", store.ErrExists, err)
	}
	// The low byte is the kind of fault, the rest says more about it.
	switch coded.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL,
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL:
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return fmt.Errorf("sqlstore: %w", err)
}
