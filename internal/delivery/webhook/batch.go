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
	waiting map[int]bool // lanes with waiting deliveries that are not part of the batch

	order []int                    // lanes, in the order of their first events
	lanes map[int][]*events.Result // in the order of sending
	all   []*events.Result

	mu       sync.Mutex
	failures int // consecutive
	succeeds bool
	slow     bool // the last response was late or a failure
	tried    bool
	gone     string
}

// newBatch groups the due, replayed and new events by lane.
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

// blocked reports whether an event must wait for a delivery of its lane.
func (b *sending) blocked(r *events.Result) bool { return !r.Kept && b.waiting[r.Delivery.Lane] }

// enough reports whether to skip the rest of the batch: the endpoint fails, or wants no more
// events.
func (b *sending) enough() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failures >= giveUp || b.gone != ""
}

// note records the outcome of an attempt.
func (b *sending) note(r *events.Result, answer reply) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tried, b.slow = true, answer.Duration > trustedWithin || answer.Error != ""
	if answer.Error == "" {
		b.failures, b.succeeds = 0, true
		return
	}
	b.failures++
	if answer.gone() {
		b.gone = "the receiver answered 410 Gone to event " + r.ID
	}
}

// failuresAfter returns the number of consecutive failures, given the number before the batch.
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

// results returns the outcome of each event, in the order in which they were added.
func (b *sending) results() []events.Result {
	results := make([]events.Result, len(b.all))
	for i, r := range b.all {
		results[i] = *r
	}
	return results
}
