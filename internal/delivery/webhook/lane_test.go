package webhook

import (
	"context"
	"errors"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"mintmark/internal/domain/event"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing/events"
)

// flipping is a context that has ended at the first check, and not at the next: a claim that is
// renewed late looks like that to a worker.
type flipping struct {
	context.Context
	looks int
}

func (f *flipping) Err() error {
	f.looks++
	if f.looks == 1 {
		return errors.New("not now")
	}
	return nil
}

// TestLaneStops checks that no event is sent after one of its lane that was left, even if that one
// could be sent by then.
func TestLaneStops(t *testing.T) {
	t.Parallel()
	w := newWorker(&Deliverer{
		trusted: make(chan struct{}, 1), others: make(chan struct{}, 1),
		pace: rate.NewLimiter(rate.Inf, 1),
	}, subscription.Endpoint{WebhookID: 1})
	w.holdUntil(time.Now().Add(time.Hour))
	b := newBatch(events.Deliveries{}, []event.Event{
		{Sequence: 1, CardID: 5001}, {Sequence: 2, CardID: 5001}, // without an identifier: not sent
	})
	if len(b.order) != 1 {
		t.Fatalf("%d lanes", len(b.order))
	}
	w.sendLane(&flipping{Context: t.Context()}, b, b.lanes[b.order[0]])
	for _, r := range b.results() {
		if r.Tried {
			t.Errorf("event %d was tried, and the one in front of it was left", r.Sequence)
		}
	}
}
