// Package dispatch delivers orders to the card processor: a loop on every node claims the due
// orders, hands them to the port, and stores the outcome. A query finds the due orders
// (sqlstore/orderclaim.go); package order decides what an answer makes of them.
//
// Urgent orders have workers of their own, so that they never wait behind others, and are tried first
// when a node starts. A node renews the claims on what it is sending. One that stops lets its orders
// in flight end, or gives them back; the claims of one that dies end by themselves within seconds,
// or when a node of its name starts.
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

// Orders are the acts of issuing that a dispatcher performs.
type Orders interface {
	ClaimOrders(
		ctx context.Context, node string, urgent bool, limit int,
	) ([]orders.ClaimedOrder, error)
	RenewClaims(ctx context.Context, node string, orderIDs []int) error
	FreeClaims(ctx context.Context, node string) error
	OrdersOfCard(ctx context.Context, programID, cardID int) ([]orders.ClaimedOrder, error)
	WaitingOrders(ctx context.Context) ([]order.Order, error)
	SettleOrder(
		ctx context.Context, sent orders.ClaimedOrder, answer processor.Answer, failure error,
	) error
}

// Settings say how a dispatcher works.
type Settings struct {
	Node string // the name of this process among the nodes on one database
	Port processor.Port
	Log  *slog.Logger
	// Synchronous carries orders out before the act that has written them is answered, as a sandbox
	// does. Only one process may work on the database then.
	Synchronous bool
	// Turn waits until the loop may claim orders, and is told when what it has claimed is over. A
	// sandbox moves its clock meanwhile and sends what is due itself. Nil lets the loop go on.
	Turn func() (over func())
	// Ran is told what came of each claim, so that it can be shown. Nil stands for nobody.
	Ran func(ctx context.Context, err error)
}

// How many orders are on their way at the same time.
const (
	urgentWorkers = 4
	otherWorkers  = 12
)

const (
	// pollTime is how long a queue rests that was not woken.
	pollTime = time.Second
	// submitTime bounds one try, whose claim is renewed meanwhile.
	submitTime = 20 * time.Second
	// stopTime is how long orders in flight may take when the dispatcher stops.
	stopTime = 3 * time.Second
	// settleTime bounds how long it takes to keep what came of a try.
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

// queue is one of the two queues: the urgent orders, or all others.
type queue struct {
	urgent  bool
	workers int
	wake    chan struct{}
	free    chan struct{} // one for each worker that is free
}

// New returns a dispatcher of orders.
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

// Run delivers orders until the context ends, and returns when none is in flight any more.
func (d *Dispatcher) Run(ctx context.Context) {
	// Orders in flight outlive the context by stopTime at most.
	inFlight, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(stopTime, cancel) })()
	if !d.Synchronous {
		if err := d.orders.FreeClaims(ctx, d.Node); err != nil && ctx.Err() == nil {
			d.Log.ErrorContext(ctx, "claims of an earlier process not freed", "error", err)
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

// runQueue claims orders as long as workers are free, and rests when there are none. It tells when
// all that was due at the start was tried.
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
			d.Log.ErrorContext(ctx, "orders not claimed", "error", err)
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

// takeFree waits until a worker is free, and returns how many are; 0 when the context has ended.
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

// claim claims orders for workers that are free. Claims of a node that cannot send them end by
// themselves.
func (d *Dispatcher) claim(
	ctx context.Context, urgent bool, free int,
) (claimed []orders.ClaimedOrder, err error) {
	if ctx.Err() != nil || free == 0 {
		return nil, nil
	}
	defer recovered(&err)
	return d.orders.ClaimOrders(ctx, d.Node, urgent, free)
}

// deliverClaimed sends an order that was claimed at a moment. An order that this process is sending
// already is left to that try, which has outlived its claim.
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

// deliver sends one order and keeps what came of it, which may let others of its card be sent.
func (d *Dispatcher) deliver(ctx context.Context, claim orders.ClaimedOrder) (settled bool) {
	answer, failure := d.submit(ctx, claim)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	err := d.settle(ctx, claim, answer, failure)
	if err != nil {
		d.Log.ErrorContext(ctx, "order outcome not stored", "order", claim.Order.ID, "error", err)
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

// recovered makes an error of a panic, which must not end the service.
func recovered(err *error) {
	if cause := recover(); cause != nil {
		*err = errors.Join(*err, fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
	}
}

// wake makes both queues look for orders.
func (d *Dispatcher) wake() {
	for _, q := range d.queues {
		select {
		case q.wake <- struct{}{}:
		default: // it will look anyway
		}
	}
}
