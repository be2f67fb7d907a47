package overview_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// TestReadyIsSharedByThoseWhoAsk calls Ready many times concurrently, and again: one probe serves
// all.
func TestReadyIsSharedByThoseWhoAsk(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	var probes atomic.Int64
	w.Through(func(tx store.Tx) store.Tx { probes.Add(1); return tx })
	for range 2 {
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if err := w.Overview.Ready(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	// On a slow machine a second may have passed in between.
	if got := probes.Load(); got < 1 || got > 2 {
		t.Errorf("%d probes were made", got)
	}
}

// blockedLeases is a store that blocks until it is released.
type blockedLeases struct {
	store.Tx
	begun *atomic.Int64
	goOn  chan struct{}
}

func (b blockedLeases) Jobs() store.Jobs { return slowLeases{b.Tx.Jobs(), b} }

type slowLeases struct {
	store.Jobs
	blocked blockedLeases
}

func (s slowLeases) PutLease(l store.Lease) error {
	s.blocked.begun.Add(1)
	<-s.blocked.goOn
	return s.Jobs.PutLease(l)
}

// TestReadyDoesNotWait queries a store that does not answer. Each call times out, no second probe
// starts beside the first, and the late result of the first is discarded.
func TestReadyDoesNotWait(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	goOn := make(chan struct{})
	var begun atomic.Int64
	w.Through(func(tx store.Tx) store.Tx { return blockedLeases{tx, &begun, goOn} })
	for range 2 {
		if err := w.Overview.Ready(t.Context()); err == nil {
			t.Error("a store that does not answer is ready")
		}
	}
	if got := begun.Load(); got != 1 {
		t.Errorf("%d probes were begun", got)
	}
	close(goOn)
	for w.Overview.Ready(t.Context()) != nil {
		if t.Context().Err() != nil {
			t.Fatal("the store is never ready again")
		}
	}
}

// brokenLeases is a store that cannot write.
type brokenLeases struct{ store.Tx }

func (b brokenLeases) Jobs() store.Jobs { return failingLeases{b.Tx.Jobs()} }

type failingLeases struct{ store.Jobs }

func (failingLeases) PutLease(store.Lease) error { return issuingtest.ErrDisk }

// TestReadyTellsWhy checks that the error of the store is passed on, and that a panic in it is
// survived.
func TestReadyTellsWhy(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	w.Through(func(tx store.Tx) store.Tx { return brokenLeases{tx} })
	if err := w.Overview.Ready(t.Context()); !errors.Is(err, issuingtest.ErrDisk) {
		t.Errorf("the reason is %v, want %v", err, issuingtest.ErrDisk)
	}
	w = issuingtest.NewSandbox(t)
	w.Through(func(store.Tx) store.Tx { panic("the roof is on fire") })
	if err := w.Overview.Ready(t.Context()); err == nil {
		t.Error("a store that panics is ready")
	}
}
