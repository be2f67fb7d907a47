package sqlstore

import (
	"context"
	"database/sql"
	"errors"
)

// session is one connection to a database and all that the queries know of it. It serves one
// transaction at a time. Its errors are classified: see dialect.
type session interface {
	// exec runs a statement and returns how many rows it changed.
	exec(ctx context.Context, text string, args ...any) (int64, error)
	// write runs a statement at the latest when the transaction commits. An error of it shows
	// here, or in what is asked of the session later.
	write(ctx context.Context, text string, args ...any) error
	// query hands the rows to a function, one after the other. The function must not use the
	// session.
	query(ctx context.Context, each func(scan) error, text string, args ...any) error
	// queryRow returns the scan of the first row, which answers store.ErrNotFound without one.
	queryRow(ctx context.Context, text string, args ...any) scan
	close() error
}

// scan copies the columns of a row.
type scan func(columns ...any) error

// sqlSession is a session on a connection of database/sql. It prepares each statement once.
//
// A context is looked at before each statement and between rows, and not handed to the driver: a
// driver interrupts a running statement by way of a goroutine for each, which costs more than
// the short statements themselves, and a commit must not be cut off in the middle.
type sqlSession struct {
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
	classify func(error) error
}

func newSQLSession(
	ctx context.Context, db *sql.DB, classify func(error) error,
) (*sqlSession, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, classify(err)
	}
	return &sqlSession{conn, make(map[string]*sql.Stmt), classify}, nil
}

func (s *sqlSession) exec(ctx context.Context, text string, args ...any) (int64, error) {
	statement, err := s.prepare(ctx, text)
	if err != nil {
		return 0, err
	}
	result, err := statement.ExecContext(context.WithoutCancel(ctx), args...)
	if err != nil {
		return 0, s.classify(err)
	}
	changed, err := result.RowsAffected()
	return changed, s.classify(err)
}

func (s *sqlSession) write(ctx context.Context, text string, args ...any) error {
	_, err := s.exec(ctx, text, args...)
	return err
}

func (s *sqlSession) query(
	ctx context.Context, each func(scan) error, text string, args ...any,
) error {
	statement, err := s.prepare(ctx, text)
	if err != nil {
		return err
	}
	rows, err := statement.QueryContext(context.WithoutCancel(ctx), args...)
	if err != nil {
		return s.classify(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := each(rows.Scan); err != nil {
			return s.classify(err)
		}
	}
	return s.classify(rows.Err())
}

func (s *sqlSession) queryRow(ctx context.Context, text string, args ...any) scan {
	statement, err := s.prepare(ctx, text)
	if err != nil {
		return func(...any) error { return err }
	}
	row := statement.QueryRowContext(context.WithoutCancel(ctx), args...)
	return func(columns ...any) error { return s.classify(row.Scan(columns...)) }
}

func (s *sqlSession) prepare(ctx context.Context, text string) (*sql.Stmt, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if statement, ok := s.prepared[text]; ok {
		return statement, nil
	}
	statement, err := s.conn.PrepareContext(context.WithoutCancel(ctx), text)
	if err != nil {
		return nil, s.classify(err)
	}
	s.prepared[text] = statement
	return statement, nil
}

func (s *sqlSession) close() error {
	var errs []error
	for _, statement := range s.prepared {
		errs = append(errs, statement.Close())
	}
	return errors.Join(append(errs, s.conn.Close())...)
}
