package webhook

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mintmark/internal/domain/event"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing/events"
	"mintmark/internal/store"
)

const (
	// batch is the number of events sent before their outcomes are stored.
	batch = 100
	// atOnce limits the deliveries in flight to an endpoint that answers quickly.
	atOnce = 4
	// trustedWithin is the longest response time of a trusted endpoint.
	trustedWithin = 2 * time.Second

	// An endpoint with failuresInARow consecutive failures is failing: only due deliveries are
	// attempted, and one new event per probeAfter. The others stay in the log and need no rows.
	failuresInARow = 10
	probeAfter     = 30 * time.Second
	// fewNew limits the new events, and the due deliveries, of a batch after the first failure.
	fewNew = 4
	// giveUp is the number of consecutive failures that ends a batch.
	giveUp = 2

	// lookAgain is how long a worker is idle before it looks for changes that it was not notified
	// of.
	lookAgain = 5 * time.Second
	// passedOver is the number of unwanted events after which the position is stored.
	passedOver = 1000
)

// worker delivers to one endpoint.
type worker struct {
	*Deliverer
	webhookID int
	webhook   subscription.Webhook // as last read
	position  int                  // the last event that was sent, stored or skipped
	stored    int                  // the stored position

	failures int       // consecutive
	slow     bool      // the last response was late, or there was none yet
	probe    time.Time // store time before which a failing endpoint gets no new event

	wake    chan struct{}
	stopped chan struct{}
	halt    sync.Once
	over    atomic.Bool // the worker has ended

	mu     sync.Mutex
	until  time.Time // wall time at which the endpoint becomes available to other nodes
	now    time.Time // store time
	newest int
	due    bool
}

func newWorker(d *Deliverer, e subscription.Endpoint) *worker {
	return &worker{
		Deliverer: d, webhookID: e.WebhookID, position: e.Position, stored: e.Position,
		slow: true, wake: make(chan struct{}, 1), stopped: make(chan struct{}), due: true,
	}
}

// stop ends the worker after the delivery in flight.
func (w *worker) stop() { w.halt.Do(func() { close(w.stopped) }) }

func (w *worker) ended() bool { return w.over.Load() }

// holdUntil sets the time until which this node holds the endpoint.
func (w *worker) holdUntil(until time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.until = until
}

// tell passes the result of a look to the worker and wakes it.
func (w *worker) tell(now time.Time, newest int, due bool) {
	w.mu.Lock()
	w.now, w.newest = now, newest
	w.due = w.due || due
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// may reports whether the worker may send: the node holds the endpoint, and neither the worker nor
// the context has ended.
func (w *worker) may(ctx context.Context) bool {
	select {
	case <-w.stopped:
		return false
	default:
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return ctx.Err() == nil && time.Now().Before(w.until)
}

// run delivers until the worker is stopped, the context ends, the endpoint is lost or the webhook
// is gone.
func (w *worker) run(ctx context.Context) {
	defer w.over.Store(true)
	looked := time.Time{}
	for w.may(ctx) {
		more, err := false, error(nil)
		if w.hasWork() || time.Since(looked) >= lookAgain {
			looked = time.Now()
			more, err = w.deliver(ctx)
		}
		if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrLostUpdate) {
			return
		}
		if err != nil && ctx.Err() == nil {
			w.Log.WarnContext(ctx, "serving webhook failed", "webhook", w.webhookID,
				"error", err)
		}
		if more && err == nil {
			continue
		}
		select {
		case <-w.wake:
		case <-w.stopped:
		case <-ctx.Done():
		}
	}
}

// hasWork reports whether a delivery is due or a new event may be sent.
func (w *worker) hasWork() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.due || w.newest > w.position && w.newLimit(w.now) > 0
}

// newLimit returns the number of new events that may be sent together.
func (w *worker) newLimit(now time.Time) int {
	switch {
	case w.failures == 0:
		return batch
	case w.failures < failuresInARow:
		return fewNew
	case now.Before(w.probe) && !now.Before(w.probe.Add(-2*probeAfter)):
		return 0
	}
	return 1
}

