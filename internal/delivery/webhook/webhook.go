// Package webhook delivers events to the subscribers of programs. A Deliverer claims endpoints,
// each on one node at a time, and runs a worker for each: the worker sends the events of a card in
// order, and stores a failed event for a later attempt. Packages subscription and issuing decide
// what is due, and what happens to an event that was not accepted.
package webhook

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"mintmark/internal/domain/event"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing/events"
	"mintmark/internal/store"
)

// Acts is the part of package issuing that a Deliverer uses.
type Acts interface {
	WatchEndpoints(ctx context.Context) (events.EndpointWatch, error)
	ClaimEndpoints(ctx context.Context, node string, most int) ([]subscription.Endpoint, error)
	ReleaseEndpoints(ctx context.Context, node string, positions map[int]int) error
	ReadEvents(ctx context.Context, after, limit int) ([]event.Event, int, error)
	FindDeliveries(ctx context.Context, q events.DeliveryQuery) (events.Deliveries, error)
	SettleDeliveries(ctx context.Context, of events.Settlement) error
	Sealed() <-chan struct{}
}

// Settings configures a Deliverer.
type Settings struct {
	Node   string // the name of this process among the nodes on one database
	Sender *Sender
	Log    *slog.Logger
	// Poll is the interval at which a node looks for work left by another; default half a second.
	Poll time.Duration
	// Slots limits the deliveries in flight; default 256.
	Slots int
	// PerSecond limits the deliveries that a node starts in a second, so that a backlog leaves
	// capacity for callers; default 500.
	PerSecond int
	// Ran, if not nil, is called with the result of each look, so that it can be shown.
	Ran func(ctx context.Context, err error)
}

// Defaults of Settings.
const (
	defaultPoll      = 500 * time.Millisecond
	defaultSlots     = 256
	defaultPerSecond = 500
)

// takenAtOnce limits the free endpoints that a node claims at a time, so that nodes that start
// together share them.
const takenAtOnce = 32

// Deliverer delivers to the endpoints that this node holds.
type Deliverer struct {
	Settings
	acts    Acts
	tail    tail
	trusted chan struct{} // slots of endpoints that answer quickly
	others  chan struct{} // slots of all other endpoints, so that these cannot take all slots
	pace    *rate.Limiter

	workers map[int]*worker
	running sync.WaitGroup
}

// New returns a Deliverer that is not running yet.
func New(acts Acts, settings Settings) *Deliverer {
	if settings.Poll == 0 {
		settings.Poll = defaultPoll
	}
	if settings.Slots == 0 {
		settings.Slots = defaultSlots
	}
	if settings.PerSecond == 0 {
		settings.PerSecond = defaultPerSecond
	}
	half := max(1, settings.Slots/2)
	return &Deliverer{
		Settings: settings, acts: acts, workers: make(map[int]*worker),
		trusted: make(chan struct{}, half), others: make(chan struct{}, half),
		pace: rate.NewLimiter(rate.Limit(settings.PerSecond), settings.PerSecond),
	}
}

// Run delivers until the context ends. It returns when the last delivery in flight has ended and
// the endpoints are released.
func (d *Deliverer) Run(ctx context.Context) {
	failing := false
	for ctx.Err() == nil {
		sealed := d.acts.Sealed()
		err := d.look(ctx)
		if err != nil && ctx.Err() == nil && !failing {
			d.Log.ErrorContext(ctx, "serving webhooks failed", "error", err)
		}
		failing = err != nil
		if d.Ran != nil && ctx.Err() == nil {
			d.Ran(ctx, err)
		}
		d.wait(ctx, sealed)
	}
	for _, w := range d.workers {
		w.stop()
	}
	d.running.Wait()
	d.giveBack(context.WithoutCancel(ctx))
}

// wait returns when more entries are sealed, at the next poll, or when the context ends.
func (d *Deliverer) wait(ctx context.Context, sealed <-chan struct{}) {
	timer := time.NewTimer(d.Poll)
	defer timer.Stop()
	select {
	case <-sealed:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// look checks for work, claims endpoints and wakes the workers.
func (d *Deliverer) look(ctx context.Context) error {
	began := time.Now()
	watch, err := d.acts.WatchEndpoints(ctx)
	if err != nil {
		return err
	}
	held := watch.Endpoints
	if d.claims(watch) {
		held, err = d.acts.ClaimEndpoints(ctx, d.Node, takenAtOnce)
		if err != nil {
			return err
		}
	}
	d.keepWorkers(ctx, held, watch.Now, began)
	if len(d.workers) == 0 {
		return nil
	}
	if err := d.tail.extend(ctx, d.acts, watch.Newest); err != nil {
		return err
	}
	due := make(map[int]bool, len(watch.Due))
	for _, id := range watch.Due {
		due[id] = true
	}
	for id, w := range d.workers {
		w.tell(watch.Now, watch.Newest, due[id])
	}
	return nil
}

// claims reports whether the node has endpoints to renew or to claim.
func (d *Deliverer) claims(watch events.EndpointWatch) bool {
	for _, e := range watch.Endpoints {
		if e.Free(watch.Now) || e.Node == d.Node && e.Renewable(watch.Now) {
			return true
		}
	}
	return false
}

// keepWorkers starts a worker for each endpoint that the node holds, and stops the workers of those
// it has lost. A claim counts from the time of its request, less the time of one delivery, so that
// the last delivery ends before another node starts.
func (d *Deliverer) keepWorkers(
	ctx context.Context, held []subscription.Endpoint, now, began time.Time,
) {
	mine := make(map[int]bool)
	for _, e := range held {
		if e.Node != d.Node {
			continue
		}
		mine[e.WebhookID] = true
		left := e.Until.Sub(now) - sendTimeout
		w := d.workers[e.WebhookID]
		if w == nil || w.ended() {
			w = newWorker(d, e)
			d.workers[e.WebhookID] = w
			d.running.Go(func() { w.run(ctx) })
		}
		w.holdUntil(began.Add(left))
	}
	for id, w := range d.workers {
		if !mine[id] {
			w.stop()
			delete(d.workers, id)
		}
	}
}

// giveBack releases the endpoints when the service stops, so that another node continues
// immediately.
func (d *Deliverer) giveBack(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	positions := make(map[int]int, len(d.workers))
	for id, w := range d.workers {
		positions[id] = w.position
	}
	if len(positions) == 0 {
		return
	}
	err := d.acts.ReleaseEndpoints(ctx, d.Node, positions)
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, store.ErrRestored) {
		d.Log.WarnContext(ctx, "endpoints were not released; another node takes them over in "+
			subscription.ClaimLifetime.String(), "error", err)
	}
}
