package job

import (
	"context"
	"errors"
	"time"

	"mintmark/internal/store"
)

const (
	// leaseGrace is how long a lease outlasts the next due time of its job, so that a node that is
	// a little late keeps its jobs.
	leaseGrace = 30 * time.Second
	// giveBackTimeout is the timeout for releasing the leases.
	giveBackTimeout = time.Second
)

// Leases is the part of a store that jobs need: transactions that acquire and release leases.
type Leases interface {
	Update(ctx context.Context, fn func(store.Tx) error) error
}

// turn is a run for which this node has the lease.
type turn struct {
	began time.Time // by the time of the transaction; zero when another node has the lease
	kept  bool      // the beginning of the run was stored
	until time.Time // by the wall clock: when the lease expires unless it is renewed
}

// acquireLease acquires or renews the lease of a job, if this node can have it. The same
// transaction stores that the run has begun.
func (r *Runner) acquireLease(ctx context.Context, job Job) (turn, error) {
	var taken turn
	began := time.Now()
	err := r.leases.Update(ctx, func(tx store.Tx) error {
		now := tx.Now()
		next := job.Schedule(now)
		lease := store.Lease{Name: job.Name, Holder: r.Node, Until: next.Add(leaseGrace)}
		if err := tx.Jobs().PutLease(lease); err != nil {
			return err
		}
		keep := r.keepsTurn(job.Name, now)
		if keep {
			if err := r.putBegin(tx, job.Name, now, next); err != nil {
				return err
			}
		}
		taken = turn{now, keep, began.Add(lease.Until.Sub(now))}
		return nil
	})
	if errors.Is(err, store.ErrExists) {
		return turn{}, nil
	}
	if err != nil {
		return turn{}, err
	}
	if taken.kept {
		r.noteKept(job.Name, taken.began)
	}
	return taken, nil
}

// renewLease renews the lease of a run that may outlast the next due time of its job, until the
// returned function is called. It cancels the run when another node has the lease, or when the
// lease was not renewed in time: another node may then acquire it.
func (r *Runner) renewLease(ctx context.Context, job Job, taken turn, end context.CancelFunc,
) (stop func()) {
	if job.Within == 0 {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	runOut := time.AfterFunc(time.Until(taken.until), end)
	go func() {
		defer close(ended)
		ticker := time.NewTicker(leaseGrace / 3)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			began, lasts := time.Now(), time.Duration(0)
			err := r.leases.Update(ctx, func(tx store.Tx) error {
				until := job.Schedule(tx.Now()).Add(leaseGrace)
				lasts = until.Sub(tx.Now())
				return tx.Jobs().PutLease(store.Lease{Name: job.Name, Holder: r.Node, Until: until})
			})
			if errors.Is(err, store.ErrExists) {
				end()
				return
			}
			if err == nil {
				runOut.Reset(time.Until(began.Add(lasts)))
			}
		}
	}()
	return func() { close(done); <-ended; runOut.Stop() }
}

// releaseLeases releases the leases of this node, so that another node takes over its jobs at its
// next run. Leases that cannot be released, because the database is unreachable, expire.
func (r *Runner) releaseLeases() {
	ctx, cancel := context.WithTimeout(context.Background(), giveBackTimeout)
	defer cancel()
	for _, job := range r.jobs {
		_ = r.leases.Update(ctx, func(tx store.Tx) error {
			return tx.Jobs().DeleteLease(job.Name, r.Node)
		})
	}
}
