package postgres

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/testkit/testrun"
)

// changeAge makes a bank a year older, with the statements by which an act changes a card. It calls
// last at the end of the closure, unless it is nil.
func changeAge(e *Engine, id int, last func()) error {
	return e.Update(context.Background(), func(s db.Session) error {
		var year string
		_, err := db.Find(s, []any{&year}, `SELECT name FROM banks WHERE bank_id = $1`, id)
		if err != nil {
			return err
		}
		const birthday = `UPDATE banks SET name = CAST(CAST(name AS INT) + 1 AS TEXT)
			WHERE bank_id = $1 AND name = $2`
		if err := s.Change(birthday, id, year); err != nil {
			return err
		}
		if _, err := s.Now(); err != nil {
			return err
		}
		if err := s.Write(putAudit, "age"); err != nil {
			return err
		}
		if last != nil {
			last()
		}
		return nil
	})
}

// findYear returns the age of a bank.
func findYear(t *testing.T, e *Engine, id int) int {
	t.Helper()
	var year string
	err := e.Read(context.Background(), func(s db.Session) error {
		_, err := db.Find(s, []any{&year}, `SELECT name FROM banks WHERE bank_id = $1`, id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(year)
	if err != nil {
		t.Fatal(err)
	}
	return number
}

// newBank stores a bank of age 0.
func newBank(t *testing.T, e *Engine) (id int) {
	t.Helper()
	if err := storeBank(e, 1); err != nil {
		t.Fatal(err)
	}
	return 1
}

// TestTrips counts the round trips of an act.
func TestTrips(t *testing.T) {
	t.Parallel()
	p, w := openWired(t)
	id := newBank(t, p)
	acts := map[string]struct {
		act  func() error
		want int64
	}{
		"read":   {func() error { findYear(t, p, id); return nil }, 1},
		"change": {func() error { return changeAge(p, id, nil) }, 2},
	}
	for name, test := range acts {
		if err := test.act(); err != nil { // prepares the statements
			t.Fatal(err)
		}
		before := w.trips.Load()
		if err := test.act(); err != nil {
			t.Fatal(err)
		}
		if got := w.trips.Load() - before; got != test.want {
			t.Errorf("%s: %d trips, want %d", name, got, test.want)
		}
	}
}

// TestCommitIsSettled cuts the connection at the commit. What is reported as done must be done,
// what is reported as not done must not be, and nothing may be done twice. A commit that the server
// has not received is not done; one that it has received may still be abandoned when it notices
// that its client is gone, so that case is repeated until one is done.
func TestCommitIsSettled(t *testing.T) {
	t.Parallel()
	p, w := openWired(t)
	id := newBank(t, p)
	cut := func(how int32) (kept bool) {
		t.Helper()
		// A new connection prepares the statements first; that must not be what is cut.
		if err := changeAge(p, id, nil); err != nil {
			t.Fatal(err)
		}
		year := findYear(t, p, id)
		err := changeAge(p, id, func() { w.cut.Store(how) })
		got := findYear(t, p, id)
		done, refused := err == nil && got == year+1, errors.Is(err, store.ErrUnavailable)
		if !done && (!refused || got != year) {
			t.Errorf("cut in way %d: year %d after %d, error %v", how, got, year, err)
		}
		return done
	}
	const tries = 20
	kept := 0
	for try := 0; try < tries && kept < 3; try++ {
		if cut(beforeSending) {
			t.Error("a commit that the server has not heard is done")
		}
		if cut(afterSending) {
			kept++
		}
	}
	if kept == 0 {
		t.Errorf("none of %d commits that the server has heard is done", tries)
	}
	// A connection that is cut before the commit has stored nothing.
	w.cut.Store(afterSending)
	if err := changeAge(p, id, nil); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("before the commit: error %v", err)
	}
}

// TestUnknownOutcome loses the server at the commit for longer than the engine tries to settle it.
func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	p, w := openWired(t)
	id := newBank(t, p)
	if err := changeAge(p, id, nil); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	err := changeAge(p, id, func() {
		w.down.Store(true)
		w.cut.Store(afterSending)
	})
	if !errors.Is(err, store.ErrUnknownOutcome) || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("the server is gone: error %v", err)
	}
	if took := time.Since(began); took > 2*outcomeTime {
		t.Errorf("that was found out after %v", took)
	}
}

