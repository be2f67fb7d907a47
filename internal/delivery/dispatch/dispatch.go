// Package dispatch delivers orders to the card processor: a loop on every node claims due orders,
// hands them to the port, and stores the outcome. A query finds the due orders
// (sqlstore/orderclaim.go); package order decides how an answer changes them.
//
// Urgent orders have their own workers, so that they never wait behind other orders, and are
// attempted first when a node starts. A node renews the claims on the orders it is sending. A node
// that stops finishes its orders in flight or releases them. The claims of a node that dies expire
// within seconds, or are released when a node with the same name starts.
package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/processor"
)

// Orders is the part of package orders that a dispatcher uses.
type Orders interface {
	ClaimOrders(
		ctx context.Context, node string, urgent bool, limit int,
	) ([]orders.ClaimedOrder, error)
	RenewClaims(ctx context.Context, node string, orderIDs []int) error
	ReleaseClaims(ctx context.Context, node string) error
	OrdersOfCard(ctx context.Context, programID, cardID int) ([]orders.ClaimedOrder, error)
	WaitingOrders(ctx context.Context) ([]order.Order, error)
	SettleOrder(
		ctx context.Context, sent orders.ClaimedOrder, answer processor.Answer, failure error,
	) error
}

// Settings configures a Dispatcher.
type Settings struct {
	Node string // the name of this process among the nodes on one database
	Port processor.Port
	Log  *slog.Logger
	// Synchronous executes orders before the act that wrote them returns, as a sandbox does. Only
	// one process may use the database then.
	Synchronous bool
	// Turn waits until the loop may claim orders; the loop calls over when the claimed orders have
	// been attempted. A sandbox blocks the loop while it moves its clock and sends due orders
	// itself. If Turn is nil, the loop never waits.
	Turn func() (over func())
	// Ran, if not nil, is called with the result of each claim, so that it can be shown.
	Ran func(ctx context.Context, err error)
}

// Limits on the orders in flight, by queue.
const (
	urgentWorkers = 4
	otherWorkers  = 12
)

const (
	// pollTime is the interval between polls of a queue that is not woken.
	pollTime = time.Second
	// submitTime bounds one attempt; the claim is renewed meanwhile.
	submitTime = 20 * time.Second
	// stopTime bounds the orders still in flight when the dispatcher stops.
	stopTime = 3 * time.Second
	// settleTime bounds the storing of an outcome.
	settleTime = 5 * time.Second
)

// Dispatcher delivers orders. It is safe for concurrent use.
type Dispatcher struct {
	Settings
	orders   Orders
	queues   [2]*queue
	cards    cardLocks
	inFlight claims
}

// queue dispatches either the urgent orders or all others.
type queue struct {
	urgent  bool
	workers int
	wake    chan struct{}
	free    chan struct{} // one element per free worker
}

// New returns a Dispatcher that is not running yet.
func New(orders Orders, settings Settings) *Dispatcher {
	return &Dispatcher{
		Settings: settings, orders: orders,
		queues: [2]*queue{newQueue(true, urgentWorkers), newQueue(false, otherWorkers)},
	}
}

func newQueue(urgent bool, workers int) *queue {
	q := &queue{
		urgent: urgent, workers: workers,
		wake: make(chan struct{}, 1), free: make(chan struct{}, workers),
	}
	for range workers {
		q.free <- struct{}{}
	}
	return q
}

// Run delivers orders until the context ends, and returns when none is in flight.
func (d *Dispatcher) Run(ctx context.Context) {
	// Orders in flight outlive the context by stopTime at most.
	inFlight, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(stopTime, cancel) })()
	if !d.Synchronous {
		if err := d.orders.ReleaseClaims(ctx, d.Node); err != nil && ctx.Err() == nil {
			d.Log.ErrorContext(ctx, "releasing order claims of an earlier process failed",
				"error", err)
		}
	}
	var running, renewing sync.WaitGroup
	renewing.Go(func() { d.renewClaims(inFlight) })
	urgentTried := make(chan struct{})
	running.Go(func() { d.runQueue(ctx, inFlight, d.queues[0], func() { close(urgentTried) }) })
	running.Go(func() {
		select {
		case <-urgentTried:
			d.runQueue(ctx, inFlight, d.queues[1], func() {})
		case <-ctx.Done():
		}
	})
	running.Wait()
	cancel()
	renewing.Wait()
}

