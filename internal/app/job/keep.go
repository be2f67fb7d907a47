package job

import (
	"context"
	"errors"
	"sync"
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/store"
)

const (
	// keepEvery is the minimum interval between stored states of a succeeding job. A job may run
	// every second, and should not write more than it works.
	keepEvery = 10 * time.Second
	// keepTimeout is the timeout for storing the end of a run.
	keepTimeout = 5 * time.Second
	// maxErrorText is the maximum length of a stored error, in bytes. The log has all of it.
	maxErrorText = 500
)

// keepsTurn reports whether to store that a run begins now.
func (r *Runner) keepsTurn(name string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	last, known := r.kept[name]
	return !known || now.Before(last) || now.Sub(last) >= keepEvery
}

func (r *Runner) noteKept(name string, began time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept[name] = began
}

// putBegin stores that a run has begun.
func (r *Runner) putBegin(tx store.Tx, name string, began, next time.Time) error {
	state, err := tx.Jobs().Find(name)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	state.Name, state.Node, state.Began, state.Next = name, r.Node, began, next
	return tx.Jobs().Put(state)
}

// keepEnd stores the outcome of a run. It leaves the state alone if another node has taken over the
// job. The next run after a failure is always stored, so that its success is visible.
func (r *Runner) keepEnd(ctx context.Context, job Job, began time.Time, failure error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	err := r.leases.Update(ctx, func(tx store.Tx) error {
		state, err := tx.Jobs().Find(job.Name)
		if err != nil {
			return err
		}
		if state.Node != r.Node || state.Began.After(began) {
			return nil
		}
		state.Began, state.Next = began, job.Schedule(began)
		return putEnd(tx, state, failure)
	})
	if failure != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.kept, job.Name)
	}
	return err
}

// loopEvery is the interval between stored states of a loop whose outcome does not change.
const loopEvery = time.Minute

// Loop returns a function that stores the state of work that every node does continuously, without
// a lease or a schedule. It is called with the outcome of each round. The stored state is that of
// the node that called last. It is stored once a minute, and immediately when a round fails after a
// success or succeeds after a failure. The function may be called concurrently.
func (r *Runner) Loop(name string) func(ctx context.Context, err error) {
	var mu sync.Mutex
	var told time.Time
	var failing bool
	return func(ctx context.Context, err error) {
		mu.Lock()
		defer mu.Unlock()
		now := r.Clock.Now()
		same := !told.IsZero() && failing == (err != nil)
		if same && !now.Before(told) && now.Sub(told) < loopEvery {
			return
		}
		told, failing = now, err != nil
		if lost := r.keepLoop(ctx, name, err); lost != nil && ctx.Err() == nil {
			r.Log.WarnContext(ctx, "storing job state failed", "job", name, "error", lost)
		}
	}
}

// keepLoop stores the outcome of a round.
func (r *Runner) keepLoop(ctx context.Context, name string, failure error) error {
	ctx, cancel := context.WithTimeout(ctx, keepTimeout)
	defer cancel()
	return r.leases.Update(ctx, func(tx store.Tx) error {
		state, err := tx.Jobs().Find(name)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		now := tx.Now()
		state.Name, state.Node, state.Began, state.Next = name, r.Node, now, now.Add(loopEvery)
		return putEnd(tx, state, failure)
	})
}

// putEnd stores that a run has ended now. Consecutive failures have the time of the first one.
func putEnd(tx store.Tx, state store.JobState, failure error) error {
	now := tx.Now()
	if failure != nil {
		if !state.Failing() {
			state.Failed = now
		}
		state.Error = value.Cut(failure.Error(), maxErrorText)
	}
	state.Ended, state.Done = now, failure == nil
	return tx.Jobs().Put(state)
}
