package postgres

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/testkit/pgtest"
)

// TestTurnsOfKeys checks that only one holder at a time has the turn of a key, that other keys do
// not wait, and that ended turns are removed.
func TestTurnsOfKeys(t *testing.T) {
	t.Parallel()
	var all turns
	var inside [4]atomic.Int64
	var running sync.WaitGroup
	for i := range 400 {
		running.Go(func() {
			key := i % len(inside)
			leave, err := all.enter(t.Context(), changed{number: key})
			if err != nil {
				t.Error(err)
				return
			}
			if inside[key].Add(1) != 1 {
				t.Error("two have the turn of one key")
			}
			inside[key].Add(-1)
			leave()
		})
	}
	running.Wait()

	leave, err := all.take(t.Context(), &store.Contention{Sums: 1, Account: 7})
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := all.take(ended, &store.Contention{Sums: 3, Account: 7}); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was given up: %v", err)
	}
	other, err := all.take(t.Context(), &store.Contention{Sums: 7, Account: 1})
	if err != nil {
		t.Fatal(err)
	}
	other()
	leave()
	if len(all.open) > 0 {
		t.Errorf("%d turns are left", len(all.open))
	}
}

// TestRetryTakesTheTurn checks that an Update that has collided waits for the turn that its
// closure named.
func TestRetryTakesTheTurn(t *testing.T) {
	t.Parallel()
	e, err := Open(t.Context(), pgtest.URL(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	leave, err := e.turns.take(t.Context(), &store.Contention{Account: 7})
	if err != nil {
		t.Fatal(err)
	}
	turn, tries, ended := &store.Contention{}, 0, make(chan error, 1)
	named, again := make(chan struct{}), make(chan struct{})
	go func() {
		ended <- e.Update(store.WithContention(t.Context(), turn), func(s db.Session) error {
			if tries++; tries > 1 {
				close(again)
				return nil
			}
			defer close(named)
			turn.Account = 7
			return s.Fail(errCollision)
		})
	}()
	<-named
	select {
	case <-again:
		t.Error("the second try has not waited")
	case <-time.After(100 * time.Millisecond): // several pauses between attempts
	}
	leave()
	if err := <-ended; err != nil || tries != 2 {
		t.Errorf("%d tries: %v", tries, err)
	}
}
