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

// The timeouts of a commit and of the search for the outcome of an unanswered one, which is queried
// every outcomeStep.
const (
	commitTime  = 10 * time.Second
	outcomeTime = 5 * time.Second
	outcomeStep = 100 * time.Millisecond
)

// errNoAnswer is the error of a commit whose outcome is unknown.
var errNoAnswer = errors.New("postgres: no response to the commit")

// commit sends the queued statements together with the COMMIT. After errNoAnswer the outcome can be
// queried by the token, which is written last.
//
// The end of the caller's context does not interrupt a commit: a server that is interrupted while
// it waits for its standby reports success, with a warning that the standby may lack the commit. A
// commit has its own timeout, after which the connection is closed.
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
		return s.classify(context.Background(), err) // nothing is committed
	case !s.wrote:
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err) // there is nothing to commit
	}
	return errors.Join(errNoAnswer, err)
}

// last returns the queued statements followed by the one that writes the token. The token begins
// with the current time of the server, so the transaction must have begun.
func (s *session) last() ([]statement, error) {
	if !s.wrote {
		return nil, nil
	}
	waiting := s.waiting
	s.waiting = nil
	if err := s.begin(); err != nil {
		return nil, err
	}
	s.lastToken = newToken(s.began.at + time.Since(s.began.known).Milliseconds())
	return append(waiting, statement{text: insertToken, args: []any{s.lastToken}}), nil
}

// commitNow sends statements and the COMMIT. If the error is nil, the transaction is committed, on
// disk and on the standby. If the server has answered with an error, nothing is committed.
func (s *session) commitNow(limit time.Duration, all []statement) (answered bool, err error) {
	conn := s.conn.Conn().PgConn()
	delete(conn.CustomData(), warnedKey)
	all = append(all, statement{text: "COMMIT", read: isCommitted})
	ctx := context.WithoutCancel(s.ctx) // it keeps the trace
	err = within(limit, conn, func() error { return s.send(ctx, all) })
	if err == nil && conn.CustomData()[warnedKey] == nil {
		s.open = false
		return true, nil
	}
	if err == nil {
		return false, errNoStandby
	}
	// Only an ERROR on a connection that stays open is an answer: a server that shuts down may send
	// anything. The field Severity is translated into the language of the server.
	var coded *pgconn.PgError
	refused := errors.As(err, &coded) && coded.SeverityUnlocalized == "ERROR"
	return refused && !conn.IsClosed(), err
}

var (
	errNoStandby = errors.New("postgres: committed, but not on the standby")
	errNoCommit  = errors.New("postgres: the server did not commit")
)

// isCommitted reads the answer to COMMIT, which is ROLLBACK if the transaction had failed.
func isCommitted(rows pgx.Rows) error {
	rows.Close()
	if rows.Err() == nil && rows.CommandTag().String() != "COMMIT" {
		return errNoCommit
	}
	return rows.Err()
}

// within runs a function that talks to a server, with a deadline on the connection. A context would
// not do: when it ends, the driver asks the server to interrupt the statement, and a commit must
// not be interrupted.
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
