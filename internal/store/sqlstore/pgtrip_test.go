package sqlstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"mintmark/internal/card"
	"mintmark/internal/customer"
	"mintmark/internal/program"
	"mintmark/internal/store"
)

// stockedPostgres keeps a card and what it needs, and returns its number.
func stockedPostgres(t *testing.T, p *Postgres) int {
	t.Helper()
	made := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	c := card.Card{
		ProgramID: 1, CustomerID: 1, HolderID: 1, Type: "DBT", Vendor: "VS", BinID: 1,
		Status: card.Initiated, Lock: card.Lock{Type: card.Unlocked, Reason: card.Unknown},
		NickName: "First", Name: card.NewName("Ada", "", "Smith"), LastFour: "1111",
		ExpireMonth: 2, ExpireYear: 2030, Slots: card.Slots{Checking: []int{1}},
		PrimaryCategory: customer.Checking, Created: made, Modified: made,
	}
	err := p.Update(context.Background(), func(tx store.Tx) error {
		return errors.Join(
			tx.Banks().Put(store.Bank{ID: 1}),
			tx.Programs().Put(program.Program{Issuing: program.Issuing{ID: 1, BankID: 1}}),
			tx.Programs().PutBin(program.Bin{ID: 1, ProgramID: 1, Vendor: "VS"}),
			tx.Customers().Put(customer.Customer{
				Standing: customer.Standing{
					ID: 1, ProgramID: 1, Status: customer.Verified, AccessType: customer.Full,
				},
			}),
			tx.Accounts().Put(customer.Account{
				ID: 1, ProgramID: 1, CustomerID: 1, Type: customer.Checking, Status: customer.Open,
			}),
			tx.Cards().Put(&c),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	return c.ID
}

// age makes a card a year older, the way an act changes a card. What is handed in happens last.
func age(p *Postgres, cardID int, last func()) error {
	return p.Update(context.Background(), func(tx store.Tx) error {
		standing, err := tx.Cards().FindView(1, 1, store.CardKey{ID: cardID})
		if err != nil {
			return err
		}
		c := standing.Card
		c.ExpireYear++
		if err := tx.Cards().Put(&c); err != nil {
			return err
		}
		if err := tx.Audit().Put(store.AuditEntry{At: tx.Now(), ProgramID: 1, CardID: c.ID}); err != nil {
			return err
		}
		if last != nil {
			last()
		}
		return nil
	})
}

// findYear reads a card the way a request does.
func findYear(t *testing.T, p *Postgres, cardID int) int {
	t.Helper()
	standing, err := p.FindStanding(context.Background(), 1, 1, store.CardKey{ID: cardID})
	if err != nil {
		t.Fatal(err)
	}
	return standing.Card.ExpireYear
}

// TestTrips counts how often an act waits for the server.
func TestTrips(t *testing.T) {
	t.Parallel()
	p, w := wired(t)
	id := stockedPostgres(t, p)
	acts := map[string]struct {
		act  func()
		want int64
	}{
		"read a card":   {func() { findYear(t, p, id) }, 1},
		"change a card": {func() { _ = age(p, id, nil) }, 2},
	}
	for name, one := range acts {
		one.act() // the statements are prepared
		before := w.trips.Load()
		one.act()
		if got := w.trips.Load() - before; got != one.want {
			t.Errorf("%s: %d trips, want %d", name, got, one.want)
		}
	}
}

// TestCommitIsSettled cuts the line at the commit. What is told as done is done, what is told as
// not done is not, and nothing is done twice. A commit that the server has not heard is not done;
// one that it has heard it may still give up when it finds that nobody listens, so that is tried
// until one was done.
func TestCommitIsSettled(t *testing.T) {
	t.Parallel()
	p, w := wired(t)
	id := stockedPostgres(t, p)
	cut := func(how int32) (kept bool) {
		t.Helper()
		// A new line prepares the statements first, and that is not what is to be cut.
		if err := age(p, id, nil); err != nil {
			t.Fatal(err)
		}
		year := findYear(t, p, id)
		err := age(p, id, func() { w.cut.Store(how) })
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
	// A line that is cut earlier has kept nothing.
	w.cut.Store(afterSending)
	if err := age(p, id, nil); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("before the commit: error %v", err)
	}
}

// TestUnknownOutcome loses the server at the commit for longer than it is looked for.
func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	p, w := wired(t)
	id := stockedPostgres(t, p)
	if err := age(p, id, nil); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	err := age(p, id, func() {
		w.down.Store(true)
		w.cut.Store(afterSending)
	})
	if !errors.Is(err, store.ErrUnknownOutcome) || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("the server is gone: error %v", err)
	}
	if took := time.Since(began); took > 2*settleTime {
		t.Errorf("that was found out after %v", took)
	}
}

// TestNoTime loses the server when the time is asked for. What was decided without it does not
// count, be it a refusal.
func TestNoTime(t *testing.T) {
	t.Parallel()
	p, w := wired(t)
	stockedPostgres(t, p)
	refusal := errors.New("too late")
	for name, closure := range map[string]func(store.Tx) error{
		"refused": func(tx store.Tx) error { tx.Now(); return refusal },
		"done":    func(tx store.Tx) error { tx.Now(); return nil },
		"ignored": func(tx store.Tx) error { _ = tx.Attempts().Put(1, store.PinTaken); return nil },
	} {
		if err := naming(p, 1); err != nil { // a line is laid
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

// TestCollisionsEnd lets somebody be faster every time.
func TestCollisionsEnd(t *testing.T) {
	t.Parallel()
	p, _ := wired(t)
	id := stockedPostgres(t, p)
	tries := 0
	err := age(p, id, func() {
		tries++
		if err := age(p, id, nil); err != nil {
			t.Errorf("the faster one: %v", err)
		}
	})
	if !errors.Is(err, store.ErrUnavailable) || tries > maxTries {
		t.Errorf("error %v after %d tries", err, tries)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	err = p.Update(ctx, func(tx store.Tx) error {
		_, err := tx.Cards().Find(1, id)
		return errors.Join(err, age(p, id, nil), tx.Attempts().Put(id, store.PinTaken),
			tx.Cards().Put(&card.Card{ID: id, Revision: 1}))
	})
	if err == nil {
		t.Error("it was kept")
	}
}