// deliver sends at most a batch and stores the outcomes. more is true if there may be more to send.
func (w *worker) deliver(ctx context.Context) (more bool, err error) {
	w.mu.Lock()
	now, limit := w.now, w.newLimit(w.now)
	w.due = false
	w.mu.Unlock()
	fresh, next, err := w.newEvents(ctx, limit)
	if err != nil {
		return false, err
	}
	deliveries, err := w.acts.FindDeliveries(ctx, events.DeliveryQuery{
		WebhookID: w.webhookID, Lanes: lanesOf(fresh), Due: w.dueLimit(), Replayed: limit,
	})
	if err != nil {
		return false, err
	}
	if deliveries.Webhook.Revision != w.webhook.Revision {
		// An outdated revision of the webhook selected the events.
		w.webhook = deliveries.Webhook
		return true, nil
	}
	if deliveries.Webhook.Paused {
		return false, nil
	}
	if len(fresh)+len(deliveries.Replayed) > 0 && w.failures >= failuresInARow {
		w.probe = now.Add(probeAfter)
	}
	b := newBatch(deliveries, fresh)
	passed := next - w.stored
	w.send(ctx, b)
	of := events.Settlement{
		Node: w.Node, WebhookID: w.webhookID, Position: next, Results: b.results(),
		Replay: deliveries.Replay, Gone: b.gone,
	}
	if len(of.Results) == 0 && deliveries.Replay == nil && passed < passedOver {
		w.position = next
		return len(fresh) > 0, nil
	}
	if err := w.settle(ctx, of); err != nil {
		return false, err
	}
	w.position, w.stored = next, next
	return len(of.Results) > 0 || deliveries.Replay != nil, nil
}

// dueLimit returns the number of due deliveries that are attempted together.
func (w *worker) dueLimit() int {
	if w.failures > 0 {
		return fewNew
	}
	return batch
}

// scanned limits the events examined for a batch.
const scanned = 1000

// newEvents returns at most limit events after the position that the webhook wants, and the
// position reached.
func (w *worker) newEvents(
	ctx context.Context, limit int,
) (fresh []event.Event, next int, err error) {
	next = w.position
	if w.webhook.ID == 0 {
		return nil, next, nil // the first look loads the webhook
	}
	for looked := 0; looked < scanned && len(fresh) < limit; {
		some, to, known := w.tail.after(next, batch)
		if !known {
			some, to, err = w.acts.ReadEvents(ctx, next, 2*batch)
			if err != nil {
				return nil, next, err
			}
		}
		if to == next {
			break
		}
		for _, e := range some {
			if len(fresh) == limit {
				return fresh, fresh[limit-1].Sequence, nil
			}
			if events.Wants(w.webhook, e) {
				fresh = append(fresh, e)
			}
		}
		looked += to - next
		next = to
	}
	return fresh, next, nil
}

func lanesOf(events []event.Event) []int {
	lanes := make([]int, len(events))
	for i, e := range events {
		lanes[i] = e.Lane()
	}
	slices.Sort(lanes)
	return slices.Compact(lanes)
}

// settle stores the outcomes of a batch. It retries until it succeeds or the endpoint is lost, so
// that a short outage of the database does not cause events to be sent again. A service that is
// stopping also stores what it has sent.
func (w *worker) settle(ctx context.Context, of events.Settlement) error {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		storing, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
		err := w.acts.SettleDeliveries(storing, of)
		cancel()
		if err == nil || errors.Is(err, store.ErrLostUpdate) || !w.may(ctx) {
			return err
		}
		w.Log.WarnContext(ctx, "storing delivery outcomes failed", "webhook",
			w.webhookID, "error", err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// send sends the events of a batch: lanes in parallel, the events of a lane one after the other
// until one fails. After giveUp consecutive failures the rest is skipped.
func (w *worker) send(ctx context.Context, b *sending) {
	lanes := make(chan []*events.Result)
	var running sync.WaitGroup
	parallel := atOnce
	if w.slow || w.failures > 0 {
		parallel = 1
	}
	for range min(parallel, len(b.lanes)) {
		running.Go(func() {
			for lane := range lanes {
				w.sendLane(ctx, b, lane)
			}
		})
	}
	for _, key := range b.order {
		lanes <- b.lanes[key]
	}
	close(lanes)
	running.Wait()
	w.failures, w.slow = b.failuresAfter(w.failures), b.slowAfter(w.slow)
}

// sendLane sends the events of a lane until one fails or may not be sent. The events after it wait,
// even if they could be sent a moment later.
func (w *worker) sendLane(ctx context.Context, b *sending, lane []*events.Result) {
	for _, r := range lane {
		if b.blocked(r) || b.enough() || !w.may(ctx) || w.pace.Wait(ctx) != nil {
			return
		}
		slots := w.others
		if !w.slow {
			slots = w.trusted
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		if !w.may(ctx) { // the wait may have outlasted the claim on the endpoint
			<-slots
			return
		}
		answer := reply{Attempt: subscription.Attempt{Error: "the event has left the log"}}
		if r.ID != "" {
			answer = w.Sender.Send(ctx, b.Webhook.URL, b.Secrets, r.Event)
		}
		<-slots
		if ctx.Err() != nil && answer.Error != "" {
			return // the service is stopping; whether the event was accepted is unknown
		}
		r.Tried, r.Attempt, r.RetryAfter = true, answer.Attempt, answer.retryAfter
		r.Random = rand.Float64()
		b.note(r, answer)
		if answer.Error != "" {
			return
		}
	}
}
