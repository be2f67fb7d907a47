package sqlite

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

func nothing(db.Session) error { return nil }

// TestDoNotWait lets another engine write to the same file, as another process does. An engine that
// does not wait answers immediately, and later notices that there were external commits.
func TestDoNotWait(t *testing.T) {
	t.Parallel()
	server, path := opened(t, Options{})
	asking := openedAt(t, path, Options{DoNotWait: true})
	asking.OnExternalCommit(func() {})
	wantErrors(t, updateTogether(t, asking, testUpdate{bank: 1}), []error{nil})
	seen := asking.ExternalCommits()
	wantErrors(t, updateTogether(t, asking, testUpdate{bank: 2}), []error{nil})
	if asking.ExternalCommits() != seen {
		t.Error("its own commits are counted")
	}
	mustUpdate(t, server, func(s db.Session) error {
		began := time.Now()
		err := asking.Update(context.Background(), nothing)
		if !errors.Is(err, store.ErrBusy) || !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("while another writes: %v", err)
		}
		if waited := time.Since(began); waited > 4*time.Second {
			t.Errorf("it waited %v", waited)
		}
		return putBank(s, 9)
	})
	mustUpdate(t, asking, nothing)
	if asking.ExternalCommits() == seen {
		t.Error("the external commit was not seen")
	}
}

// TestExternalCommitsNotify checks when a read cache is notified of an external commit: before an
// Update that could see it, and otherwise when the cache asks whether it is still fresh.
func TestExternalCommitsNotify(t *testing.T) {
	t.Parallel()
	e, path := opened(t, Options{})
	other := openedAt(t, path, Options{})
	var told atomic.Int64
	e.OnExternalCommit(func() { told.Add(1) })
	mustUpdate(t, e, nothing)
	for bank := 1; bank < 4; bank++ {
		before := told.Load()
		wantErrors(t, updateTogether(t, other, testUpdate{bank: bank}), []error{nil})
		mustUpdate(t, e, func(s db.Session) error {
			var ids []int
			if err := s.Query(listBanks(&ids)); err != nil {
				return err
			}
			if slices.Contains(ids, bank) && told.Load() == before {
				t.Errorf("bank %d is seen, and its commit was not told of", bank)
			}
			return nil
		})
		if told.Load() == before {
			t.Errorf("the commit of bank %d was not told of", bank)
		}
	}
	before := told.Load()
	wantErrors(t, updateTogether(t, other, testUpdate{bank: 4}), []error{nil})
	time.Sleep(lookEvery) //nolint:forbidigo // It looks by the clock of the machine.
	if !e.Fresh(t.Context()) || told.Load() == before {
		t.Error("the cache may be used, and the external commit was not told of")
	}

	// While an Update runs, the engine cannot look for external commits, and the cache is trusted a
	// little longer.
	mustUpdate(t, e, func(db.Session) error {
		time.Sleep(trustFor) //nolint:forbidigo // The same.
		if e.Fresh(t.Context()) {
			t.Error("the cache was trusted for too long")
		}
		return nil
	})
	if !e.Fresh(t.Context()) {
		t.Error("after the Update the cache is not trusted")
	}
}
