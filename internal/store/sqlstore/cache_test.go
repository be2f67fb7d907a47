package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/card"
	"mintmark/internal/customer"
	"mintmark/internal/program"
	"mintmark/internal/store"
)

// The numbers of what stocked keeps.
const (
	stockedProgram  = 1
	stockedCustomer = 2
)

// stocked opens a store with a customer and so many cards, by their number from 1 on.
func stocked(t *testing.T, path string, cards int) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	mustUpdate(t, s, func(tx store.Tx) error {
		if err := putStock(tx); err != nil {
			return err
		}
		for id := range cards {
			c := stockedCard(id+1, tx.Now())
			if err := tx.Cards().Put(&c); err != nil {
				return err
			}
		}
		return nil
	})
	return s
}

// putStock keeps a customer, and what cards need besides.
func putStock(tx store.Tx) error {
	return errors.Join(
		tx.Banks().Put(store.Bank{ID: 1}),
		tx.Programs().Put(program.Program{Issuing: program.Issuing{ID: stockedProgram, BankID: 1}}),
		tx.Programs().PutBin(program.Bin{ID: 1, ProgramID: stockedProgram, Vendor: "VS"}),
		putPerson(tx, false),
	)
}

func stockedCard(id int, now time.Time) card.Card {
	return card.Card{
		ID: id, ProgramID: stockedProgram, CustomerID: stockedCustomer,
		HolderID: stockedCustomer, Type: "DBT", Vendor: "VS", BinID: 1,
		Status: card.Initiated, Lock: card.Lock{Type: card.Unlocked, Reason: card.Unknown},
		NickName: fmt.Sprint(id), ExpireMonth: 1, ExpireYear: 2000,
		PrimaryCategory: customer.Checking, Created: now, Modified: now,
	}
}

func putPerson(tx store.Tx, locked bool) error {
	return tx.Customers().Put(customer.Customer{
		Standing: customer.Standing{
			ID: stockedCustomer, ProgramID: stockedProgram, Status: customer.Verified,
			AccessType: customer.Full, IsActive: true, IsLocked: locked,
		},
	})
}

func mustUpdate(t *testing.T, s *Store, fn func(store.Tx) error) {
	t.Helper()
	if err := s.Update(context.Background(), fn); err != nil {
		t.Errorf("Update: %v", err)
	}
}

func standing(t *testing.T, s *Store, cardID int) store.CardView {
	t.Helper()
	found, err := s.FindStanding(context.Background(), stockedProgram, stockedCustomer,
		store.CardKey{ID: cardID})
	if err != nil {
		t.Errorf("FindStanding: %v", err)
	}
	return found
}

// TestCacheAnswers takes the readers away, so that only the memory can answer.
func TestCacheAnswers(t *testing.T) {
	t.Parallel()
	s := stocked(t, filepath.Join(t.TempDir(), "mintmark.db"), 1)
	want := standing(t, s, 1)
	var readers []session
	for range cap(s.readers) {
		readers = append(readers, <-s.readers)
	}
	if got := standing(t, s, 1); got.Card.Revision != want.Card.Revision {
		t.Errorf("got revision %d, want %d", got.Card.Revision, want.Card.Revision)
	}
	// Nobody could look for foreign commits in a long while.
	one := <-s.writers
	s.cache.looked.Store(int64(time.Since(s.cache.opened) - trustFor))
	brief, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := s.Cards().FindView(brief, stockedProgram, stockedCustomer, store.CardKey{ID: 1})
	if err == nil {
		t.Error("the memory was trusted for too long")
	}
	s.writers <- one
	for _, reader := range readers {
		s.readers <- reader
	}
}

// TestCacheIsBounded reads more cards than there is room for.
func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	c := newCache()
	for id := range cacheLimit + 10 {
		c.put(c.begin(), store.CardView{
			Customer: customer.Standing{ID: id}, Card: card.Card{ID: id, Tag: fmt.Sprint(id)},
		})
	}
	if len(c.cards) > cacheLimit || len(c.customers) > cacheLimit || len(c.tags) > cacheLimit {
		t.Errorf("%d cards, %d customers and %d tags are kept", len(c.cards), len(c.customers),
			len(c.tags))
	}
}

// TestCacheForeign writes through another store on the same file, as another process does, both
// while this one is at rest and while it writes all the time.
func TestCacheForeign(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mintmark.db")
	s := stocked(t, path, 2)
	foreign, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	for _, busy := range []bool{false, true} {
		var writer sync.WaitGroup
		done := make(chan struct{})
		if busy {
			writer.Go(func() { keepWriting(t, s, 2, done) })
		}
		for _, locked := range []bool{true, false, true} {
			standing(t, s, 1)
			mustUpdate(t, foreign, func(tx store.Tx) error { return putPerson(tx, locked) })
			until := time.Now().Add(time.Second)
			for standing(t, s, 1).Customer.IsLocked != locked {
				if time.Now().After(until) {
					t.Errorf("after a second, with the store busy %v, the change is not seen", busy)
					break
				}
				time.Sleep(time.Millisecond)
			}
		}
		close(done)
		writer.Wait()
	}
}