// TestNoTime loses the server when the closure reads the time. Nothing may be stored, even if the
// closure continues.
func TestNoTime(t *testing.T) {
	t.Parallel()
	p, w := openWired(t)
	newBank(t, p)
	for name, closure := range map[string]func(db.Session) error{
		"passed on": func(s db.Session) error { _, err := s.Now(); return err },
		"ignored":   func(s db.Session) error { _, _ = s.Now(); return s.Write(putBank, 1) },
	} {
		if err := storeBank(p, 1); err != nil { // connects
			t.Fatal(err)
		}
		w.cut.Store(beforeSending)
		err := p.Update(context.Background(), closure)
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: error %v", name, err)
		}
		if w.cut.Load() != whole {
			t.Errorf("%s: the server was not asked", name)
		}
	}
}

// TestTurns lets a transaction wait for its turn while another one changes what it is about to
// read. It must see the change, or it would collide each time. The change of a key does not take
// turns.
func TestTurns(t *testing.T) {
	t.Parallel()
	p, _ := openWired(t)
	id := newBank(t, p)
	birthday := func(s db.Session) error {
		return s.Change(`UPDATE banks SET name = CAST(CAST(name AS INT) + 1 AS TEXT)
			WHERE bank_id = $1`, id)
	}
	key, err := p.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = key.Rollback(context.Background()) }()
	if _, err := key.Exec(t.Context(), `UPDATE access_revision SET revision = 7`); err != nil {
		t.Fatal(err)
	}
	second := make(chan error, 1)
	err = p.attempt(t.Context(), func(s db.Session) error {
		if err := errors.Join(roundTrip(s), birthday(s)); err != nil {
			return err
		}
		go func() {
			second <- p.attempt(context.Background(), func(s db.Session) error {
				return errors.Join(roundTrip(s), birthday(s))
			}, openUpdate(true))
		}()
		waitForTurn(t, p)
		return nil
	}, openUpdate(true))
	if err != nil {
		t.Fatalf("the first: %v", err)
	}
	if err := <-second; err != nil {
		t.Errorf("the second: %v", err)
	}
	if year := findYear(t, p, id); year != 2 {
		t.Errorf("the age is %d, not 2", year)
	}
}

// waitForTurn waits until a transaction waits for a lock.
func waitForTurn(t *testing.T, p *Engine) {
	t.Helper()
	testrun.Within(t, "a transaction waits for a lock", func() bool {
		var waiting int
		err := p.pool.QueryRow(t.Context(), `SELECT COUNT(*) FROM pg_locks WHERE NOT granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
		).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
		return waiting > 0
	})
}

// TestCollisionsEnd lets another Update commit first every time.
func TestCollisionsEnd(t *testing.T) {
	t.Parallel()
	p, _ := openWired(t)
	id := newBank(t, p)
	tries := 0
	err := changeAge(p, id, func() {
		tries++
		if err := changeAge(p, id, nil); err != nil {
			t.Errorf("the faster one: %v", err)
		}
	})
	if !errors.Is(err, store.ErrUnavailable) || tries > maxCollisions {
		t.Errorf("error %v after %d tries", err, tries)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	err = p.Update(ctx, func(s db.Session) error {
		return errors.Join(roundTrip(s), changeAge(p, id, nil),
			s.Change(`UPDATE banks SET name = '7' WHERE bank_id = $1`, id))
	})
	if err == nil {
		t.Error("it was kept")
	}
}
