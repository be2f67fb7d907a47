package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/processor"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testrun"
)

// TestDelivers performs acts on several cards concurrently while two nodes deliver.
func TestDelivers(t *testing.T) {
	t.Parallel()
	onBoth(t, 2, func(t *testing.T, w *world) {
		s := newStand(nil)
		w.run(0, s)
		w.run(1, s)
		list := []card.Card{w.initiate("0001"), w.initiate("0002"), w.initiate("0003")}
		var acting sync.WaitGroup
		for _, c := range list {
			acting.Go(func() {
				for range 5 {
					w.lock(c.ID, "TMP")
					w.unlock(c.ID)
				}
				w.must(w.nodes[1].Cards.AddAccount(context.Background(), caller, cards.PriorityRequest{
					AccountRequest: cards.AccountRequest{CardRef: ref(c.ID), AccountID: second},
					CardPriority:   &secondPriority,
				}))
				w.hotlist(c.ID)
			})
		}
		acting.Wait()
		orders := w.settled()
		if want := len(list) * (1 + 10 + 1 + 1); len(orders) != want {
			t.Errorf("%d orders were written, want %d", len(orders), want)
		}
		s.checkArrivals(t, orders)
		for _, o := range orders {
			if o.State != order.Done || o.SealedPin != nil || o.ClaimedBy != "" || o.Attempts < 1 {
				t.Errorf("an order is left as %+v", o)
			}
		}
	})
}

// TestMessage checks the message of an order to produce a card.
func TestMessage(t *testing.T) {
	t.Parallel()
	onBoth(t, 1, func(t *testing.T, w *world) {
		c := w.initiate("0420")
		claimed, err := w.nodes[0].Orders.ClaimOrders(context.Background(), "node", false, 9)
		if err != nil || len(claimed) != 1 {
			t.Fatalf("%d orders, %v", len(claimed), err)
		}
		m := claimed[0].Message
		if m.CardID != c.ID || m.ProgramID != 1 || m.Sequence != 1 || m.Kind != order.Make ||
			!m.Created.Equal(start) || !claimed[0].Order.Is(m.OrderID) {
			t.Errorf("the message is %+v", m)
		}
		secret := m.Secret
		if secret == nil || secret.Pin == nil || secret.Pin.Reveal() != "0420" ||
			secret.Number.LastFour() != c.LastFour || secret.ExpireMonth != c.ExpireMonth ||
			secret.ExpireYear != c.ExpireYear {
			t.Errorf("the secret is not that of the card")
		}
		if text := fmt.Sprintf("%v %+v %#v", m, m, secret); strings.Contains(text, "0420") {
			t.Errorf("the message prints as %s", text)
		}
		if m.Card.ShipTo == nil || m.Card.ShipTo.FirstName == "" || m.Card.NameOnCard == "" {
			t.Errorf("the card is %+v", m.Card)
		}
	})
}

// TestUrgentPasses blocks all other workers, and expects a lock to arrive.
func TestUrgentPasses(t *testing.T) {
	t.Parallel()
	onBoth(t, 1, func(t *testing.T, w *world) {
		hold := make(chan struct{})
		s := newStand(func(m processor.Message) (processor.Answer, error) {
			if !m.Kind.Urgent() {
				<-hold
			}
			return processor.Answer{Outcome: processor.Done}, nil
		})
		for range 40 {
			w.initiate("0001")
		}
		w.run(0, s)
		w.lock(5001, "TMP")
		if first := s.await(t, 1)[0]; first.Kind != order.Lock || first.CardID != 5001 {
			t.Errorf("the first to arrive is %s of card %d", first.Kind, first.CardID)
		}
		close(hold)
		s.checkArrivals(t, w.settled())
	})
}

// TestOutage checks that a hotlist order is the first to arrive after an hour of program time in
// which the processor was down and many orders waited.
func TestOutage(t *testing.T) {
	t.Parallel()
	onBoth(t, 1, func(t *testing.T, w *world) {
		waiting := 100 // more than there are workers
		if testrun.Full() {
			waiting = 1000
		}
		var down atomic.Bool
		down.Store(true)
		var tries atomic.Int64
		s := newStand(func(processor.Message) (processor.Answer, error) {
			tries.Add(1)
			if down.Load() {
				return processor.Answer{}, fmt.Errorf("%w: refused", processor.ErrUnreachable)
			}
			return processor.Answer{Outcome: processor.Done}, nil
		})
		w.many(waiting)
		deliverDue := func() { // as a single node does
			t.Helper()
			for w.deliver(0, s) > 0 {
			}
		}
		for range 2 {
			deliverDue()
			w.clock.Advance(30 * time.Minute)
		}
		deliverDue()
		if got := tries.Load(); got != int64(3*waiting) {
			t.Errorf("the orders were tried %d times", got)
		}
		w.hotlist(5001)
		deliverDue()
		w.clock.Advance(15 * time.Minute) // everything is due
		down.Store(false)
		w.run(0, s)
		if first := s.await(t, 1)[0]; first.Kind != order.Hotlist {
			t.Errorf("the first to arrive is %s", first.Kind)
		}
		orders := w.settled()
		if len(orders) != waiting+1 {
			t.Errorf("there are %d orders", len(orders))
		}
		s.checkArrivals(t, orders)
	})
}

