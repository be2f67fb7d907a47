package cached_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"mintmark/internal/store"
)

// TestCoherent runs writers and readers on the same subject, with unrelated writers beside them so
// that Updates share commits. No answer may be older than an earlier answer or than an Update that
// has returned. Some Updates are refused, and some panic.
func TestCoherent(t *testing.T) {
	t.Parallel()
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			coherent(t, s)
		})
	}
}

func coherent(t *testing.T, of subject) {
	const writers, readers, rounds = 3, 3, 10
	s, _ := openStocked(t)
	var newest atomic.Int64
	done := make(chan struct{})
	var writing, others sync.WaitGroup
	for range writers {
		writing.Go(func() {
			for range rounds {
				abortUpdate(s, of)
				seen(&newest, countUp(t, s, of))
			}
		})
	}
	loop := func(fn func()) {
		others.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					fn()
				}
			}
		})
	}
	for range readers {
		loop(func() {
			before := newest.Load()
			number := readNumber(t, s, of)
			if number < before {
				t.Errorf("got %d after %d", number, before)
			}
			seen(&newest, number)
		})
	}
	loop(func() { // unrelated writes must not matter
		mustUpdate(t, s, func(tx store.Tx) error {
			return errors.Join(setYear(tx, otherCard, 1), putAccount(tx, otherAccount, 1))
		})
	})
	writing.Wait()
	close(done)
	others.Wait()
	if number := readNumber(t, s, of); number != writers*rounds {
		t.Errorf("got %d after %d Updates", number, writers*rounds)
	}
}

// seen raises newest to a number that a read or an Update returned.
func seen(newest *atomic.Int64, number int64) {
	for {
		before := newest.Load()
		if number <= before || newest.CompareAndSwap(before, number) {
			return
		}
	}
}

// countUp increments the number of a subject and returns it.
func countUp(t *testing.T, s store.Store, of subject) (number int64) {
	mustUpdate(t, s, func(tx store.Tx) error {
		before, err := of.read(tx)
		if err != nil {
			return err
		}
		if err := of.write(tx, before+1); err != nil {
			return err
		}
		number = int64(before + 1)
		return nil
	})
	return number
}

// abortUpdate runs an Update that writes and is then rolled back, by an error or by a panic.
func abortUpdate(s store.Store, of subject) {
	panics := rand.IntN(2) == 0
	defer func() { _ = recover() }()
	_ = s.Update(ctx, func(tx store.Tx) error {
		if err := of.write(tx, 1000); err != nil {
			return err
		}
		if panics {
			panic(errRefused)
		}
		return errRefused
	})
}

func readNumber(t *testing.T, s store.Store, of subject) int64 {
	t.Helper()
	var number int
	mustRead(t, s, func(tx store.Tx) error {
		var err error
		number, err = of.read(tx)
		return err
	})
	return int64(number)
}

// TestReadDuringCommit starts a read after an Update has written, and finishes it after the Update
// has returned. What the read saw in the database was true then, but must not be served later.
func TestReadDuringCommit(t *testing.T) {
	t.Parallel()
	for _, of := range subjects {
		for _, warm := range []bool{false, true} {
			s, within := openStocked(t)
			if warm {
				readNumber(t, s, of)
			}
			looked, ended := make(chan struct{}), make(chan struct{})
			hold := func() {
				close(looked)
				<-ended
			}
			var reading sync.WaitGroup
			mustUpdate(t, s, func(tx store.Tx) error {
				err := of.write(tx, 1)
				within.found.Store(&hold)
				reading.Go(func() { readNumber(t, s, of) })
				<-looked
				return err
			})
			close(ended)
			reading.Wait()
			for range 2 {
				if number := readNumber(t, s, of); number != 1 {
					t.Errorf("%s, warm %t: got %d after the Update", of.name, warm, number)
				}
			}
		}
	}
}

// TestUpdateDuringRead runs a whole Update after a read has queried the database and before it
// returns.
func TestUpdateDuringRead(t *testing.T) {
	t.Parallel()
	for _, of := range subjects {
		s, within := openStocked(t)
		write := func() {
			mustUpdate(t, s, func(tx store.Tx) error { return of.write(tx, 1) })
		}
		within.found.Store(&write)
		readNumber(t, s, of)
		for range 2 {
			if number := readNumber(t, s, of); number != 1 {
				t.Errorf("%s: got %d after the Update", of.name, number)
			}
		}
	}
}
