package dispatch_test

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"

	"mintmark/internal/delivery/dispatch"
	"mintmark/internal/domain/order"
	"mintmark/internal/processor"
)

// TestDeliverDue sends the due orders in one call: those of two cards, which must arrive one after
// the other, and an urgent one first. A failed order is due again later.
func TestDeliverDue(t *testing.T) {
	t.Parallel()
	onBoth(t, 1, func(t *testing.T, w *world) {
		var down atomic.Bool
		down.Store(true)
		s := newStand(func(processor.Message) (processor.Answer, error) {
			if down.Load() {
				return processor.Answer{}, processor.ErrUnreachable
			}
			return processor.Answer{Outcome: processor.Done}, nil
		})
		d := w.dispatcher(0, dispatch.Settings{Port: s, Log: slog.New(slog.DiscardHandler)})
		first, other := w.initiate("0001"), w.initiate("0002")
		w.lock(first.ID, "TMP")
		w.unlock(first.ID)
		w.lock(other.ID, "TMP")
		w.lock(5001, "TMP")
		deliver := func() {
			if err := d.DeliverDue(context.Background()); err != nil {
				t.Error(err)
			}
		}
		deliver()
		down.Store(false)
		deliver() // too early
		if len(s.arrived) != 0 {
			t.Errorf("%d orders have arrived", len(s.arrived))
		}
		for _, o := range w.orders() {
			if o.State != order.Waiting || o.Attempts > 1 {
				t.Errorf("an order is left as %+v", o)
			}
		}
		w.clock.Advance(order.LongestWait)
		deliver()
		s.checkArrivals(t, w.orders())
		if got := s.arrived[0]; got.CardID != 5001 || got.Kind != order.Lock {
			t.Errorf("the first to arrive is %s of card %d", got.Kind, got.CardID)
		}
	})
}

// TestTurn checks that a dispatcher claims nothing while another goroutine has the turn, and that
// the turn ends only with what was claimed.
func TestTurn(t *testing.T) {
	t.Parallel()
	onBoth(t, 1, func(t *testing.T, w *world) {
		var turn sync.RWMutex
		turns := make(chan struct{}, 1000)
		began, end := make(chan struct{}, 1), make(chan struct{})
		s := newStand(func(processor.Message) (processor.Answer, error) {
			select {
			case began <- struct{}{}:
			default: // another order was started, or this one twice
			}
			<-end
			return processor.Answer{Outcome: processor.Done}, nil
		})
		d := w.dispatcher(0, dispatch.Settings{
			Port: s, Log: slog.New(slog.DiscardHandler),
			Turn: func() func() { turns <- struct{}{}; turn.RLock(); return turn.RUnlock },
		})
		ctx, stop := context.WithCancel(context.Background())
		var running sync.WaitGroup
		defer running.Wait()
		defer stop()
		for range 20 {
			w.initiate("0001")
		}
		turn.Lock()
		running.Go(func() { d.Run(ctx) })
		<-turns // for the urgent orders: the others follow the first of them
		for _, o := range w.orders() {
			if o.ClaimedBy != "" {
				t.Errorf("order %d is claimed out of turn", o.ID)
			}
		}
		turn.Unlock()
		<-began
		if turn.TryLock() {
			t.Error("the turn is over while an order is at work")
			turn.Unlock()
		}
		close(end)
		turn.Lock()
		for _, o := range w.orders() {
			if o.ClaimedBy != "" {
				t.Errorf("order %d is at work out of turn", o.ID)
			}
		}
		turn.Unlock()
		w.settled()
	})
}
