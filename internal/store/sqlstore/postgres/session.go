package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"mintmark/internal/base/clock"
	"mintmark/internal/store/sqlstore/db"
)

// session is one transaction on a connection. Statements whose result is not read are queued, and
// sent with the next query or with the commit, which then returns their errors.
type session struct {
	ctx    context.Context
	engine *Engine
	conn   *pgxpool.Conn // nil between the round trips of a Read, and once released

	opening    []statement // sent before the first statement of the closure
	waiting    []statement
	open       bool // BEGIN was sent
	autocommit bool // each query is its own transaction

	// failure is the first error. The server rejects every later statement, so none is sent.
	failure error

	began     beginning
	now       time.Time // of the transaction, once it is known
	wrote     bool      // there is something to commit
	lastToken token     // written last by commit, to find its outcome by

	blocks map[db.Serial]*block // from which the session takes numbers
}

// beginning is when a transaction began, by the clock of the server.
type beginning struct {
	at    int64     // milliseconds
	known time.Time // when the answer arrived, by the clock of this process; zero before
}

// statement is one statement of a round trip, and the function that reads its result.
type statement struct {
	text string
	args []any
	read func(pgx.Rows) error // nil when the result is not read
}

var _ db.Session = (*session)(nil)

// beginView begins a transaction that sees one snapshot.
const beginView = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// serverTime queries when a transaction began.
const serverTime = `SELECT CAST(FLOOR(EXTRACT(EPOCH FROM now()) * 1000) AS BIGINT)`

// newSession returns a session with a connection.
func (e *Engine) newSession(ctx context.Context) (*session, error) {
	conn, err := e.acquire(ctx)
	if err != nil {
		return nil, err
	}
	return &session{ctx: ctx, engine: e, conn: conn}, nil
}

// maxWaiting bounds the number of queued statements.
const maxWaiting = 256

// Now returns when an Update began, by the server's clock, because the clocks of the nodes may
// differ. The server sends the time with its first answer; if it is needed earlier, Now makes a
// round trip for it. A Read or a View needs no query: see readTime.
func (s *session) Now() (time.Time, error) {
	if !s.now.IsZero() {
		return s.now, nil
	}
	if err := s.begin(); err != nil {
		return time.Time{}, err
	}
	s.now = clock.TimeOr(s.ctx, s.engine.updateTime(s.began.at))
	return s.now, nil
}

// updateTime returns the time of an Update that began at a given time by the server's clock. If
// that clock was set back a little, it returns the time of the newest Update instead: a change must
// not be older than what it changes. It follows a clock that was set back further. Business time
// may be set back, for example when a sandbox is reset.
func (e *Engine) updateTime(began int64) time.Time {
	for {
		newest := e.newest.Load()
		if began <= newest && newest-began <= clock.MaxStep.Milliseconds() {
			began = newest
			break
		}
		if e.newest.CompareAndSwap(newest, began) {
			if began < newest {
				e.setBack.Store(int64(time.Duration(newest-began) * time.Millisecond))
			}
			break
		}
	}
	return e.clock.At(time.UnixMilli(began)).UTC().Truncate(time.Millisecond)
}

// HandleClockSetBack calls a function if the server's clock was set back far since the last
// successful call.
func (e *Engine) HandleClockSetBack(mend func(by time.Duration) error) error {
	by := e.setBack.Load()
	if by == 0 {
		return nil
	}
	if err := mend(time.Duration(by)); err != nil {
		return err
	}
	e.setBack.CompareAndSwap(by, 0)
	return nil
}

// errNoTime is the error of a server that has begun a transaction without sending the time.
var errNoTime = errors.New("postgres: the server did not send its time")

// begin makes a round trip, unless the transaction has begun and its time is known.
func (s *session) begin() error {
	if !s.began.known.IsZero() {
		return nil
	}
	if err := s.trip(); err != nil {
		return err
	}
	if s.began.known.IsZero() {
		return s.Fail(errNoTime)
	}
	return nil
}

// A transaction number has no direct cast to an integer.
const unfinishedQuery = `SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT)`

// Unfinished queries the server.
func (s *session) Unfinished() (u db.Unfinished, err error) {
	_, err = db.Find(s, []any{&u.Oldest}, unfinishedQuery)
	return u, err
}

