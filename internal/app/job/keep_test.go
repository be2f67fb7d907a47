package job

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testrun"
)

// keptState returns the stored state of a job.
func keptState(t *testing.T, in store.Store, name string) store.JobState {
	t.Helper()
	synctest.Wait()
	var state store.JobState
	err := in.View(t.Context(), func(tx store.Tx) error {
		var err error
		state, err = tx.Jobs().Find(name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// TestKeptState checks what every node can see of a job: the last run on any node, the next one,
// since when it fails, and the last error, which remains after later runs succeed.
func TestKeptState(t *testing.T) {
	test(t, func(t *testing.T, by *clock.Clock, path string) {
		kept, other := openStore(t, path, by), openStore(t, path, by)
		working, failing := make(chan struct{}), make(chan error)
		work := Job{
			Name: "work", Schedule: Every(time.Minute), Run: func(context.Context) error {
				<-working
				by.Advance(time.Second)
				return <-failing
			},
		}
		a := startNode(t, "a", kept, by, work)
		want := func(want store.JobState) {
			t.Helper()
			want.Name = "work"
			if got := keptState(t, other, "work"); got != want {
				t.Errorf("the state is\n%+v, want\n%+v", got, want)
			}
		}
		second, minute := start.Add(time.Second), start.Add(time.Minute)
		want(store.JobState{Node: "a", Began: start, Next: minute})
		working <- struct{}{}
		failing <- errors.New("sweep failed")
		failed := store.JobState{Node: "a", Began: start, Ended: second, Next: minute,
			Error: "sweep failed", Failed: second}
		want(failed)
		if !failed.Failing() || failed.Running() {
			t.Error("a failed job looks well")
		}
		a.stop()

		by.Advance(time.Second)
		startNode(t, "b", other, by, work)
		again := failed
		again.Node, again.Began = "b", second.Add(time.Second)
		again.Next = again.Began.Add(time.Minute)
		want(again)
		if !again.Running() {
			t.Error("a job at work looks idle")
		}
		working <- struct{}{}
		failing <- errors.New("no mop")
		again.Ended, again.Error = again.Began.Add(time.Second), "no mop"
		want(again)

		by.Advance(time.Minute)
		working <- struct{}{}
		failing <- nil
		again.Began = again.Ended.Add(time.Minute)
		again.Next, again.Ended = again.Began.Add(time.Minute), again.Began.Add(time.Second)
		again.Done = true
		want(again)
	})
}

// TestKeptStateOfAJobEachSecond checks that not every run of a frequent job is stored. A failure is
// stored immediately, and so is the success after it.
func TestKeptStateOfAJobEachSecond(t *testing.T) {
	test(t, func(t *testing.T, by *clock.Clock, path string) {
		var failure error
		in := openStore(t, path, by)
		startNode(t, "a", in, by, Job{
			Name: "seal", Schedule: Every(time.Second),
			Run: func(context.Context) error { return failure },
		})
		ended := func(want time.Duration, done bool) {
			t.Helper()
			got := keptState(t, in, "seal")
			if got.Ended.Sub(start) != want || got.Done != done {
				t.Errorf("at %s a run is kept that ended after %s, done is %t",
					by.Now().Sub(start), got.Ended.Sub(start), got.Done)
			}
		}
		next := func() { synctest.Wait(); by.Advance(time.Second); synctest.Wait() }
		ended(0, true)
		for range 9 {
			next()
		}
		ended(0, true)
		next()
		ended(10*time.Second, true)
		failure = errors.New("no wax")
		next()
		ended(11*time.Second, false)
		failure = nil
		next()
		ended(12*time.Second, true)
	})
}

// TestRunMayTakeLonger checks a job whose runs may take longer than its interval: it is not
// interrupted early, its lease lasts as long, and due times that pass meanwhile become one run.
func TestRunMayTakeLonger(t *testing.T) {
	test(t, func(t *testing.T, by *clock.Clock, path string) {
		began, at := time.Now(), []time.Duration(nil)
		kept := openStore(t, path, nil)
		work := Job{
			Name: "work", Schedule: Every(time.Second), Within: time.Minute,
			Run: func(ctx context.Context) error {
				at = append(at, time.Since(began))
				<-ctx.Done()
				return nil
			},
		}
		startNode(t, "a", kept, nil, work)
		testrun.Pass(50 * time.Second)
		taken, err := New(kept, Settings{Node: "b"}).acquireLease(t.Context(), work)
		if err != nil || !taken.began.IsZero() {
			t.Errorf("another node takes the lease: %v, %v", taken, err)
		}
		testrun.Pass(30 * time.Second)
		if want := []time.Duration{0, time.Minute}; !slices.Equal(at, want) {
			t.Errorf("the job was run at %v, want %v", at, want)
		}
	})
}

// cutOff is a store that fails from the second transaction until a given time.
type cutOff struct {
	Leases
	taken *bool
	until time.Time
}

func (c cutOff) Update(ctx context.Context, fn func(store.Tx) error) error {
	if *c.taken && time.Now().Before(c.until) {
		return store.ErrUnavailable
	}
	*c.taken = true
	return c.Leases.Update(ctx, fn)
}

// TestRunEndsWithItsLease checks that a run whose lease cannot be renewed ends with the lease,
// before another node runs the job, and that a run whose lease is renewed in time continues.
func TestRunEndsWithItsLease(t *testing.T) {
	for _, row := range []struct{ cut, want time.Duration }{
		{10 * time.Minute, 90 * time.Second}, {time.Minute, 10 * time.Minute},
	} {
		test(t, func(t *testing.T, _ *clock.Clock, path string) {
			began, took := time.Now(), time.Duration(0)
			kept := cutOff{openStore(t, path, nil), new(bool), began.Add(row.cut)}
			startNode(t, "a", kept, nil, Job{
				Name: "work", Schedule: Every(time.Minute), Within: 10 * time.Minute,
				Run: func(ctx context.Context) error {
					<-ctx.Done()
					if took == 0 {
						took = time.Since(began)
					}
					return ctx.Err()
				},
			})
			testrun.Pass(10*time.Minute + time.Second)
			if took != row.want {
				t.Errorf("cut off for %v the run ends after %v, want %v", row.cut, took, row.want)
			}
		})
	}
}

// TestKeptLoop checks what is stored of continuous work: a state each minute, and each change
// between success and failure immediately.
func TestKeptLoop(t *testing.T) {
	test(t, func(t *testing.T, by *clock.Clock, path string) {
		in := openStore(t, path, by)
		r := New(in, Settings{Node: "a", Clock: by})
		tell := r.Loop("loop")
		ended := func(want time.Duration, done bool, text string) {
			t.Helper()
			got := keptState(t, in, "loop")
			if got.Ended.Sub(start) != want || got.Done != done || got.Error != text ||
				got.Running() || got.Node != "a" {
				t.Errorf("at %s the state is %+v", by.Now().Sub(start), got)
			}
		}
		tell(t.Context(), nil)
		ended(0, true, "")
		by.Advance(59 * time.Second)
		tell(t.Context(), nil)
		ended(0, true, "")
		by.Advance(time.Second)
		tell(t.Context(), nil)
		ended(time.Minute, true, "")
		by.Advance(time.Second)
		tell(t.Context(), errors.New("no wax"))
		ended(time.Minute+time.Second, false, "no wax")
		by.Advance(time.Second)
		tell(t.Context(), errors.New("still none"))
		ended(time.Minute+time.Second, false, "no wax")
		tell(t.Context(), nil)
		ended(time.Minute+2*time.Second, true, "no wax")
	})
}
