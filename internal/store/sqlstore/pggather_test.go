package sqlstore

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"mintmark/internal/card"
	"mintmark/internal/customer"
	"mintmark/internal/pgtest"
	"mintmark/internal/store"
)

// TestGlance finds for many what each finds alone.
func TestGlance(t *testing.T) {
	t.Parallel()
	p, err := OpenPostgres(context.Background(), pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	first := stockedPostgres(t, p)
	second := stockSecond(t, p, first)
	byID := []store.CardKey{{ID: second}, {ID: first}, {ID: 99}, {ID: second}, {ID: first}}
	byTag := []store.CardKey{{Tag: "a\x00\x01"}, {Tag: "other"}, {Tag: "a\x00\x01"}}
	for text, keys := range map[string][]store.CardKey{standingsByID: byID, standingsByTag: byTag} {
		var all []*wanted
		for _, customerID := range []int{2, 1, 99} {
			for _, key := range keys {
				all = append(all, &wanted{programID: 1, customerID: customerID, of: key})
			}
		}
		p.glance(text, append(all, &wanted{programID: 9, customerID: 1, of: keys[0]}))
		for _, one := range all {
			single := &wanted{programID: 1, customerID: one.customerID, of: one.of}
			p.glance(text, []*wanted{single})
			same := reflect.DeepEqual(one.standing, single.standing)
			if !same || !errors.Is(one.err, single.err) {
				t.Errorf("customer %d, %+v: %+v, %v, and alone %+v, %v", one.customerID, one.of,
					one.standing, one.err, single.standing, single.err)
			}
		}
	}
}

// stockSecond keeps a card that has more to it than the first, and returns its number.
func stockSecond(t *testing.T, p *Postgres, first int) int {
	t.Helper()
	var second card.Card
	err := p.Update(context.Background(), func(tx store.Tx) error {
		standing, err := tx.Cards().FindView(1, 1, store.CardKey{ID: first})
		if err != nil {
			return err
		}
		second = standing.Card
		second.ID, second.Revision, second.NickName, second.Tag = 0, 0, "Second", "a\x00\x01"
		second.Slots = card.Slots{Checking: []int{3, 1}, Savings: []int{2}}
		asks, account := customer.Customer{Standing: standing.Customer}, standing.Accounts[1]
		asks.ID, asks.Mailing.Line2 = 2, "Flat 2"
		asks.Deceased = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
		account.ID = 2
		other := account
		other.ID = 3
		return errors.Join(tx.Customers().Put(asks), tx.Accounts().Put(account), tx.Accounts().Put(other),
			tx.Cards().Put(&second))
	})
	if err != nil {
		t.Fatal(err)
	}
	return second.ID
}

// TestGatherer has requests wait behind others, give up, and fail.
func TestGatherer(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan int), make(chan bool)
	g := &gatherer{ask: func(all []*wanted) {
		asked <- len(all)
		if !<-answer {
			panic("as the test wants it")
		}
		for _, one := range all {
			one.standing.Customer = customer.Standing{ID: one.customerID}
			one.err = nil
		}
	}}
	found := make(chan error, 10)
	find := func(ctx context.Context, customerID int) {
		standing, err := g.find(ctx, &wanted{customerID: customerID})
		if err == nil && standing.Customer.ID != customerID {
			err = errors.New("somebody else's standing")
		}
		found <- err
	}
	for i := range askingMost {
		go find(context.Background(), i)
		if together := <-asked; together != 1 {
			t.Errorf("%d travel together, where one was there", together)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	go find(ctx, 10)
	awaitWaiting(g, 1)
	cancel()
	if err := <-found; !errors.Is(err, context.Canceled) {
		t.Errorf("a request that is given up ends with %v", err)
	}
	go find(context.Background(), 11)
	go find(context.Background(), 12)
	awaitWaiting(g, 3)
	answer <- false
	if err := <-found; err == nil {
		t.Error("an answer that panics is taken for one")
	}
	if together := <-asked; together != 3 {
		t.Errorf("%d travel together, where three waited", together)
	}
	for range askingMost {
		answer <- true
	}
	for range askingMost - 1 + 2 {
		if err := <-found; err != nil {
			t.Error(err)
		}
	}
}

// awaitWaiting waits until so many wait.
func awaitWaiting(g *gatherer, many int) {
	for {
		g.lock.Lock()
		waiting := len(g.waiting)
		g.lock.Unlock()
		if waiting == many {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
