package webhook

import (
	"slices"
	"sync"

	"mintmark/internal/domain/event"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing/events"
)

// sending is a batch of events on its way to a webhook.
type sending struct {
	events.Deliveries
	waiting map[int]bool // lanes in which deliveries wait, that are not part of the batch

	order []int                    // lanes, as their first events come
	lanes map[int][]*events.Result // in the order in which they are sent
	all   []*events.Result

	mu       sync.Mutex
	failures int // in a row
	succeeds bool
	slow     bool // the last answer was long in coming
	tried    bool
	gone     string
}

// newBatch arranges what is due, what is replayed and what is new by lanes.
func newBatch(deliveries events.Deliveries, fresh []event.Event) *sending {
	b := &sending{
		Deliveries: deliveries, waiting: make(map[int]bool), lanes: make(map[int][]*events.Result),
	}
	for _, lane := range deliveries.Waiting {
		b.waiting[lane] = true
	}
	for _, out := range slices.Concat(deliveries.Due, deliveries.Replayed) {
		b.add(out)
	}
	for _, e := range fresh {
		b.add(events.Outgoing{Event: e, Delivery: subscription.Delivery{
			WebhookID: deliveries.Webhook.ID, Sequence: e.Sequence, Lane: e.Lane(), Type: e.Type,
			State: subscription.Waiting,
		}})
	}
	return b
}

func (b *sending) add(out events.Outgoing) {
	r := &events.Result{Outgoing: out}
	lane := out.Delivery.Lane
	if len(b.lanes[lane]) == 0 {
		b.order = append(b.order, lane)
	}
	b.lanes[lane] = append(b.lanes[lane], r)
	b.all = append(b.all, r)
}

// blocked reports whether an event must wait behind a delivery of its lane.
func (b *sending) blocked(r *events.Result) bool { return !r.Kept && b.waiting[r.Delivery.Lane] }

// enough reports whether the rest of the batch is left: the endpoint fails, or wants no more.
func (b *sending) enough() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failures >= giveUp || b.gone != ""
}

// note takes down what came of a try.
func (b *sending) note(r *events.Result, answer reply) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tried, b.slow = true, answer.Duration > soon || answer.Error != ""
	if answer.Error == "" {
		b.failures, b.succeeds = 0, true
		return
	}
	b.failures++
	if answer.gone() {
		b.gone = "the receiver answered 410 Gone to event " + r.ID
	}
}

// failuresAfter returns how many tries have failed in a row, given how many had before.
func (b *sending) failuresAfter(before int) int {
	if b.succeeds {
		return b.failures
	}
	return before + b.failures
}

func (b *sending) slowAfter(before bool) bool {
	if !b.tried {
		return before
	}
	return b.slow
}

// results are what came of each event, in the order in which they were added.
func (b *sending) results() []events.Result {
	results := make([]events.Result, len(b.all))
	for i, r := range b.all {
		results[i] = *r
	}
	return results
}
