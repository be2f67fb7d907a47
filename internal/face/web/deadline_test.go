package web

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mintmark/internal/testkit/testrun"
)

// TestDeadlineEndsLikeAnyContext compares a deadline with package context: at any time, both have
// ended or neither has, for the same reason, whether Done or only Err is called.
func TestDeadlineEndsLikeAnyContext(t *testing.T) {
	t.Parallel()
	const within = time.Second
	for name, waits := range map[string]bool{"waited for": true, "asked about": false} {
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
						testrun.Pass(within / 4)
					}
					<-got.Done()
				})
			})
		}
	}
}

// TestDeadlineIsInherited checks that a context derived from a deadline ends when the deadline
// does, for the same reason, and reports its time. The test also fails if a goroutine is left
// waiting.
func TestDeadlineIsInherited(t *testing.T) {
	t.Parallel()
	for name, early := range map[string]bool{"it is time": false, "the caller has gone": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				request, leave := context.WithCancel(t.Context())
				defer leave()
				at := time.Now().Add(time.Second)
				d := &deadline{Context: request, at: at}
				defer d.end()
				c, cancel := context.WithCancel(d)
				defer cancel()
				if got, ok := c.Deadline(); !ok || !got.Equal(at) {
					t.Errorf("it ends at %v, %v, want %v", got, ok, at)
				}
				want := context.DeadlineExceeded
				if early {
					leave()
					want = context.Canceled
				}
				<-c.Done()
				if !errors.Is(c.Err(), want) {
					t.Errorf("it has ended: %v, want %v", c.Err(), want)
				}
			})
		})
	}
}

// BenchmarkDeadline measures a deadline for a request that never waits for it, in this package and
// in package context.
func BenchmarkDeadline(b *testing.B) {
	request, leave := context.WithCancel(b.Context())
	defer leave()
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			d := &deadline{Context: request, at: time.Now().Add(time.Minute)}
			if d.Err() != nil {
				b.Fatal("it has ended")
			}
			d.end()
		}
	})
	b.Run("context", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			d, cancel := context.WithTimeout(request, time.Minute)
			if d.Err() != nil {
				b.Fatal("it has ended")
			}
			cancel()
		}
	})
}
