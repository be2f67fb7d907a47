package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"mintmark/internal/store"
)

var transactions = []test{
	{"Rollback", transactionRollback},
	{"Panic", transactionPanic},
	{"FailedWrite", transactionFailedWrite},
	{"OwnWrites", transactionOwnWrites},
	{"Time", transactionTime},
	{"TimeUnasked", transactionTimeUnasked},
	{"Deadline", transactionDeadline},
}

var errOwn = errors.New("an error of the closure")

// transactionRollback checks that an error of a closure comes back unchanged, and that nothing is
// stored then.
func transactionRollback(t *testing.T, s store.Store) {
	background(t, s)
	err := s.Update(context.Background(), func(tx store.Tx) error {
		c := plain("never")
		if err := putNamed(tx, "never"); err != nil {
			return err
		}
		if err := tx.Cards().Put(&c); err != nil {
			return err
		}
		return errOwn
	})
	if err != errOwn {
		t.Errorf("Update changed the error to %v", err)
	}
	wantName(t, s, "")
	if len(listCards(t, s, creatorID)) > 0 {
		t.Error("a card of the failed transaction was kept")
	}
	err = s.View(context.Background(), func(store.Tx) error { return errOwn })
	if err != errOwn {
		t.Errorf("View changed the error to %v", err)
	}
}

// transactionPanic checks that a panicking closure leaves nothing stored, and that the store
// remains usable.
func transactionPanic(t *testing.T, s store.Store) {
	background(t, s)
	for range 20 {
		panicked := func() (caught any) {
			defer func() { caught = recover() }()
			_ = s.Update(context.Background(), func(tx store.Tx) error {
				if err := putNamed(tx, "never"); err != nil {
					return err
				}
				panic(errOwn)
			})
			return nil
		}()
		if panicked != errOwn {
			t.Fatalf("got panic %v, want that of the closure", panicked)
		}
	}
	wantName(t, s, "")
	update(t, s, func(tx store.Tx) error { return putNamed(tx, "after") })
	wantName(t, s, "after")
}

// transactionFailedWrite checks that a closure cannot commit half of its writes by ignoring an
// error.
func transactionFailedWrite(t *testing.T, s store.Store) {
	background(t, s)
	kept(t, s, tagged("tag"))
	wantUpdate(t, s, "Update", store.ErrExists, func(tx store.Tx) error {
		double := plain("double")
		double.Tag = "tag"
		if err := putNamed(tx, "never"); err != nil {
			return err
		}
		_ = tx.Cards().Put(&double)
		return nil
	})
	wantName(t, s, "")
}

func transactionOwnWrites(t *testing.T, s store.Store) {
	background(t, s)
	update(t, s, func(tx store.Tx) error {
		c := plain("own")
		if err := putNamed(tx, "own"); err != nil {
			return err
		}
		if err := tx.Cards().Put(&c); err != nil {
			return err
		}
		wantSameName(t, tx, "own")
		created, err := tx.Cards().Find(programID, c.ID)
		wantSame(t, created, c)
		return err
	})
}

func transactionTime(t *testing.T, s store.Store) {
	background(t, s)
	before := time.Now().Add(-time.Millisecond)
	check := func(r store.Tx) error {
		now := r.Now()
		if now.Before(before) || now.After(time.Now()) {
			t.Errorf("got transaction time %v, want the current time", now)
		}
		if now.Location() != time.UTC || now.Truncate(time.Millisecond) != now {
			t.Errorf("%v is not in whole milliseconds and UTC", now)
		}
		time.Sleep(2 * time.Millisecond) //nolint:forbidigo // The wall clock has to move.
		if again := r.Now(); again != now {
			t.Errorf("the time moved from %v to %v", now, again)
		}
		return nil
	}
	view(t, s, check)
	update(t, s, func(tx store.Tx) error { return check(tx) })
}

// transactionTimeUnasked writes rows that depend on the time of the transaction, in Updates that
// have not called Now before.
func transactionTimeUnasked(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("unasked"))
	before := time.Now().Add(-time.Millisecond)
	update(t, s, func(tx store.Tx) error { return tx.Cards().PutAttempt(c.ID, store.VerifyFailed) })
	full := find(t, s, func(r store.Tx) (store.FullCardView, error) {
		return r.Cards().FindFullView(store.FullCardQuery{
			ProgramID: programID, CustomerID: creatorID, CardID: c.ID,
			Kind: store.VerifyFailed, Limit: 9,
		})
	})
	if len(full.Attempts) != 1 || full.Attempts[0].Before(before) ||
		full.Attempts[0].After(time.Now()) {
		t.Errorf("got attempts at %v", full.Attempts)
	}
	for _, holder := range []string{"one", "two"} { // the first lease has expired
		update(t, s, func(tx store.Tx) error {
			return tx.Jobs().PutLease(store.Lease{
				Name: jobName, Holder: holder, Until: before.Add(-time.Minute),
			})
		})
	}
}

// transactionDeadline checks that a deadline is distinguished from a fault of the database,
// wherever it passes, and that nothing is stored then.
func transactionDeadline(t *testing.T, s store.Store) {
	background(t, s)
	passed, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	err := s.View(passed, func(r store.Tx) error { return errOwn })
	wantError(t, "View", err, context.DeadlineExceeded)
	err = s.Update(passed, func(tx store.Tx) error { return errOwn })
	wantError(t, "Update", err, context.DeadlineExceeded)

	short, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	err = s.Update(short, func(tx store.Tx) error {
		if err := putNamed(tx, "never"); err != nil {
			return err
		}
		<-short.Done()
		_, err := tx.Customers().Find(programID, creatorID)
		wantError(t, "a read after the deadline", err, context.DeadlineExceeded)
		return nil
	})
	wantError(t, "a commit after the deadline", err, context.DeadlineExceeded)
	wantName(t, s, "")

	// While another Update is running, waiting for a turn can be canceled; where Updates run
	// concurrently there is no wait.
	update(t, s, func(store.Tx) error {
		brief, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		err := s.Update(brief, func(store.Tx) error { return errOwn })
		if !errors.Is(err, context.DeadlineExceeded) && err != errOwn {
			t.Errorf("queued Update: got error %v", err)
		}
		return nil
	})
}

// putNamed renames the program, the simplest change to make and to see.
func putNamed(tx store.Tx, name string) error {
	p, err := tx.Programs().Find(programID)
	if err != nil {
		return err
	}
	p.Settings.Name = name
	return tx.Programs().Put(p)
}

func wantSameName(t *testing.T, r store.Tx, want string) {
	t.Helper()
	p, err := r.Programs().Find(programID)
	if err != nil {
		t.Errorf("Programs.Find: %v", err)
	}
	if p.Settings.Name != want {
		t.Errorf("got program name %q, want %q", p.Settings.Name, want)
	}
}

func wantName(t *testing.T, s store.Store, want string) {
	t.Helper()
	view(t, s, func(r store.Tx) error {
		wantSameName(t, r, want)
		return nil
	})
}
