package sqlite

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/store/sqlstore/db"
)

// TestReadTakesConnectionLazily claims all connections. A Read without a query must not need one,
// and a Read with a query must wait for one until its deadline.
func TestReadTakesConnectionLazily(t *testing.T) {
	t.Parallel()
	e, _ := opened(t, Options{})
	all := e.claimAll(e.readers)
	if err := e.Read(t.Context(), refuse); !errors.Is(err, errRefused) {
		t.Errorf("a Read without a query: %v", err)
	}
	var ids []int
	ask := func(s db.Session) error { return s.Query(listBanks(&ids)) }
	brief, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := e.Read(brief, ask); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a Read for which there is no connection: %v", err)
	}
	for _, conn := range all {
		e.readers <- conn
	}
	// The connection is returned after each Read, however it ends.
	endings := []func(db.Session) error{ask, refuse, func(db.Session) error { panic(errRefused) }}
	for range cap(e.readers) {
		for _, end := range endings {
			func() {
				defer func() { _ = recover() }()
				_ = e.Read(t.Context(), func(s db.Session) error {
					return errors.Join(ask(s), ask(s), end(s))
				})
			}()
			if free := len(e.readers); free != cap(e.readers) {
				t.Fatalf("%d of %d connections are free after a Read", free, cap(e.readers))
			}
		}
	}
}

// TestSnapshots writes between the queries of a Read and of a View. Queries that a Read runs
// together see one snapshot, those that it runs one after the other need not; a View has one
// snapshot for all.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	e, _ := opened(t, Options{})
	mustUpdate(t, e, func(s db.Session) error { return putBank(s, 1) })
	next := 1
	var first, second []int
	// The bank is written when the first query has its first row, so before the second query.
	write := func() {
		next++
		wantErrors(t, updateTogether(t, e, testUpdate{bank: next}), []error{nil})
	}
	interrupted := listBanks(&first)
	each := interrupted.Each
	interrupted.Each = func(row db.Scan) error {
		if len(first) == 0 {
			write()
		}
		return each(row)
	}
	atOnce := func(s db.Session) error { return s.Query(interrupted, listBanks(&second)) }
	inTurn := func(s db.Session) error {
		return errors.Join(s.Query(interrupted), s.Query(listBanks(&second)))
	}
	type run func(context.Context, func(db.Session) error) error
	cases := []struct {
		name string
		run  run
		ask  func(db.Session) error
		same bool
	}{
		{"Read at once", e.Read, atOnce, true},
		{"Read in turn", e.Read, inTurn, false},
		{"View at once", e.View, atOnce, true},
		{"View in turn", e.View, inTurn, true},
	}
	for _, c := range cases {
		first, second = nil, nil
		before := next
		if err := c.run(t.Context(), c.ask); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if len(first) != before || slices.Equal(first, second) != c.same {
			t.Errorf("%s: first %v, then %v", c.name, first, second)
		}
	}
}

// TestSystemClockSetBack checks that an Update is never older than the one before it, unless the
// clock was set back far, and that business time can still be set back.
func TestSystemClockSetBack(t *testing.T) {
	t.Parallel()
	now := time.Now().Round(0)
	by := clock.Follow(clock.NewMachine(func() (time.Time, time.Duration) { return now, 0 }))
	e, _ := opened(t, Options{Clock: by})
	const most = clock.MaxStep
	for _, row := range []struct{ newest, offset, want time.Duration }{
		{0, 0, 0}, {most, 0, most}, {most, -24 * time.Hour, most - 24*time.Hour},
		{most + time.Millisecond, 0, 0}, {30 * 24 * time.Hour, 0, 0}, {-time.Hour, 0, 0},
	} {
		withWriter(e, func(*connection) { e.newest = now.Add(row.newest) })
		by.Set(clock.Setting{Offset: row.offset})
		want := now.Add(row.want).UTC().Truncate(time.Millisecond)
		mustUpdate(t, e, func(s db.Session) error {
			got, err := s.Now()
			if got != want {
				t.Errorf("%+v: the time is %v, want %v", row, got, want)
			}
			return err
		})
	}
}

// TestReadersCannotWrite checks that the connections of Reads and Views reject a statement that
// writes, whatever package sqlstore lets through.
func TestReadersCannotWrite(t *testing.T) {
	t.Parallel()
	e, _ := opened(t, Options{})
	for name, run := range map[string]func(context.Context, func(db.Session) error) error{
		"Read": e.Read, "View": e.View,
	} {
		err := run(t.Context(), func(s db.Session) error {
			var ids []int
			return errors.Join(s.Query(listBanks(&ids)), putBank(s, 1))
		})
		if err == nil {
			t.Errorf("%s has written", name)
		}
	}
	wantBanks(t, e)
}
