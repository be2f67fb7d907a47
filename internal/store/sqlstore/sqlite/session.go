package sqlite

import (
	"context"
	"fmt"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// How transactions begin. An Update takes the write lock when it begins: if it took the lock with
// its first write, another transaction could write between its reads and that write.
const (
	beginView   = "BEGIN DEFERRED"
	beginUpdate = "BEGIN IMMEDIATE"
)

// session is one transaction on a connection. The session of a Read takes a connection at its first
// query, and each query sees its own snapshot.
type session struct {
	ctx     context.Context
	engine  *Engine // of a Read; otherwise nil
	on      *connection
	now     time.Time // zero in a Read until Now is called
	failure error
}

var _ db.Session = (*session)(nil)

func (s *session) Now() (time.Time, error) {
	if s.now.IsZero() {
		s.now = clock.TimeOr(s.ctx, s.engine.clock.Now())
	}
	return s.now, nil
}

// Unfinished reports that rows become visible in order, because there is one writer at a time.
func (s *session) Unfinished() (db.Unfinished, error) { return db.Unfinished{InOrder: true}, nil }

func (s *session) Query(queries ...db.Query) error {
	if s.on == nil {
		on, err := s.engine.take(s.ctx, s.engine.readers)
		if err != nil {
			return err
		}
		s.on = on
	}
	if s.engine != nil && len(queries) > 1 {
		if _, err := s.on.exec(s.ctx, beginView); err != nil {
			return err
		}
		// Nothing was written, so it does not matter how the transaction ends.
		defer func() { _, _ = s.on.exec(context.WithoutCancel(s.ctx), "ROLLBACK") }()
	}
	for _, query := range queries {
		if err := s.on.run(s.ctx, query.Each, query.Text, query.Args); err != nil {
			return s.Fail(err)
		}
	}
	return nil
}

func (s *session) Exec(text string, args ...any) (int64, error) {
	changed, err := s.on.exec(s.ctx, text, args...)
	return changed, s.Fail(err)
}

func (s *session) Write(text string, args ...any) error {
	return s.Fail(s.on.run(s.ctx, nil, text, args))
}

func (s *session) Change(text string, args ...any) error {
	changed, err := s.Exec(text, args...)
	if err == nil && changed != 1 {
		err = fmt.Errorf("%w: %d rows changed, not one", store.ErrLostUpdate, changed)
	}
	return s.Fail(err)
}

// Insert does not use RETURNING, for which SQLite builds a temporary table.
func (s *session) Insert(_ db.Serial, text string, args ...any) (int, error) {
	if err := s.Write(text, args...); err != nil {
		return 0, err
	}
	return int(s.on.conn.LastInsertRowID()), nil
}

// Number returns 0: Insert numbers the row.
func (s *session) Number(db.Serial) (int, error) { return 0, nil }

// AdvanceSequence moves the numbering of a table. In the table into which the row was inserted, it
// is already past the number.
func (s *session) AdvanceSequence(past db.Serial, number int) error {
	return s.Write("UPDATE sqlite_sequence SET seq = $1 WHERE name = $2 AND seq < $1", number,
		past.Table)
}

// Lane returns 0: there is one writer.
func (s *session) Lane() int { return 0 }

// Locking returns "": there is one writer.
func (s *session) Locking() string { return "" }

func (s *session) Fail(err error) error {
	if s.failure == nil {
		s.failure = err
	}
	return err
}

// release returns the connection of a Read to the pool.
func (s *session) release() {
	if s.on != nil {
		s.engine.readers <- s.on
	}
}

// updateTime returns the time of an Update. If the system clock was set back a little, it returns
// the time of the newest Update: a change must not be older than what it changes. It follows a
// clock that was set back further. Business time may be set back, for example when a sandbox is
// reset.
func (e *Engine) updateTime(ctx context.Context) time.Time {
	// Round removes the reading of the monotonic clock, which would not show that the system clock
	// moved.
	now := e.clock.Engine().Round(0)
	if now.After(e.newest) || e.newest.Sub(now) > clock.MaxStep {
		e.newest = now
	}
	return clock.TimeOr(ctx, e.clock.At(e.newest))
}
