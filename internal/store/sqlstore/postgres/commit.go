package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"mintmark/internal/store"
)

// How long a commit may take, and how long its outcome is looked for when it was not answered.
const (
	commitTime = 10 * time.Second
	settleTime = 5 * time.Second
	settleStep = 100 * time.Millisecond
)

// errNoAnswer is a commit of which nobody knows whether it is done.
var errNoAnswer = errors.New("postgres: the commit was not answered")

// commit sends what still waits together with the commit. When the error is errNoAnswer, its
// outcome can be asked for by the token that was written last.
//
// A commit is not interrupted when the caller gives up: a server that waits for its standby would
// then say that it is done, and warn that the standby has not got it. It has a time limit of its
// own, at which the connection is given up.
func (s *session) commit() error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if !s.open && len(s.waiting) == 0 {
		s.opening = nil // the closure has done nothing
		return nil
	}
	all, err := s.last()
	if err != nil {
		return err
	}
	answered, err := s.commitNow(commitTime, all)
	switch {
	case err == nil:
		return nil
	case answered:
		return s.classify(context.Background(), err) // nothing is kept
	case !s.wrote:
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err) // there is nothing to keep
	}
	return errors.Join(errNoAnswer, err)
}

// last are the statements that still wait, and the token behind them. The token begins with the
// time that it is now at the server, which therefore has to be known.
func (s *session) last() ([]statement, error) {
	if !s.wrote {
		return nil, nil
	}
	waiting := s.waiting
	s.waiting = nil
	if err := s.begin(); err != nil {
		return nil, err
	}
	s.kept = newToken(s.began.at + time.Since(s.began.known).Milliseconds())
	return append(waiting, statement{text: keepToken, args: []any{s.kept}}), nil
}

// commitNow sends statements and the commit of the transaction. Without an error it is kept, on
// disk and on the standby; with an error that the server has answered it is not.
func (s *session) commitNow(limit time.Duration, all []statement) (answered bool, err error) {
	conn := s.conn.Conn().PgConn()
	delete(conn.CustomData(), warnedKey)
	all = append(all, statement{text: "COMMIT", read: isCommitted})
	err = within(limit, conn, func() error { return s.send(context.Background(), all) })
	if err == nil && conn.CustomData()[warnedKey] == nil {
		s.open = false
		return true, nil
	}
	if err == nil {
		return false, errNoStandby
	}
	// A server that has refused a statement goes on to talk. One that ends may say anything. The
	// severity is also sent in the language of the server, which is not to be gone by.
	var coded *pgconn.PgError
	refused := errors.As(err, &coded) && coded.SeverityUnlocalized == "ERROR"
	return refused && !conn.IsClosed(), err
}

var (
	errNoStandby = errors.New("postgres: committed, and not on the standby")
	errNoCommit  = errors.New("postgres: the server has not committed")
)

// isCommitted reads the answer to COMMIT, which may also be that everything was rolled back.
func isCommitted(rows pgx.Rows) error {
	rows.Close()
	if rows.Err() == nil && rows.CommandTag().String() != "COMMIT" {
		return errNoCommit
	}
	return rows.Err()
}

// within runs something that talks to a server, which has to answer in a time. The limit is that
// of the connection, because the driver asks a server to interrupt what passes any other.
func within(limit time.Duration, conn *pgconn.PgConn, talk func() error) error {
	if err := conn.Conn().SetDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	err := talk()
	if conn.IsClosed() {
		return err
	}
	return errors.Join(err, conn.Conn().SetDeadline(time.Time{}))
}
