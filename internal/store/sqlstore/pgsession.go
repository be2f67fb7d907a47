package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"mintmark/internal/store"
)

// pgSession is a session on a connection to PostgreSQL, for one transaction. Statements that
// nothing is read back from wait, and travel with the next one that is read, or with the commit.
// An error of a statement that has waited shows there.
type pgSession struct {
	conn    *pgxpool.Conn
	opening []statement // to be sent before the first statement of the closure
	waiting []statement
	open    bool // the server may have begun the transaction
	apart   bool // there is no transaction around the queries

	// failure is the first error. The server carries nothing out behind it, so nothing is sent.
	failure error

	began beginning
	wrote bool  // there is something to be kept
	kept  token // the last that is
}

// beginning is when a transaction began, by the clock of the server.
type beginning struct {
	at    int64     // milliseconds
	known time.Time // by the clock of this process; zero before the server has said when
}

// statement is one statement of a trip to the server, and what is done with its answer.
type statement struct {
	text string
	args []any
	read func(pgx.Rows) error // nil when there is nothing to be read
}

var _ session = (*pgSession)(nil)

// maxWaiting bounds what is held back in memory.
const maxWaiting = 256

func (s *pgSession) exec(ctx context.Context, text string, args ...any) (int64, error) {
	var changed int64
	s.wrote = true
	err := s.trip(ctx, statement{text, args, func(rows pgx.Rows) error {
		rows.Close()
		changed = rows.CommandTag().RowsAffected()
		return rows.Err()
	}})
	return changed, err
}

func (s *pgSession) write(ctx context.Context, text string, args ...any) error {
	if s.failure != nil {
		return s.failure
	}
	s.wrote = true
	s.waiting = append(s.waiting, statement{text: text, args: args})
	if len(s.waiting) < maxWaiting {
		return nil
	}
	return s.trip(ctx)
}

// change has the server count the rows itself. The statement may travel together with the commit,
// which the server would carry out before anybody here could count. The division by zero stops
// everything behind it.
func (s *pgSession) change(ctx context.Context, text string, args ...any) error {
	return s.write(ctx, "WITH changed AS ("+text+" RETURNING 1) "+
		"SELECT 1 / CAST(count(*) = 1 AS INT) FROM changed", args...)
}

func (s *pgSession) insert(
	ctx context.Context, column, text string, args ...any,
) (number int, err error) {
	s.wrote = true
	err = s.queryRow(ctx, text+" RETURNING "+column, args...)(&number)
	return number, err
}

func (s *pgSession) query(
	ctx context.Context, each func(scan) error, text string, args ...any,
) error {
	return s.trip(ctx, reading(question{each, text, args}))
}

// together asks several queries in one trip. Where there is no transaction they bring their own.
func (s *pgSession) together(ctx context.Context, questions ...question) error {
	var more []statement
	for _, one := range questions {
		more = append(more, reading(one))
	}
	if !s.apart || len(questions) == 1 {
		return s.trip(ctx, more...)
	}
	s.opening = []statement{{text: beginView}}
	err := s.trip(ctx, append(more, statement{text: "COMMIT"})...)
	if err == nil {
		s.open = false
	}
	return err
}

// reading is the statement of a query.
func reading(a question) statement {
	return statement{a.text, a.args, func(rows pgx.Rows) error {
		for rows.Next() {
			if err := a.each(plainScan(rows)); err != nil {
				return err
			}
		}
		return rows.Err()
	}}
}

func (s *pgSession) queryRow(ctx context.Context, text string, args ...any) scan {
	return func(columns ...any) error {
		found := false
		err := s.trip(ctx, statement{text, args, func(rows pgx.Rows) error {
			if !rows.Next() {
				return rows.Err()
			}
			found = true
			err := plainScan(rows)(columns...)
			rows.Close()
			return err
		}})
		if err == nil && !found {
			return store.ErrNotFound
		}
		return err
	}
}

// trip sends what waits and more, and reads the answers.
func (s *pgSession) trip(ctx context.Context, more ...statement) error {
	if s.failure != nil {
		return s.failure
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	all := slices.Concat(s.opening, s.waiting, more)
	s.open = s.open || len(s.opening) > 0
	s.opening, s.waiting = nil, nil
	if err := s.send(ctx, all); err != nil {
		s.failure = s.classify(ctx, err)
	}
	return s.failure
}

// send makes one trip to the server.
func (s *pgSession) send(ctx context.Context, all []statement) error {
	if len(all) == 1 {
		rows, err := s.conn.Query(ctx, all[0].text, keptTexts(all[0].args)...)
		if err != nil {
			return err
		}
		return receive(rows, all[0].read)
	}
	var batch pgx.Batch
	for _, one := range all {
		batch.Queue(one.text, keptTexts(one.args)...)
	}
	answers := s.conn.SendBatch(ctx, &batch)
	for _, one := range all {
		rows, err := answers.Query()
		if err == nil {
			err = receive(rows, one.read)
		}
		if err != nil {
			// The server has passed over what came behind.
			_ = answers.Close()
			return err
		}
	}
	return answers.Close()
}

// receive reads the answer to a statement to its end.
func receive(rows pgx.Rows, read func(pgx.Rows) error) error {
	defer rows.Close()
	if read != nil {
		if err := read(rows); err != nil {
			return err
		}
	}
	rows.Close()
	return rows.Err()
}

// endTime is how long the end of a transaction that keeps nothing may take.
const endTime = 2 * time.Second

// release ends a transaction that was not committed, and gives the connection back. One that does
// not answer is given up. It may be called twice.
func (s *pgSession) release() {
	if s.conn == nil {
		return
	}
	defer func() {
		s.conn.Release()
		s.conn = nil
	}()
	if !s.open || s.conn.Conn().IsClosed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	_, err := s.conn.Exec(ctx, "ROLLBACK")
	if err != nil {
		_ = s.conn.Conn().Close(ctx)
	}
}

// giveUp closes a connection when it is not known what the server is doing with it.
func (s *pgSession) giveUp() {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	_ = s.conn.Conn().Close(ctx)
	s.release()
}

// close is here because a session can be closed; those of PostgreSQL belong to a pool.
func (s *pgSession) close() error {
	s.release()
	return nil
}
