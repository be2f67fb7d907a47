package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// commitQueue is the queue of Updates. SQLite has one writer, and each commit waits for the disk,
// so Updates that arrive at the same time share a commit: this is group commit with a leader
// (decision 2).
//
// The first Update in the queue leads. It takes the writer, runs the closures in the queue one
// after the other, each under its own savepoint, and commits all of them when the queue is empty or
// the group is full. Then the next Update in the queue leads. The work stays in one goroutine as
// long as there is any, and a waiting goroutine is woken only for its answer.
//
// No Update is answered before the commit, not even a rejected one: the rejection may depend on
// what another Update of the group wrote.
type commitQueue struct {
	mu      sync.Mutex
	waiting []*pendingUpdate
	led     bool // an Update leads
	watched bool // a timer is set to look for Updates whose context has ended
}

// pendingUpdate is one Update from its arrival to its answer.
type pendingUpdate struct {
	ctx  context.Context
	fn   func(db.Session) error
	wake chan bool // true: lead; false: the outcome is known

	err   error
	panic *panicked
}

// commitGroup is a transaction that several Updates share.
type commitGroup struct {
	on          *connection
	begun       bool             // a transaction is open
	inSavepoint bool             // a savepoint separates the running closure from those before it
	updates     []*pendingUpdate // those whose closures have run
	err         error            // why nothing was committed
}

// Update runs a closure and commits all of its writes, or none.
func (e *Engine) Update(ctx context.Context, fn func(db.Session) error) error {
	own := &pendingUpdate{ctx: ctx, fn: fn, wake: make(chan bool, 1)}
	if e.queue.join(own) || <-own.wake {
		e.lead(own)
	}
	if own.panic != nil {
		panic(own.panic)
	}
	return own.err
}

// Dispatch is an Update, because Updates run one at a time.
func (e *Engine) Dispatch(ctx context.Context, fn func(db.Session) error) error {
	return e.Update(ctx, fn)
}

// lead runs the closures of a group and answers all its Updates.
func (e *Engine) lead(own *pendingUpdate) {
	on, err := e.take(own.ctx, e.writers)
	if err != nil {
		own.err = err
		e.queue.promoteNext()
		return
	}
	g := &commitGroup{on: on}
	defer e.endGroup(g, own) // also when the leader's own closure panics
	last := e.queue.last()
	for next := own; next != nil; next = e.queue.next() {
		e.runInSavepoint(g, next, next == own)
		// The group ends if no transaction could begin, if the transaction was lost, or if its
		// first closure failed: a new transaction would lack what earlier Updates of the group
		// wrote.
		if !g.begun || len(g.updates) == e.groupLimit {
			break
		}
	}
	if !g.begun && errors.Is(own.err, store.ErrBusy) {
		// Those in the queue have waited for another process as long as the leader has.
		e.queue.refuse(last, own.err)
	}
}

// endGroup commits for a group, answers its Updates and hands over the lead.
func (e *Engine) endGroup(g *commitGroup, own *pendingUpdate) {
	e.commitAll(g)
	if g.begun && g.err == nil && e.committed != nil {
		e.committed(len(g.updates))
	}
	for _, update := range g.updates {
		if g.err != nil {
			update.err = g.err
		}
		if update != own {
			update.wake <- false
		}
	}
	e.checkpoint(g.on, e.logLimit)
	e.writers <- g.on
	e.queue.promoteNext()
}

// runInSavepoint runs a closure in a group, and rolls back its writes if it fails. A panic of
// another caller's closure is raised again in the goroutine of that caller, so the group continues.
func (e *Engine) runInSavepoint(g *commitGroup, update *pendingUpdate, leads bool) {
	g.updates = append(g.updates, update)
	update.err = update.ctx.Err()
	if update.err != nil {
		return
	}
	update.err = errNotRun // in case the closure does not return
	if err := e.enter(update.ctx, g); err != nil {
		update.err = err
		return
	}
	kept := false
	defer func() {
		if !kept {
			g.rollBack()
		}
		if leads {
			return
		}
		if cause := recover(); cause != nil {
			update.panic = &panicked{cause, debug.Stack()}
		}
	}()
	s := &session{ctx: update.ctx, on: g.on, now: e.updateTime(update.ctx)}
	err := update.fn(s)
	e.failOnSyncError(s.failure) // the closure may have returned a different error
	update.err = cmp.Or(err, s.failure, update.ctx.Err())
	kept = update.err == nil && g.release()
}

// errNotRun is the error of an Update whose closure did not run to its end.
var errNotRun = errors.New("sqlite: the goroutine that ran the Updates ended")

// panicked is the panic of a closure and its stack. It is raised again in the goroutine of the
// caller, which is a different one.
type panicked struct {
	cause any
	stack []byte
}

