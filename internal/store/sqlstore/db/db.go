// Package db defines what the SQL of package sqlstore needs of a database: an Engine, which runs
// transactions, and a Session, which is one transaction. Packages sqlite and postgres are the
// engines. Package db knows no table.
package db

import (
	"context"
	"time"

	"mintmark/internal/store"
)

// Engine runs transactions. Its errors are those of package store; no error of a driver leaves it
// unclassified.
type Engine interface {
	// Read runs a closure in which each Query sees a snapshot of its own. It takes a connection at
	// the first query, so a closure that is answered by a cache takes none.
	Read(ctx context.Context, fn func(Session) error) error
	// View runs a closure in which all queries see one snapshot.
	View(ctx context.Context, fn func(Session) error) error
	// Update runs a closure in a serializable transaction and keeps what it wrote, or nothing. The
	// closure may run more than once and in another goroutine. Once its Session has failed,
	// nothing is kept: the transaction ends with the error of the closure or, if the closure
	// returns nil, with that failure.
	Update(ctx context.Context, fn func(Session) error) error
	// Dispatch is an Update that is not serializable: each statement sees what was committed before
	// it.
	Dispatch(ctx context.Context, fn func(Session) error) error
	// BatchesReads says that concurrent lookups are worth sending in one statement, because the
	// database is reached over a network.
	BatchesReads() bool
	// Close waits for running transactions and ends the engine.
	Close() error
}

// Session is one transaction. An error of Write or Change is returned by the call itself, by a
// later call, or by the commit. A Session is not safe for concurrent use.
type Session interface {
	// Now is the time of the transaction by the clock of the engine: whole milliseconds, UTC. Each
	// call returns the same time. The first may need a round trip to a server, which can fail.
	Now() (time.Time, error)

	// Unfinished says which transactions may still commit rows that this session does not see yet.
	Unfinished() (Unfinished, error)

	// Query runs queries over one snapshot; on a server, in one round trip.
	Query(queries ...Query) error

	// Exec runs a statement and returns how many rows it changed.
	Exec(text string, args ...any) (int64, error)
	// Write runs a statement, at the latest when the transaction commits.
	Write(text string, args ...any) error
	// Change is a Write that must change exactly one row; otherwise it is store.ErrLostUpdate.
	Change(text string, args ...any) error
	// Insert runs an INSERT and returns the number that the database has given the row.
	Insert(into Serial, text string, args ...any) (int, error)
	// Number returns a number for the next row, or 0 where Insert numbers it.
	Number(of Serial) (int, error)
	// AdvanceSequence moves the numbering past the number of a row that was inserted with its own.
	AdvanceSequence(past Serial, number int) error

	// Lane is a number above 0 that Updates which run at the same time seldom have in common. It is 0
	// where they run one at a time, and outside of them.
	Lane() int

	// Locking ends a query of a Dispatch for rows o that are then changed: rows that another
	// transaction is changing are left out, and the others are locked. It is empty where
	// transactions that write run one at a time.
	Locking() string

	// Fail makes the transaction fail with an error, even if the closure returns nil, and returns
	// the error. The first failure counts. A nil error does nothing.
	Fail(err error) error
}

// Unfinished separates transactions that have ended from those that may still run. PostgreSQL calls
// it the xmin of a snapshot.
type Unfinished struct {
	// InOrder says that rows become visible in the order of their numbers. Oldest means nothing
	// then.
	InOrder bool
	// Oldest is the number of the oldest transaction that runs and has a number. All with lower
	// ones have ended, and the session sees what they have kept.
	Oldest int64
}

// Serial is a column that the database numbers.
type Serial struct{ Table, Column string }

// Query is a query and the function that takes each of its rows. The function must not use the
// session.
type Query struct {
	Text string
	Args []any
	Each func(Scan) error
}

// Scan copies the columns of a row to its arguments: pointers to a text, a whole number, a truth
// value or bytes, a Time or a JSON. NULL becomes the zero value.
type Scan func(columns ...any) error

// Row returns a query for one row, which is copied to into. Without a row nothing is copied.
func Row(into []any, text string, args ...any) Query {
	return Query{Text: text, Args: args, Each: func(row Scan) error { return row(into...) }}
}

// Rows returns a query whose rows are appended to a list.
func Rows[T any](into *[]T, read func(Scan) (T, error), text string, args ...any) Query {
	return Query{Text: text, Args: args, Each: func(row Scan) error {
		item, err := read(row)
		*into = append(*into, item)
		return err
	}}
}

// Find runs a query for one row, and reports whether there was one.
func Find(s Session, into []any, text string, args ...any) (ok bool, err error) {
	err = s.Query(Query{Text: text, Args: args, Each: func(row Scan) error {
		ok = true
		return row(into...)
	}})
	return ok, err
}

// One returns the first row that a query finds, and store.ErrNotFound when there is none.
func One[T any](s Session, read func(Scan) (T, error), text string, args ...any) (T, error) {
	rows, err := List(s, read, text, args...)
	if err == nil && len(rows) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		var none T
		return none, err
	}
	return rows[0], nil
}

// Put inserts a row when the revision is 0, and otherwise changes exactly that revision of it. Both
// statements take the same arguments; the update takes the revision after them.
func Put(s Session, revision int, insert, update string, args ...any) error {
	if revision == 0 {
		return s.Write(insert, args...)
	}
	return s.Change(update, append(args, revision)...)
}

// List returns every row that a query finds.
func List[T any](s Session, read func(Scan) (T, error), text string, args ...any) ([]T, error) {
	var items []T
	if err := s.Query(Rows(&items, read, text, args...)); err != nil {
		return nil, err
	}
	return items, nil
}