// many stores an order for each of many cards, faster than acts would.
func (w *world) many(count int) {
	w.Helper()
	like := w.stored(5001)
	err := w.stores[0].Update(context.Background(), func(tx store.Tx) error {
		for i := range count {
			c := like
			c.ID, c.Revision, c.Tag = 0, 0, ""
			c.NickName, c.Orders = fmt.Sprint("many ", i), 1
			if err := tx.Cards().Put(&c); err != nil {
				return err
			}
			err := tx.Orders().Put(order.Order{
				Token: fmt.Sprintf("%016x", i), ProgramID: 1, CardID: c.ID, Sequence: 1,
				Kind: order.Remake, State: order.Waiting, Created: start, NextTry: start,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
}

// deliver claims the due orders, urgent ones first, sends them and stores the results. It returns
// how many were due.
func (w *world) deliver(node int, s processor.Port) int {
	w.Helper()
	delivered := 0
	for _, urgent := range []bool{true, false} {
		claimed, err := w.nodes[node].Orders.ClaimOrders(
			context.Background(), fmt.Sprint("node ", node), urgent, 100)
		if err != nil {
			w.Fatal(err)
		}
		for _, claim := range claimed {
			answer, failure := s.Submit(context.Background(), claim.Message)
			err := w.nodes[node].Orders.SettleOrder(context.Background(), claim, answer, failure)
			if err != nil {
				w.Fatal(err)
			}
		}
		delivered += len(claimed)
	}
	return delivered
}

// TestTakenOver has a node die while it holds claims. Another one delivers the orders within a
// minute.
func TestTakenOver(t *testing.T) {
	t.Parallel()
	onBoth(t, 2, func(t *testing.T, w *world) {
		w.initiate("0001")
		w.lock(5001, "TMP")
		claims := 0
		for _, urgent := range []bool{true, false} {
			dead, err := w.nodes[0].Orders.ClaimOrders(context.Background(), "node 0", urgent, 9)
			if err != nil {
				t.Fatal(err)
			}
			claims += len(dead)
		}
		s := newStand(nil)
		if due := w.deliver(1, s); claims != 2 || due > 0 {
			t.Fatalf("the first node has claimed %d orders, the second %d", claims, due)
		}
		w.clock.Advance(time.Minute)
		w.run(1, s)
		s.checkArrivals(t, w.settled())
	})
}

// TestStops stops a dispatcher while the processor keeps it waiting. The order is released
// immediately, and the attempt does not count.
func TestStops(t *testing.T) {
	t.Parallel()
	onBoth(t, 1, func(t *testing.T, w *world) {
		began := make(chan struct{})
		stop := w.run(0, portFunc(func(ctx context.Context, _ processor.Message) (
			processor.Answer, error) {
			close(began)
			<-ctx.Done()
			return processor.Answer{}, ctx.Err()
		}))
		w.initiate("0001")
		<-began
		stop()
		o := w.orders()[0]
		if o.State != order.Waiting || o.ClaimedBy != "" || o.Attempts != 0 ||
			!o.NextTry.Equal(start) {
			t.Errorf("the order is left as %+v", o)
		}
		s := newStand(nil)
		w.deliver(0, s)
		s.checkArrivals(t, w.orders())
	})
}

type portFunc func(context.Context, processor.Message) (processor.Answer, error)

func (f portFunc) Submit(ctx context.Context, m processor.Message) (processor.Answer, error) {
	return f(ctx, m)
}

// TestPanics checks that a panic in the port is retried like any other failure.
func TestPanics(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "embedded", 1)
	var once sync.Once
	s := newStand(func(processor.Message) (processor.Answer, error) {
		once.Do(func() { panic("first") })
		return processor.Answer{Outcome: processor.Done}, nil
	})
	w.run(0, s)
	w.initiate("0001")
	w.events.Until(t, "the order was tried", func() bool { return w.orders()[0].Attempts > 0 })
	w.clock.Advance(time.Second)
	if o := w.settled()[0]; o.Attempts != 2 || o.State != order.Done {
		t.Errorf("the order is left as %+v", o)
	}
}

// TestSettles checks the stored result of each outcome of an attempt.
func TestSettles(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		answer  processor.Answer
		failure error
		want    order.State
		error   string
		reached bool
		status  card.Status
	}{
		"done": {processor.Answer{Outcome: processor.Done}, nil, order.Done, "", true,
			card.Initiated},
		"accepted": {processor.Answer{Outcome: processor.Accepted}, nil, order.Sent, "", true,
			card.Initiated},
		"refused": {processor.Answer{Outcome: processor.Refused, Reason: "no design"}, nil,
			order.Failed, "no design", true, card.Denied},
		"not reached": {processor.Answer{}, fmt.Errorf("%w: 503", processor.ErrUnreachable),
			order.Waiting, "the card processor is not reached: 503", false, card.Initiated},
		"misunderstood": {processor.Answer{}, errors.New("500"), order.Waiting, "500", true,
			card.Initiated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "embedded", 1)
			c := w.initiate("0001")
			w.deliver(0, newStand(func(m processor.Message) (processor.Answer, error) {
				if m.Kind != order.Make {
					return processor.Answer{Outcome: processor.Done}, nil
				}
				return row.answer, row.failure
			}))
			o := w.orders()[0]
			if o.State != row.want || o.LastError != row.error || o.Unreachable == row.reached ||
				o.Attempts != 1 || (o.SealedPin == nil) != (row.failure == nil) {
				t.Errorf("the order is left as %+v", o)
			}
			if got := w.stored(c.ID).Status; got != row.status {
				t.Errorf("the card is %s, want %s", got, row.status)
			}
		})
	}
}
