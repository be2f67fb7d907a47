package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"mintmark/internal/store"
)

var leases = []test{
	{"OneHolder", leaseOneHolder},
	{"Renewal", leaseRenewal},
	{"Expiry", leaseExpiry},
	{"Release", leaseRelease},
	{"AtOnce", leaseAtOnce},
}

const jobName = "a job"

// takeLease acquires the lease for a holder for some time from now on.
func takeLease(s store.Store, holder string, lasting time.Duration) error {
	return s.Update(context.Background(), func(tx store.Tx) error {
		return tx.Jobs().PutLease(store.Lease{
			Name: jobName, Holder: holder, Until: tx.Now().Add(lasting),
		})
	})
}

func dropLease(s store.Store, holder string) error {
	return s.Update(context.Background(), func(tx store.Tx) error {
		return tx.Jobs().DeleteLease(jobName, holder)
	})
}

func leaseOneHolder(t *testing.T, s store.Store) {
	wantError(t, "the first", takeLease(s, "one", time.Hour), nil)
	wantError(t, "the second", takeLease(s, "two", time.Hour), store.ErrExists)
	// Another job has another lease.
	update(t, s, func(tx store.Tx) error {
		return tx.Jobs().PutLease(store.Lease{
			Name: "another job", Holder: "two", Until: tx.Now().Add(time.Hour),
		})
	})
}

// leaseRenewal checks that a holder that renews in time keeps its lease, and that renewing for a
// shorter time shortens it.
func leaseRenewal(t *testing.T, s store.Store) {
	wantError(t, "taken", takeLease(s, "one", time.Millisecond), nil)
	wantError(t, "renewed", takeLease(s, "one", time.Hour), nil)
	time.Sleep(20 * time.Millisecond) //nolint:forbidigo // The first period has to end.
	wantError(t, "by another", takeLease(s, "two", time.Hour), store.ErrExists)
	wantError(t, "shortened", takeLease(s, "one", 0), nil)
	time.Sleep(20 * time.Millisecond) //nolint:forbidigo // The first period has to end.
	wantError(t, "by another, later", takeLease(s, "two", time.Hour), nil)
}

// leaseExpiry checks that an expired lease can be acquired by another holder.
func leaseExpiry(t *testing.T, s store.Store) {
	wantError(t, "taken", takeLease(s, "one", time.Second), nil)
	wantError(t, "too early", takeLease(s, "two", time.Hour), store.ErrExists)
	time.Sleep(1200 * time.Millisecond) //nolint:forbidigo // The database's own clock has to move.
	wantError(t, "in time", takeLease(s, "two", time.Hour), nil)
	wantError(t, "the first holder", takeLease(s, "one", time.Hour), store.ErrExists)
}

func leaseRelease(t *testing.T, s store.Store) {
	wantError(t, "nobody's", dropLease(s, "one"), store.ErrNotFound)
	wantError(t, "taken", takeLease(s, "one", time.Hour), nil)
	wantError(t, "released by another", dropLease(s, "two"), store.ErrNotFound)
	wantError(t, "still held", takeLease(s, "two", time.Hour), store.ErrExists)
	wantError(t, "released", dropLease(s, "one"), nil)
	wantError(t, "taken by another", takeLease(s, "two", time.Hour), nil)
}

// leaseAtOnce has many holders request the lease concurrently. One of them gets it.
func leaseAtOnce(t *testing.T, s store.Store) {
	wantOneWinner(t, 20, store.ErrExists, func(worker int) error {
		return takeLease(s, fmt.Sprint("worker ", worker), time.Hour)
	})
}
