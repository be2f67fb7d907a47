package overview

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"mintmark/internal/store"
)

// probeTime bounds a probe, probeLife the time for which its result is reused.
const (
	probeTime = time.Second
	probeLife = time.Second
)

// errSlow is the result of a probe that does not end in time.
var errSlow = errors.New("a write takes longer than a second")

// readiness checks whether anything can be written, at most once a second. The zero value is ready
// to use.
type readiness struct {
	mu     sync.Mutex
	lease  string        // unique to this service
	last   time.Time     // when the last probe ended; zero before the first
	err    error         // the result of the last probe
	active chan struct{} // closed when the current probe ends; nil if none runs
}

// Ready returns nil if the service can write, else the reason why not. It writes through the store,
// undoes what it wrote, and waits a second at most. Calls within a second of a probe share its
// result.
func (s *Service) Ready(ctx context.Context) error {
	r := &s.readiness
	r.mu.Lock()
	if r.active == nil && time.Since(r.last) < probeLife {
		defer r.mu.Unlock()
		return r.err
	}
	if r.active == nil {
		r.active = make(chan struct{})
		// The probe continues after its caller has gone, because other callers share its result.
		go s.probe(context.WithoutCancel(ctx), r.active)
	}
	active := r.active
	r.mu.Unlock()

	timer := time.NewTimer(probeTime)
	defer timer.Stop()
	select {
	case <-active:
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.err
	case <-timer.C:
		return errSlow
	case <-ctx.Done():
		return ctx.Err()
	}
}

// probe writes and stores the result. A disk that does not answer can delay it beyond its time; no
// other probe begins meanwhile.
func (s *Service) probe(ctx context.Context, active chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	err := s.writeNothing(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errSlow
	}
	r := &s.readiness
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last, r.err, r.active = time.Now(), err, nil
	close(active)
}

// writeNothing takes a lease that belongs to no job, and releases it in the same transaction: the
// commit must reach the disk, and nothing is left behind.
func (s *Service) writeNothing(ctx context.Context) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	if s.readiness.lease == "" { // one probe runs at a time
		s.readiness.lease = "readiness " + rand.Text()
	}
	lease := s.readiness.lease
	return s.Store.Update(ctx, func(tx store.Tx) error {
		err := tx.Jobs().PutLease(store.Lease{
			Name: lease, Holder: lease, Until: tx.Now().Add(probeTime),
		})
		if err != nil {
			return err
		}
		return tx.Jobs().DeleteLease(lease, lease)
	})
}