// Query sends queries in one round trip. In a Read, several queries are sent with their own BEGIN.
func (s *session) Query(queries ...db.Query) error {
	if len(queries) == 0 {
		return nil
	}
	var more []statement
	for _, query := range queries {
		more = append(more, reading(query))
	}
	if !s.autocommit {
		return s.trip(more...)
	}
	// A Read holds no connection between its queries. Its next lookup may be answered by a batch,
	// which needs a connection and would get none if Reads that wait for it held all of them.
	defer s.release()
	if len(queries) == 1 {
		return s.trip(more...)
	}
	s.opening = []statement{{text: beginView}}
	err := s.trip(append(more, statement{text: "COMMIT"})...)
	if err == nil {
		s.open = false
	}
	return err
}

// reading returns the statement for a query.
func reading(query db.Query) statement {
	return statement{query.Text, query.Args, func(rows pgx.Rows) error {
		for rows.Next() {
			if err := query.Each(scanRow(rows)); err != nil {
				return err
			}
		}
		return rows.Err()
	}}
}

func (s *session) Exec(text string, args ...any) (int64, error) {
	var changed int64
	s.wrote = true
	err := s.trip(statement{text, args, func(rows pgx.Rows) error {
		rows.Close()
		changed = rows.CommandTag().RowsAffected()
		return rows.Err()
	}})
	return changed, err
}

func (s *session) Write(text string, args ...any) error {
	if s.failure != nil {
		return s.failure
	}
	s.wrote = true
	s.waiting = append(s.waiting, statement{text: text, args: args})
	if len(s.waiting) < maxWaiting {
		return nil
	}
	return s.trip()
}

// Change makes the server count the rows, because the statement may be sent together with COMMIT,
// which would run before the count could be checked here. If the count is not one, the division by
// zero fails, and the server runs nothing after it.
func (s *session) Change(text string, args ...any) error {
	return s.Write("WITH changed AS ("+text+" RETURNING 1) "+
		"SELECT 1 / CAST(count(*) = 1 AS INT) FROM changed", args...)
}

func (s *session) Insert(into db.Serial, text string, args ...any) (number int, err error) {
	s.wrote = true
	err = s.Query(db.Row([]any{&number}, text+" RETURNING "+into.Column, args...))
	return number, err
}

// AdvanceSequence moves the sequence, which an INSERT with an explicit number does not.
func (s *session) AdvanceSequence(past db.Serial, number int) error {
	return s.Write(`SELECT setval('`+sequence(past)+`', $1) FROM `+sequence(past)+`
	WHERE last_value < $1`, number)
}

// lanes is the number of values that Lane returns.
const lanes = 64

// Lane depends on the server's process, which serves one connection. The processes of a pool start
// one after the other, so their PIDs are close together.
func (s *session) Lane() int { return 1 + int(s.conn.Conn().PgConn().PID()%lanes) }

// Locking skips the rows that another transaction has locked, so that the dispatchers of several
// nodes do not wait for each other.
func (s *session) Locking() string { return " FOR UPDATE OF o SKIP LOCKED" }

func (s *session) Fail(err error) error {
	if s.failure == nil {
		s.failure = err
	}
	return err
}

// trip sends the queued statements and more in one round trip, and reads the results.
func (s *session) trip(more ...statement) error {
	if s.failure != nil {
		return s.failure
	}
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if s.conn == nil {
		conn, err := s.engine.acquire(s.ctx)
		if err != nil {
			return err
		}
		s.conn = conn
	}
	all := slices.Concat(s.opening, s.waiting, more)
	s.open = s.open || len(s.opening) > 0
	s.opening, s.waiting = nil, nil
	if err := s.send(s.ctx, all); err != nil {
		s.failure = s.classify(s.ctx, err)
	}
	return s.failure
}

// send makes one round trip.
func (s *session) send(ctx context.Context, all []statement) error {
	if len(all) == 1 {
		rows, err := s.conn.Query(ctx, all[0].text, escapeArgs(all[0].args)...)
		if err != nil {
			return err
		}
		return receive(rows, all[0].read)
	}
	var batch pgx.Batch
	for _, row := range all {
		batch.Queue(row.text, escapeArgs(row.args)...)
	}
	answers := s.conn.SendBatch(ctx, &batch)
	for _, row := range all {
		rows, err := answers.Query()
		if err == nil {
			err = receive(rows, row.read)
		}
		if err != nil {
			// The server has skipped the statements after it.
			_ = answers.Close()
			return err
		}
	}
	return answers.Close()
}

// receive reads the result of a statement to its end.
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

// endTime is the timeout of a rollback.
const endTime = 2 * time.Second

// release rolls back a transaction that was not committed, and returns the connection to the pool.
// It closes a connection that does not answer. A second call does nothing.
func (s *session) release() {
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

// giveUp closes a connection whose transaction is in an unknown state.
func (s *session) giveUp() {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	_ = s.conn.Conn().Close(ctx)
	s.release()
}
