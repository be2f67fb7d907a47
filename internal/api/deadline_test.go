package api

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// TestDeadlineEndsLikeAnyContext holds a deadline against package context: at every moment both
// have ended or not, and for the same reason, whether somebody waits or only asks.
func TestDeadlineEndsLikeAnyContext(t *testing.T) {
	t.Parallel()
	const within = time.Second
	for name, waits := range map[string]bool{"somebody waits": true, "nobody waits": false} {
		for reason, cancelled := range map[string]time.Duration{
			"it is time": time.Hour, "the caller has gone": within / 2,
		} {
			t.Run(name+", "+reason, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					request, leave := context.WithCancel(t.Context())
					defer leave()
					want, cancel := context.WithTimeout(request, within)
					defer cancel()
					got := &deadline{Context: request, at: time.Now().Add(within)}
					defer got.end()
					if waits {
						got.Done()
					}
					time.AfterFunc(cancelled, leave)
					for range 5 {
						synctest.Wait()
						if !errors.Is(got.Err(), want.Err()) {
							t.Errorf("it has ended: %v, want %v", got.Err(), want.Err())
						}
						time.Sleep(within / 4)
					}
					<-got.Done()
				})
			})
		}
	}
}

// TestDeadlineNeedsNoWatcher holds that a context made from a deadline ends with it, and that no
// goroutine has to see to it.
func TestDeadlineNeedsNoWatcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &deadline{Context: t.Context(), at: time.Now().Add(time.Second)}
		defer d.end()
		before := runtime.NumGoroutine()
		made, cancel := context.WithCancel(d)
		defer cancel()
		if more := runtime.NumGoroutine() - before; more != 0 {
			t.Errorf("%d goroutines watch", more)
		}
		<-made.Done()
		if !errors.Is(made.Err(), context.DeadlineExceeded) {
			t.Errorf("it has ended: %v", made.Err())
		}
	})
}
