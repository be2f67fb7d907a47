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
	// keepEvery is how often a job that goes well has its state stored at most. A job may be run
	// every second, and should not write more than it works.
	keepEvery = 10 * time.Second
	// keepTimeout is how long storing the end of a run may take.
	keepTimeout = 5 * time.Second
	// maxErrorText is how much of an error is kept, in bytes. The log has all of it.
	maxErrorText = 500
)

// keepsTurn reports whether a run that begins now is told to the store.
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

// keepEnd stores what came of a run. It leaves the state alone when another node has the job by
// now. The next run after a failure is stored in any case, so that its success is seen.
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

// loopEvery is how often a loop that goes on as before has its state stored.
const loopEvery = time.Minute

// Loop returns a function that stores the state of work that every node does all the time, without
// a lease and a schedule: it is told what came of each round. The state is that of the node that
// has told last; it is stored once a minute, and at once when a round fails after one that did not,
// or the other way round. It may be called concurrently.
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
			r.Log.WarnContext(ctx, "the state of a job is not stored", "job", name, "error", lost)
		}
	}
}

// keepLoop stores what came of a round.
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

// putEnd stores that a run has ended now. Failures in a row are as old as their first.
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
