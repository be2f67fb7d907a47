package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"mintmark/internal/store"
)

// How long a commit may take, and how long its outcome is looked for when it was not answered.
const (
	commitTime = 10 * time.Second
	settleTime = 5 * time.Second
	settleStep = 100 * time.Millisecond
)

// What is kept in mind beside a connection.
const (
	timelineKey = "timeline"
	warnedKey   = "warned"
)

// errNoAnswer is a commit of which nobody knows whether it is done.
var errNoAnswer = errors.New("sqlstore: the commit was not answered")

// commit sends what still waits together with the commit.
//
// A commit is not interrupted when the caller gives up: a server that waits for its standby would
// then say that it is done, and warn that the standby has not got it. It has a time limit of its
// own, at which the connection is given up.
func (s *pgSession) commit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(s.opening) > 0 {
		if len(s.waiting) == 0 {
			s.opening = nil // the closure has done nothing
			return nil
		}
		// Without an answer to the opening, the outcome could not be asked for.
		waiting := s.waiting
		s.waiting = nil
		if err := s.trip(ctx); err != nil {
			return err
		}
		s.waiting = waiting
	}
	conn := s.conn.Conn().PgConn()
	delete(conn.CustomData(), warnedKey)
	all := append(s.waiting, statement{text: "COMMIT"})
	s.waiting = nil
	err := within(commitTime, conn, func() error { return s.send(context.Background(), all) })
	var coded *pgconn.PgError
	switch {
	case err == nil && conn.CustomData()[warnedKey] == nil:
		s.open = false
		return nil
	case errors.As(err, &coded) && coded.Severity == "ERROR":
		return s.classify(context.Background(), err) // the server has answered: nothing is kept
	}
	s.open = false
	return errors.Join(errNoAnswer, err)
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

// timeline names the line of history that a server is on. A standby that takes over begins a new
// one, where the number of a transaction may be given a second time.
const timeline = `substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)`

// askOutcome asks what has become of a transaction. It also writes, so that the answer comes only
// when everything before it is on disk and on the standby.
const askOutcome = `SELECT COALESCE(pg_xact_status(CAST($1 AS xid8)), ''), ` + timeline + `,
	CAST(pg_logical_emit_message(true, 'mintmark', 'settled') AS TEXT)`

// settle finds out whether a transaction was kept whose commit was not answered. What cannot be
// found out in time is answered as that.
func (p *Postgres) settle(one *pgSession, cause error) error {
	begun := one.conn.Conn().PgConn().CustomData()[timelineKey]
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	for ctx.Err() == nil {
		outcome, line, err := p.outcome(ctx, one.beginning.id)
		switch {
		case err == nil && line != begun:
			return fmt.Errorf("%w: another server leads: %w", store.ErrUnknownOutcome, cause)
		case err == nil && outcome == "committed":
			return nil
		case err == nil && outcome == "aborted":
			return fmt.Errorf("%w: %w", store.ErrUnavailable, cause)
		}
		time.Sleep(settleStep)
	}
	return fmt.Errorf("%w: %w", store.ErrUnknownOutcome, cause)
}

func (p *Postgres) outcome(ctx context.Context, id string) (outcome, line string, err error) {
	conn, err := p.pool.Acquire(ctx)
	if err != nil {
		return "", "", err
	}
	defer conn.Release()
	plain := conn.Conn().PgConn()
	delete(plain.CustomData(), warnedKey)
	err = within(settleTime, plain, func() error {
		var position string
		return conn.QueryRow(context.Background(), askOutcome, id).Scan(&outcome, &line, &position)
	})
	if err == nil && plain.CustomData()[warnedKey] != nil {
		err = errNoAnswer
	}
	return outcome, line, err
}