// Error shows the cause and the stack.
func (p *panicked) Error() string { return fmt.Sprintf("%v\n%s", p.cause, p.stack) }

// Unwrap returns the cause if it is an error.
func (p *panicked) Unwrap() error {
	err, _ := p.cause.(error)
	return err
}

// The savepoint under which a closure runs if the transaction holds the writes of others.
const (
	setSavepoint     = "SAVEPOINT one"
	releaseSavepoint = "RELEASE one"
	undoSavepoint    = "ROLLBACK TO one"
)

// enter begins the transaction of the group for its first closure, and a savepoint for each later
// one. The first closure needs none, and under a savepoint SQLite copies each page that is changed.
func (e *Engine) enter(ctx context.Context, g *commitGroup) error {
	if g.begun {
		g.inSavepoint = true
		return g.exec(setSavepoint)
	}
	_, err := g.on.exec(ctx, beginUpdate)
	// Waiting for another process can take longer than the caller's deadline allows.
	if late := ctx.Err(); err != nil && late != nil {
		return late
	}
	if err != nil {
		return err
	}
	g.begun = true
	if err := e.external.look(context.Background(), g.on); err != nil {
		g.abandon(err)
		return err
	}
	return nil
}

// release adds the writes of a closure to those of the group, and reports whether it succeeded.
func (g *commitGroup) release() bool { return !g.inSavepoint || g.exec(releaseSavepoint) == nil }

// rollBack undoes the writes of a closure.
func (g *commitGroup) rollBack() {
	switch {
	case !g.begun:
	case !g.inSavepoint:
		g.abandon(nil)
	case g.exec(undoSavepoint) == nil:
		_ = g.exec(releaseSavepoint)
	}
}

// exec runs a statement on a savepoint, without the deadline of a single caller. It fails only if
// the database has rolled back the whole transaction.
func (g *commitGroup) exec(text string) error {
	_, err := g.on.exec(context.Background(), text)
	if err != nil {
		g.abandon(fmt.Errorf("%w: the shared transaction was rolled back: %w",
			store.ErrUnavailable, err))
	}
	return err
}

// abandon rolls back the transaction of a group.
func (g *commitGroup) abandon(because error) {
	g.begun, g.err = false, because
	// A failure means that the database has rolled back already.
	_, _ = g.on.exec(context.Background(), "ROLLBACK")
}

// commitAll commits for all Updates of a group.
func (e *Engine) commitAll(g *commitGroup) {
	if !g.begun {
		return
	}
	if err := e.commit(context.Background(), g.on); err != nil {
		g.abandon(err)
	}
}

// join appends an Update to the queue, or reports that it leads.
func (q *commitQueue) join(update *pendingUpdate) (leads bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.led {
		q.led = true
		return true
	}
	q.waiting = append(q.waiting, update)
	if !q.watched {
		q.watched = true
		time.AfterFunc(watchEvery, q.watch)
	}
	return false
}

// watchEvery bounds how late the end of a waiting Update's context is noticed. One timer serves the
// whole queue, because a timer for each Update would cost a good part of a commit.
const watchEvery = 50 * time.Millisecond

// watch answers waiting Updates whose context has ended, as long as any wait.
func (q *commitQueue) watch() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(update *pendingUpdate) bool {
		update.err = update.ctx.Err()
		if update.err != nil {
			update.wake <- false
		}
		return update.err != nil
	})
	q.watched = len(q.waiting) > 0
	if q.watched {
		time.AfterFunc(watchEvery, q.watch)
	}
}

// last returns the Update at the end of the queue, or nil if there is none.
func (q *commitQueue) last() *pendingUpdate {
	q.mu.Lock()
	defer q.mu.Unlock()
	if count := len(q.waiting); count > 0 {
		return q.waiting[count-1]
	}
	return nil
}

// refuse answers the Updates up to and including upTo with an error. Those that came later stay.
func (q *commitQueue) refuse(upTo *pendingUpdate, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for range slices.Index(q.waiting, upTo) + 1 {
		update := q.first()
		update.err = err
		update.wake <- false
	}
}

// next removes the first Update from the queue and returns it, or nil if there is none.
func (q *commitQueue) next() *pendingUpdate {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.first()
}

// first is next for a caller that holds the lock.
func (q *commitQueue) first() *pendingUpdate {
	if len(q.waiting) == 0 {
		return nil
	}
	first := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	return first
}

// promoteNext makes the first in the queue the leader, if there is one.
func (q *commitQueue) promoteNext() {
	q.mu.Lock()
	defer q.mu.Unlock()
	first := q.first()
	q.led = first != nil
	if q.led {
		first.wake <- true
	}
}