// keepWriting changes a card until it is told to stop. It rests in between: SQLite gives a process
// that waits for another one its turn only when it happens to ask in a pause.
func keepWriting(t *testing.T, s *Store, cardID int, done chan struct{}) {
	for {
		select {
		case <-done:
			return
		default:
			nextYear(t, s, cardID)
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// nextYear counts a card's year up and returns it.
func nextYear(t *testing.T, s *Store, cardID int) int {
	var year int
	mustUpdate(t, s, func(tx store.Tx) error {
		found, err := tx.Cards().FindView(stockedProgram, stockedCustomer, store.CardKey{ID: cardID})
		if err != nil {
			return err
		}
		c := found.Card
		c.ExpireYear++
		year = c.ExpireYear
		return tx.Cards().Put(&c)
	})
	return year
}

// TestCacheCoherent has readers and writers at the same cards. Nobody may see a year that is older
// than one that somebody saw before, or that was written before.
func TestCacheCoherent(t *testing.T) {
	t.Parallel()
	const cards = 2
	s := stocked(t, filepath.Join(t.TempDir(), "mintmark.db"), cards)
	var newest [cards]atomic.Int64
	seen := func(cardID, year int) {
		for at := &newest[cardID-1]; ; {
			before := at.Load()
			if int64(year) <= before || at.CompareAndSwap(before, int64(year)) {
				return
			}
		}
	}
	done := make(chan struct{})
	var writers, readers sync.WaitGroup
	for cardID := 1; cardID <= cards; cardID++ {
		for range 2 {
			writers.Go(func() {
				for range 60 {
					seen(cardID, nextYear(t, s, cardID))
				}
			})
		}
		for range 2 {
			readers.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					before := newest[cardID-1].Load()
					year := standing(t, s, cardID).Card.ExpireYear
					if int64(year) < before {
						t.Errorf("card %d: got the year %d after %d", cardID, year, before)
						return
					}
					seen(cardID, year)
				}
			})
		}
	}
	writers.Wait()
	close(done)
	readers.Wait()
	for i := range newest {
		if year := newest[i].Load(); year != 2000+2*60 {
			t.Errorf("card %d: after 120 years from 2000 on it is %d", i+1, year)
		}
	}
}

// TestCacheAfterUpdate changes a card, with times more precise than they are kept: what the memory
// answers is what the database would.
func TestCacheAfterUpdate(t *testing.T) {
	t.Parallel()
	s := stocked(t, filepath.Join(t.TempDir(), "mintmark.db"), 2)
	standing(t, s, 1)
	standing(t, s, 1).Memo.Make(nil, func() []byte { return []byte("of before") })
	odd := time.Date(2026, 3, 4, 5, 6, 7, 123_456_789, time.FixedZone("", 5400))
	changed := func(end error) error {
		return s.Update(context.Background(), func(tx store.Tx) error {
			found, err := tx.Cards().FindView(stockedProgram, stockedCustomer, store.CardKey{ID: 1})
			if err != nil {
				return err
			}
			c := found.Card
			c.ExpireYear++
			c.Tag, c.NickName, c.Lock.Type = fmt.Sprint("tag", c.ExpireYear), "", card.Customer
			for _, at := range []*time.Time{&c.Created, &c.Requested, &c.Modified} {
				odd = odd.Add(time.Hour)
				*at = odd
			}
			return errors.Join(tx.Cards().Put(&c), end)
		})
	}
	for _, end := range []error{nil, errRefused, nil} {
		if err := changed(end); !errors.Is(err, end) {
			t.Fatal(err)
		}
		remembered, found := s.cache.find(stockedProgram, stockedCustomer, store.CardKey{ID: 1})
		if found != (end == nil) {
			t.Errorf("ended with %v, the card is remembered: %v", end, found)
		}
		stored, err := findStanding(
			t.Context(), s, stockedProgram, stockedCustomer, store.CardKey{ID: 1})
		if err != nil {
			t.Fatal(err)
		}
		// What was made of the card before it changed is not what it looks like now.
		now := fmt.Sprint(stored.Card.ExpireYear)
		made := remembered.Memo.Make(nil, func() []byte { return []byte(now) })
		if found && string(made) != now {
			t.Errorf("made of the card of %s is %s", now, made)
		}
		remembered.Memo = nil
		if diff := cmp.Diff(stored, remembered); found && diff != "" {
			t.Errorf("stored and remembered differ (-stored +remembered):\n%s", diff)
		}
		standing(t, s, 1)
	}
}
