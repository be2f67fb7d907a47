package job

import (
	"context"
	"errors"
	"time"

	"mintmark/internal/store"
)

const (
	// leaseGrace is how much longer a lease lasts than until the job is due again, so that a node
	// that is a little late keeps its jobs.
	leaseGrace = 30 * time.Second
	// giveBackTimeout is how long giving the leases back may take.
	giveBackTimeout = time.Second
)

// Leases is the part of a store that jobs need: transactions that take leases and give them back.
type Leases interface {
	Update(ctx context.Context, fn func(store.Tx) error) error
}

// takeLease takes or renews the lease of a job, and reports whether this node has it. The lease
// lasts until the job is due again and a little longer, by the time of the transaction, so that
// the clocks of the nodes need not agree. A node that stops without giving its leases back is
// replaced when they have run out.
func (r *Runner) takeLease(ctx context.Context, job Job) (taken bool, err error) {
	err = r.leases.Update(ctx, func(tx store.Tx) error {
		until := job.Schedule(tx.Now()).Add(leaseGrace)
		return tx.Leases().Put(store.Lease{Name: job.Name, Holder: r.Node, Until: until})
	})
	if errors.Is(err, store.ErrExists) {
		return false, nil
	}
	return err == nil, err
}

// giveBack gives the leases of this node back, so that another node takes its jobs over at its next
// run. Leases that cannot be given back, because the database is out of reach, run out.
func (r *Runner) giveBack() {
	ctx, cancel := context.WithTimeout(context.Background(), giveBackTimeout)
	defer cancel()
	for _, job := range r.jobs {
		_ = r.leases.Update(ctx, func(tx store.Tx) error {
			return tx.Leases().Delete(job.Name, r.Node)
		})
	}
}
