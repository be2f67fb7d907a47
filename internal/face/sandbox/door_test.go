package sandbox

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mintmark/internal/testkit/testrun"
)

// serve sends a request through a guarded handler.
func serve(ctx context.Context, through http.Handler) {
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	through.ServeHTTP(httptest.NewRecorder(), r)
}

// TestDoor checks that shutting a door waits for the requests inside, that new requests wait while
// it is shut, and that those whose clients leave are reported.
func TestDoor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var door Door
		var inside, left atomic.Int64
		guarded := door.Guard(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			inside.Add(1)
			<-time.After(time.Second)
			inside.Add(-1)
		}), func(*http.Request) { left.Add(1) })
		var requests sync.WaitGroup
		requests.Go(func() { serve(t.Context(), guarded) })
		synctest.Wait()
		began := time.Now()
		open := door.Shut(t.Context())
		if waited := time.Since(began); inside.Load() != 0 || waited != time.Second {
			t.Errorf("%d requests are inside after %s", inside.Load(), waited)
		}
		requests.Go(func() { serve(t.Context(), guarded) })
		gone, cancel := context.WithCancel(t.Context())
		requests.Go(func() { serve(gone, guarded) })
		testrun.Pass(time.Minute)
		if inside.Load() != 0 {
			t.Error("a request has passed a shut door")
		}
		cancel()
		open()
		synctest.Wait()
		if inside.Load() != 1 || left.Load() != 1 {
			t.Errorf("%d requests are inside and %d have left, want the one that has waited and "+
				"the other", inside.Load(), left.Load())
		}
		requests.Wait()
	})
}

// TestDoorHasPatience checks that a request that never ends delays shutting by the timeout only.
func TestDoorHasPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var door Door
		end := make(chan struct{})
		guarded := door.Guard(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			<-end
		}), nil)
		var requests sync.WaitGroup
		requests.Go(func() { serve(t.Context(), guarded) })
		synctest.Wait()
		began := time.Now()
		for range 2 {
			door.Shut(t.Context())()
		}
		if waited := time.Since(began); waited != 2*closeTimeout {
			t.Errorf("waited for %s", waited)
		}
		close(end)
		requests.Wait()
	})
}
