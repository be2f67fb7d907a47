package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"sync/atomic"

	migrationdriver "modernc.org/sqlite"
	"zombiezen.com/go/sqlite"

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
// for each other elsewhere. What a savepoint needs to be undone stays in memory: it is of no use
// after a crash. A negative cache size is in KiB: room for the upper pages of the indexes of some
// million cards.
//
// The store writes the log back itself, so SQLite does not: see checkpoint. A log that has grown
// beyond its size, in bytes, because a reader held on to it or one transaction was large, shrinks
// to that when it begins anew.
//
// What is deleted is overwritten with zeros, so that a PIN that has expired is not left lying in
// the file. The cheaper FAST leaves traces in pages that have become free. Acts free no pages, only
// the duty that drops old answers does.
var (
	bothSettings   = []string{"busy_timeout = 5000", "foreign_keys = 1"}
	writerSettings = append(bothSettings[:2:2], "journal_mode = WAL", "synchronous = FULL",
		"temp_store = MEMORY", "cache_size = -16000", "wal_autocheckpoint = 0",
		"journal_size_limit = 67108864", "secure_delete = ON")
	readerSettings = append(bothSettings[:2:2], "query_only = 1", "cache_size = -8000")
)

// logLimit is how many pages the log has when it is written back into the file. The next commit
// waits for that. With SQLite's own thousand that would be one commit in a few.
const (
	logLimit      = 8000
	smallLogLimit = 1000 // of a process that gives way to another
)

// Open opens the database in a file, makes the file when there is none, and brings its tables up
// to date. A file that was not closed well is checked first, and refused with ErrDamaged.
func Open(ctx context.Context, path string, options ...Option) (*Store, error) {
	return openFile(ctx, path, writerSettings, options)
}

// openFile opens the database in a file with settings of its own for the writer.
func openFile(
	ctx context.Context, path string, writer []string, options []Option,
) (*Store, error) {
	name := fileName(path)
	var use *users
	err := alone(ctx, home(path), func() error {
		var clean bool
		var err error
		use, clean, err = enter(path)
		if err != nil {
			return err
		}
		if !clean {
			if err := checkAfterCrash(ctx, path); err != nil {
				return err
			}
		}
		// The library for migrations has a driver that takes the settings of writers along.
		return migrateFile(ctx, name+"?"+url.Values{"_pragma": writer}.Encode())
	})
	if err != nil {
		return nil, errors.Join(err, use.abandon())
	}
	s := newStore(sqliteDialect, options)
	s.logLimit = cmp.Or(s.logLimit, logLimit)
	if s.asksForTurn {
		// What it writes goes from the log into the file in small parts, in its own pauses, and
		// not in a large one when a request of the server commits.
		writer = append(writer[:len(writer):len(writer)], "busy_timeout = 0")
		s.logLimit = smallLogLimit
	}
	s.leave = func() error {
		return alone(everyone, home(path), use.leave)
	}
	s.writers, err = openSessions(name, 1, writer)
	if err != nil {
		return nil, errors.Join(err, use.abandon())
	}
	s.readers, err = openSessions(name, max(leastReaders, runtime.NumCPU()), readerSettings)
	if err != nil {
		return nil, errors.Join(err, drain(s.writers), use.abandon())
	}
	// The log was made just now. SQLite puts its name on disk with the first commit, and would not
	// say that it could not.
	if err := syncDirectory(home(path)); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// fileName is what SQLite calls a file.
func fileName(path string) string { return "file:" + url.PathEscape(path) }

// memories counts the databases in memory, for names of their own.
var memories atomic.Int64

// OpenMemory opens an empty database that lives in memory, and only as long as the store. Such a
// database has no room for several who read and write at the same time, so Views and Updates take
// turns.
func OpenMemory(ctx context.Context, options ...Option) (*Store, error) {
	name := fmt.Sprintf("file:/mintmark-%d?vfs=memdb", memories.Add(1))
	// The database is there as long as anybody has it open.
	only, err := openSessions(name, 1, bothSettings)
	if err != nil {
		return nil, err
	}
	if err := migrateFile(ctx, name); err != nil {
		return nil, errors.Join(err, drain(only))
	}
	s := newStore(sqliteDialect, options)
	s.writers, s.readers = only, only
	return s, nil
}

// openSessions opens so many connections to a database.
func openSessions(name string, count int, settings []string) (chan session, error) {
	made := make(chan session, count)
	for range count {
		one, err := newLiteSession(name, settings...)
		if err != nil {
			close(made)
			errs := []error{err}
			for earlier := range made {
				errs = append(errs, earlier.close())
			}
			return nil, errors.Join(errs...)
		}
		made <- one
	}
	return made, nil
}

// migrateFile brings the tables up to date over a connection of its own, of the kind that the
// library for migrations knows.
func migrateFile(ctx context.Context, name string) error {
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return fmt.Errorf("sqlstore: %w", err)
	}
	db.SetMaxOpenConns(1)
	return errors.Join(migrate(ctx, db), db.Close())
}

// classifySQLite goes by the codes that SQLite documents; its messages are for people.
func classifySQLite(err error) error {
	if err == nil {
		return nil
	}
	code := resultCode(err)
	switch code {
	case sqlite.ResultConstraintUnique, sqlite.ResultConstraintPrimaryKey,
		sqlite.ResultConstraintRowID:
		return fmt.Errorf("%w: %w", store.ErrExists, err)
	}
	switch code.ToPrimary() {
	case sqlite.ResultBusy:
		return fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrBusy, err)
	case sqlite.ResultLocked, sqlite.ResultProtocol, sqlite.ResultCantOpen,
		sqlite.ResultIOErr, sqlite.ResultFull, sqlite.ResultReadOnly:
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return fmt.Errorf("sqlstore: %w", err)
}

// resultCode returns the code of an error of either driver.
func resultCode(err error) sqlite.ResultCode {
	var migrating *migrationdriver.Error
	if errors.As(err, &migrating) {
		return sqlite.ResultCode(migrating.Code())
	}
	return sqlite.ErrCode(err)
}
