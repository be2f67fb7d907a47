package dispatch_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mintmark/internal/delivery/dispatch"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/processor"
)

// TestClaimsOfBefore checks that a node immediately sends orders that an earlier process of the
// same name had claimed. The clock stands still, so that no lease expires.
func TestClaimsOfBefore(t *testing.T) {
	t.Parallel()
	onBoth(t, 1, func(t *testing.T, w *world) {
		w.hotlist(w.initiate("0001").ID)
		for _, urgent := range []bool{true, false} {
			_, err := w.nodes[0].Orders.ClaimOrders(t.Context(), "node 0", urgent, 9)
			if err != nil {
				t.Fatal(err)
			}
		}
		s := newStand(nil)
		w.run(0, s)
		s.await(t, 2)
		s.checkArrivals(t, w.settled())
	})
}

// TestUrgentFirst checks that a starting node tries all urgent orders before any other.
func TestUrgentFirst(t *testing.T) {
	t.Parallel()
	onBoth(t, 1, func(t *testing.T, w *world) {
		const urgent, others = 6, 20
		first := newStand(nil)
		stop := w.run(0, first)
		for range urgent {
			w.initiate("0001")
		}
		first.await(t, urgent)
		w.settled()
		stop()
		for range others {
			w.initiate("0002")
		}
		for _, m := range first.await(t, urgent) {
			w.hotlist(m.CardID)
		}
		other := make(chan struct{}, others)
		s := newStand(func(m processor.Message) (processor.Answer, error) {
			if !m.Kind.Urgent() {
				other <- struct{}{}
				return processor.Answer{Outcome: processor.Done}, nil
			}
			select {
			case <-other:
				t.Errorf("another order is tried beside %s", m.Kind)
			case <-time.After(50 * time.Millisecond):
			}
			return processor.Answer{Outcome: processor.Done}, nil
		})
		w.run(0, s)
		for i, m := range s.await(t, urgent+others) {
			if m.Kind.Urgent() != (i < urgent) {
				t.Errorf("%s is the arrival number %d", m.Kind, i+1)
			}
		}
	})
}

// hangs is a database with one order, and a processor that hangs.
type hangs struct {
	mu      sync.Mutex
	claimed bool
	renewed []time.Duration // since the start
	failing bool            // the database is unreachable

	began time.Time
	ended chan time.Duration // when the attempt ended, since the start
}

func (h *hangs) ClaimOrders(
	_ context.Context, _ string, urgent bool, _ int,
) ([]orders.ClaimedOrder, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.claimed || !urgent {
		return nil, nil
	}
	h.claimed = true
	return []orders.ClaimedOrder{{Order: order.Order{ID: 7}}}, nil
}

func (h *hangs) RenewClaims(_ context.Context, node string, orderIDs []int) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if node != "a" || len(orderIDs) != 1 || orderIDs[0] != 7 {
		return errors.New("another order")
	}
	if h.failing {
		return errors.New("the database is away")
	}
	h.renewed = append(h.renewed, time.Since(h.began))
	return nil
}

func (*hangs) ReleaseClaims(context.Context, string) error { return nil }

func (*hangs) OrdersOfCard(context.Context, int, int) ([]orders.ClaimedOrder, error) {
	return nil, nil
}

func (*hangs) WaitingOrders(context.Context) ([]order.Order, error) { return nil, nil }

func (*hangs) SettleOrder(
	context.Context, orders.ClaimedOrder, processor.Answer, error,
) error {
	return nil
}

// Submit blocks until its context ends.
func (h *hangs) Submit(ctx context.Context, _ processor.Message) (processor.Answer, error) {
	<-ctx.Done()
	h.ended <- time.Since(h.began)
	return processor.Answer{}, ctx.Err()
}

// TestClaimsAreRenewed checks that a claim is renewed while its order is being sent, and that a
// node that cannot renew it ends the attempt before another node may start one.
func TestClaimsAreRenewed(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		away  time.Duration // when the database becomes unreachable; never for 0
		ended time.Duration // when the attempt ends
	}{
		"renewed":              {0, 20 * time.Second},
		"never renewed":        {time.Second, 6 * time.Second},
		"not renewed any more": {5 * time.Second, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &hangs{began: time.Now(), ended: make(chan time.Duration, 1)}
				d := dispatch.New(h, dispatch.Settings{
					Node: "a", Port: h, Log: slog.New(slog.DiscardHandler),
				})
				ctx, cancel := context.WithCancel(t.Context())
				if row.away > 0 {
					time.AfterFunc(row.away, func() {
						h.mu.Lock()
						defer h.mu.Unlock()
						h.failing = true
					})
				}
				var running sync.WaitGroup
				running.Go(func() { d.Run(ctx) })
				if ended := <-h.ended; ended != row.ended {
					t.Errorf("the try ends after %v, want %v", ended, row.ended)
				}
				cancel()
				running.Wait()
				for i, at := range h.renewed {
					if at != time.Duration(i+1)*2*time.Second {
						t.Errorf("renewed at %v", h.renewed)
					}
				}
			})
		})
	}
}
