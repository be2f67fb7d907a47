package sqlstore

import "context"

// session is one connection to a database and all that the queries know of it. It serves one
// transaction at a time. Its errors are classified: see dialect.
type session interface {
	// exec runs a statement and returns how many rows it changed.
	exec(ctx context.Context, text string, args ...any) (int64, error)
	// write runs a statement at the latest when the transaction commits. An error of it shows
	// here, or in what is asked of the session later.
	write(ctx context.Context, text string, args ...any) error
	// change runs a statement that has to change exactly one row. Any other number of rows is
	// store.ErrLostUpdate, which shows here or later, as with write, and ends the transaction.
	change(ctx context.Context, text string, args ...any) error
	// insert runs a statement that inserts a row, and returns its number, which is in a column.
	insert(ctx context.Context, column, text string, args ...any) (int, error)
	// query hands the rows to a function, one after the other. The function must not use the
	// session.
	query(ctx context.Context, each func(scan) error, text string, args ...any) error
	// queryRow returns the scan of the first row, which answers store.ErrNotFound without one.
	queryRow(ctx context.Context, text string, args ...any) scan
	close() error
}

// scan copies the columns of a row to where the arguments point, each to a text, a whole number, a
// truth value, bytes, or what a timeColumn or jsonColumn refers to. NULL is the zero value: what is
// not there looks like what was never set.
type scan func(columns ...any) error
