package app

import (
	"context"
	"errors"
	"time"

	"mintmark/internal/auth"
	"mintmark/internal/job"
	"mintmark/internal/store"
)

// leaseGrace is how much longer a lease lasts than the time until it is renewed, so that a node
// that is a little late keeps its duties.
const leaseGrace = 30 * time.Second

// startDuties starts what runs beside the requests.
func (a *App) startDuties(callers *auth.Callers) {
	ctx, stop := context.WithCancel(context.Background())
	a.stop = stop
	a.duties.Go(func() { callers.Run(ctx, a.Log) })
	a.duties.Go(func() { a.watchStore(ctx) })
	expire := func(ctx context.Context) error {
		_, err := a.service.ExpireUnverified(ctx)
		return err
	}
	expirePins := func(ctx context.Context) error {
		destroyed, err := a.service.ExpirePins(ctx)
		if destroyed > 0 {
			a.Log.WarnContext(ctx, "PINs destroyed that the card processor has not taken in time",
				"count", destroyed)
		}
		return err
	}
	duties := []job.Duty{
		{Name: "expire unverified cards", Every: time.Minute, Do: expire},
		{Name: "forget old answers", Every: time.Minute, Do: a.service.ForgetReplays},
		{Name: "destroy old PINs", Every: time.Minute, Do: expirePins},
	}
	for i := range duties {
		duties[i].Do = a.underLease(duties[i])
	}
	a.duties.Go(func() {
		job.Run(ctx, a.Log, duties)
		a.giveBack(duties)
	})
}

// awaitDuties waits for the duties to end, as long as the store can go on: a disk that has failed
// may never answer the one that waits for it.
func (a *App) awaitDuties() {
	ended := make(chan struct{})
	go func() {
		a.duties.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-a.failed:
	}
}

// watchStore says when the store has broken, if it can and does.
func (a *App) watchStore(ctx context.Context) {
	disk := a.store.disk
	if disk == nil {
		return
	}
	select {
	case <-disk.Broken():
		a.fail(disk.Breakage())
	case <-ctx.Done():
	}
}

// fail says why the process has to end, once.
func (a *App) fail(cause error) {
	a.failing.Do(func() {
		a.Log.Error("the disk has failed: the process stops, and the next start finds out what "+
			"was kept", "error", cause)
		close(a.failed)
	})
}

// underLease lets one of the nodes do a duty. The others find that it is being done. A node that
// stops without a word is replaced when its lease has run out; doing a duty twice changes
// nothing, so it does no harm when a duty takes longer than its lease.
func (a *App) underLease(duty job.Duty) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, duty.Every)
		defer cancel()
		err := a.store.Update(ctx, func(tx store.Tx) error {
			return tx.Leases().Put(store.Lease{
				Name: duty.Name, Holder: a.node, Until: tx.Now().Add(duty.Every + leaseGrace),
			})
		})
		if errors.Is(err, store.ErrExists) {
			return nil
		}
		if err != nil {
			return err
		}
		return duty.Do(ctx)
	}
}

// giveBack gives the leases of this node back, so that another takes its duties over at once.
// When the database is out of reach they run out.
func (a *App) giveBack(duties []job.Duty) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for _, duty := range duties {
		_ = a.store.Update(ctx, func(tx store.Tx) error {
			return tx.Leases().Delete(duty.Name, a.node)
		})
	}
}
