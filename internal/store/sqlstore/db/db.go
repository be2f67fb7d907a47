// Package db defines what the SQL of package sqlstore needs from a database: an Engine, which runs
// transactions, and a Session, which is one transaction. Packages sqlite and postgres are the
// engines. Package db knows no table.
package db

import (
	"context"
	"time"

	"mintmark/internal/store"
)

// Engine runs transactions. Its errors are those of package store: it classifies every error of its
// driver.
type Engine interface {
	// Read runs a closure in which each Query sees its own snapshot. It takes a connection at the
	// first query, so a closure that is served from a cache takes none.
	Read(ctx context.Context, fn func(Session) error) error
	// View runs a closure in which all queries see one snapshot.
	View(ctx context.Context, fn func(Session) error) error
	// Update runs a closure in a serializable transaction and commits all of its writes, or none.
	// The closure may run more than once and in another goroutine. Once its Session has failed,
	// nothing is committed: Update returns the error of the closure or, if the closure returns nil,
	// that failure.
	Update(ctx context.Context, fn func(Session) error) error
	// Dispatch is an Update that is not serializable: each statement sees everything committed
	// before it.
	Dispatch(ctx context.Context, fn func(Session) error) error
	// BatchesReads reports whether concurrent lookups are worth sending in one statement, because
	// the database is reached over a network.
	BatchesReads() bool
	// Close waits for running transactions and closes the engine.
	Close() error
}

// Session is one transaction. An error of Write or Change is returned by the call itself, by a
// later call, or by the commit. A Session is not safe for concurrent use.
type Session interface {
	// Now returns the time of the transaction by the clock of the engine: whole milliseconds, UTC.
	// Each call returns the same time. The first may need a round trip to a server, which can fail.
	Now() (time.Time, error)

	// Unfinished returns which transactions may still commit rows that this session does not see
	// yet.
	Unfinished() (Unfinished, error)

	// Query runs queries on one snapshot; on a server, in one round trip.
	Query(queries ...Query) error

	// Exec runs a statement and returns the number of rows that it changed.
	Exec(text string, args ...any) (int64, error)
	// Write runs a statement. The engine may defer it until the transaction commits.
	Write(text string, args ...any) error
	// Change is a Write that must change exactly one row; otherwise it fails with
	// store.ErrLostUpdate.
	Change(text string, args ...any) error
	// Insert runs an INSERT and returns the number that the database has assigned to the row.
	Insert(into Serial, text string, args ...any) (int, error)
	// Number returns a number for the next row, or 0 if Insert numbers it.
	Number(of Serial) (int, error)
	// AdvanceSequence moves the sequence past the number of a row that was inserted under a number
	// of the caller's choice.
	AdvanceSequence(past Serial, number int) error

	// Lane returns a number above 0 that concurrent Updates seldom share. It returns 0 if Updates
	// run one at a time, and outside of Updates.
	Lane() int

	// Locking returns the end of a Dispatch query for rows o that are then changed: it skips the
	// rows that another transaction is changing and locks the others. It is empty if writing
	// transactions run one at a time.
	Locking() string

	// Fail makes the transaction fail with an error, even if the closure returns nil, and returns
	// the error. Only the first failure counts. A nil error does nothing.
	Fail(err error) error
}

// Unfinished separates transactions that have ended from those that may still be running.
// PostgreSQL calls this the xmin of a snapshot.
type Unfinished struct {
	// InOrder reports whether rows become visible in the order of their numbers. Oldest has no
	// meaning then.
	InOrder bool
	// Oldest is the number of the oldest running transaction that has a number. All transactions
	// with lower numbers have ended, and the session sees what they have committed.
	Oldest int64
}

// Serial is a column whose values the database numbers.
type Serial struct{ Table, Column string }

// Query is a query and the function that is called with each of its rows. The function must not use
// the session.
type Query struct {
	Text string
	Args []any
	Each func(Scan) error
}

// Scan copies the columns of a row to its arguments: pointers to a string, an integer, a boolean or
// a byte slice, a Time or a JSON. NULL becomes the zero value.
type Scan func(columns ...any) error

// Row returns a query for one row, whose columns are copied to the destinations in into. Without a
// row, nothing is copied.
func Row(into []any, text string, args ...any) Query {
	return Query{Text: text, Args: args, Each: func(row Scan) error { return row(into...) }}
}

// Rows returns a query that appends its rows to a slice.
func Rows[T any](into *[]T, read func(Scan) (T, error), text string, args ...any) Query {
	return Query{Text: text, Args: args, Each: func(row Scan) error {
		item, err := read(row)
		*into = append(*into, item)
		return err
	}}
}

// Find runs a query for one row and reports whether there is one.
func Find(s Session, into []any, text string, args ...any) (ok bool, err error) {
	err = s.Query(Query{Text: text, Args: args, Each: func(row Scan) error {
		ok = true
		return row(into...)
	}})
	return ok, err
}

// One returns the first row of a query, or store.ErrNotFound if there is none.
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

// Put inserts a row if the revision is 0, and otherwise updates exactly that revision of it. Both
// statements take the same arguments; the update takes the revision after them.
func Put(s Session, revision int, insert, update string, args ...any) error {
	if revision == 0 {
		return s.Write(insert, args...)
	}
	return s.Change(update, append(args, revision)...)
}

// List returns all rows of a query.
func List[T any](s Session, read func(Scan) (T, error), text string, args ...any) ([]T, error) {
	var items []T
	if err := s.Query(Rows(&items, read, text, args...)); err != nil {
		return nil, err
	}
	return items, nil
}
