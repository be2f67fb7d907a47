package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/testkit/pgtest"
)

// onServer returns a store with two cards on a database server, in a database of its own.
func onServer(t *testing.T) (s *Store, first, second int) {
	t.Helper()
	engine, err := postgres.Open(context.Background(), pgtest.URL(t), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s = New(engine)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	created := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	c := card.Card{
		ProgramID: 1, CustomerID: 1, HolderID: 1, Type: "DBT", Vendor: "VS", BinID: 1,
		Status: card.Initiated, Lock: card.Lock{Type: card.Unlocked, Reason: card.Unknown},
		NickName: "First", Name: card.NewName("Ada", "", "Smith"), LastFour: "1111",
		ExpireMonth: 2, ExpireYear: 2030, Slots: card.Slots{Checking: []int{1}},
		PrimaryCategory: customer.Checking, Created: created, Modified: created,
	}
	two := c
	two.NickName, two.Tag = "Second", "a\x00\x01"
	two.Slots = card.Slots{Checking: []int{3, 1}, Savings: []int{2}}
	err = s.Update(context.Background(), func(tx store.Tx) error {
		errs := []error{
			tx.Banks().Put(store.Bank{ID: 1}),
			tx.Programs().Put(program.Program{Issuing: program.Issuing{ID: 1, BankID: 1}}),
			tx.Programs().PutBin(program.Bin{ID: 1, ProgramID: 1, Vendor: "VS"}),
		}
		for id := 1; id <= 2; id++ {
			errs = append(errs, tx.Customers().Put(customer.Customer{Standing: customer.Standing{
				ID: id, ProgramID: 1, Status: customer.Verified, AccessType: customer.Full,
			}}))
		}
		for id := 1; id <= 3; id++ {
			errs = append(errs, tx.Accounts().Put(customer.Account{
				ID: id, ProgramID: 1, CustomerID: 1, Type: customer.Checking,
				Status: customer.Open,
			}))
		}
		return errors.Join(append(errs, tx.Cards().Put(&c), tx.Cards().Put(&two))...)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, c.ID, two.ID
}

// TestBatch checks that a lookup finds the same in a batch as alone.
func TestBatch(t *testing.T) {
	t.Parallel()
	s, first, second := onServer(t)
	byID := []store.CardKey{{ID: second}, {ID: first}, {ID: 99}, {ID: second}, {ID: first}}
	byTag := []store.CardKey{{Tag: "a\x00\x01"}, {Tag: "other"}, {Tag: "a\x00\x01"}}
	for text, keys := range map[string][]store.CardKey{findViewsByID: byID, findViewsByTag: byTag} {
		answer := answerBy(s.engine, text)
		ask := func(all ...*pendingView) {
			t.Helper()
			if err := answer(t.Context(), all); err != nil {
				t.Error(err)
			}
		}
		all := []*pendingView{{Key: viewKey{9, 1, keys[0]}}}
		for _, customerID := range []int{2, 1, 99} {
			for _, key := range keys {
				all = append(all, &pendingView{Key: viewKey{1, customerID, key}})
			}
		}
		ask(all...)
		for _, view := range all {
			single := &pendingView{Key: view.Key}
			ask(single)
			same := reflect.DeepEqual(view.Value, single.Value)
			if !same || !errors.Is(view.Err, single.Err) {
				t.Errorf("%+v: %+v, %v, and alone %+v, %v",
					view.Key, view.Value, view.Err, single.Value, single.Err)
			}
		}
	}
}

// TestBatchedReadTakesNoConnection runs more Reads that look up a card at the same time than the
// node has connections. A lookup in a batch must not wait for a connection that its own Read holds,
// whether it is the first find of the Read or a later one.
func TestBatchedReadTakesNoConnection(t *testing.T) {
	t.Parallel()
	s, first, _ := onServer(t)
	nothing := func(store.Tx) error { return nil }
	program := func(tx store.Tx) error {
		_, err := tx.Programs().Find(1)
		return err
	}
	for name, before := range map[string]func(store.Tx) error{
		"the only find": nothing, "a later find": program,
	} {
		const many = 64 // more than there are connections
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		var inside atomic.Int64
		all, done := make(chan struct{}), make(chan error, many)
		find := func(tx store.Tx) error {
			if err := before(tx); err != nil {
				return err
			}
			if inside.Add(1) == many {
				close(all)
			}
			select {
			case <-all:
			case <-ctx.Done():
				return ctx.Err()
			}
			_, err := tx.Cards().FindView(1, 1, store.CardKey{ID: first})
			return err
		}
		for range many {
			go func() { done <- s.Read(ctx, find) }()
		}
		for range many {
			if err := <-done; err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		cancel()
	}
}

// timeless is an engine whose clock fails.
type timeless struct{ db.Engine }

var errNoClock = fmt.Errorf("%w: no clock", store.ErrUnavailable)

func (timeless) BatchesReads() bool { return false }

func (timeless) Update(_ context.Context, fn func(db.Session) error) error {
	return fn(timelessSession{})
}

type timelessSession struct{ db.Session }

func (timelessSession) Now() (time.Time, error) { return time.Time{}, errNoClock }
func (timelessSession) Fail(err error) error    { return err }

// TestNoTime checks that an Update fails if it could not read the time of the transaction, whatever
// the closure returns.
func TestNoTime(t *testing.T) {
	t.Parallel()
	for _, result := range []error{nil, errors.New("too late")} {
		err := New(timeless{}).Update(t.Context(), func(tx store.Tx) error {
			tx.Now()
			return result
		})
		if !errors.Is(err, errNoClock) {
			t.Errorf("the closure returns %v: error %v", result, err)
		}
	}
}