// runQueue claims orders while workers are free, and rests when no more are due. It calls allTried
// once all orders that were due at the start have been attempted.
func (d *Dispatcher) runQueue(ctx, inFlight context.Context, q *queue, allTried func()) {
	var running, backlog sync.WaitGroup
	defer running.Wait()
	caughtUp := false
	for ctx.Err() == nil {
		free := q.takeFree(ctx)
		over := d.turn()
		began := time.Now()
		claimed, err := d.claim(ctx, q.urgent, free)
		var round sync.WaitGroup
		for _, claim := range claimed {
			round.Go(func() {
				defer q.giveBack(1)
				d.deliverClaimed(inFlight, claim, began)
			})
		}
		running.Go(func() { round.Wait(); over() })
		if !caughtUp {
			backlog.Go(round.Wait)
		}
		q.giveBack(free - len(claimed))
		if d.Ran != nil && ctx.Err() == nil {
			d.Ran(ctx, err)
		}
		if err != nil && ctx.Err() == nil {
			d.Log.ErrorContext(ctx, "claiming orders failed", "error", err)
		}
		if len(claimed) < free || err != nil {
			if !caughtUp {
				caughtUp = true
				running.Go(func() { backlog.Wait(); allTried() })
			}
			q.rest(ctx)
		}
	}
}

func (d *Dispatcher) turn() (over func()) {
	if d.Turn == nil {
		return func() {}
	}
	return d.Turn()
}

// takeFree waits for a free worker, takes all free ones and returns their number; 0 if the context
// has ended.
func (q *queue) takeFree(ctx context.Context) int {
	select {
	case <-q.free:
	case <-ctx.Done():
		return 0
	}
	for taken := 1; ; taken++ {
		select {
		case <-q.free:
		default:
			return taken
		}
	}
}

func (q *queue) giveBack(workers int) {
	for range workers {
		q.free <- struct{}{}
	}
}

// rest returns when the queue is woken, after pollTime, or when the context ends.
func (q *queue) rest(ctx context.Context) {
	timer := time.NewTimer(pollTime)
	defer timer.Stop()
	select {
	case <-q.wake:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// claim claims at most free orders. If the node cannot send them, the claims expire.
func (d *Dispatcher) claim(
	ctx context.Context, urgent bool, free int,
) (claimed []orders.ClaimedOrder, err error) {
	if ctx.Err() != nil || free == 0 {
		return nil, nil
	}
	defer recovered(&err)
	return d.orders.ClaimOrders(ctx, d.Node, urgent, free)
}

// deliverClaimed sends an order that was claimed at the given time. If this process is already
// sending the order, an earlier attempt has outlived its claim, and the order is left to it.
func (d *Dispatcher) deliverClaimed(
	ctx context.Context, claim orders.ClaimedOrder, claimed time.Time,
) {
	held, release, ok := d.inFlight.hold(ctx, claim.Order.ID, claimed)
	if !ok {
		return
	}
	defer release()
	d.deliver(held, claim)
}

// deliver sends one order, stores the outcome and wakes the queues, because other orders of the
// card may be due now. It reports whether the order was sent and its outcome stored.
func (d *Dispatcher) deliver(ctx context.Context, claim orders.ClaimedOrder) (settled bool) {
	answer, failure := d.submit(ctx, claim)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	err := d.settle(ctx, claim, answer, failure)
	if err != nil {
		d.Log.ErrorContext(ctx, "storing order outcome failed",
			"order", claim.Order.ID, "error", err)
	}
	d.wake()
	return err == nil && failure == nil
}

func (d *Dispatcher) submit(
	ctx context.Context, claim orders.ClaimedOrder,
) (answer processor.Answer, err error) {
	stopped := ctx
	ctx, cancel := context.WithTimeout(ctx, submitTime)
	defer cancel()
	defer recovered(&err)
	answer, err = d.Port.Submit(ctx, claim.Message)
	if err != nil && stopped.Err() != nil {
		err = fmt.Errorf("%w: %w", context.Canceled, err)
	}
	return answer, err
}

func (d *Dispatcher) settle(
	ctx context.Context, claim orders.ClaimedOrder, answer processor.Answer, failure error,
) (err error) {
	defer recovered(&err)
	return d.orders.SettleOrder(ctx, claim, answer, failure)
}

// recovered turns a panic into an error: a panic must not end the service.
func recovered(err *error) {
	if cause := recover(); cause != nil {
		*err = errors.Join(*err, fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
	}
}

func (d *Dispatcher) wake() {
	for _, q := range d.queues {
		select {
		case q.wake <- struct{}{}:
		default: // a wake-up is already pending
		}
	}
}
