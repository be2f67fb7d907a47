package job

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/testkit/testrun"
)

// start is the time at which the clock of a test begins.
var start = time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)

// openStore opens a store in a file whose transactions follow a clock.
func openStore(t *testing.T, path string, by *clock.Clock) store.Store {
	t.Helper()
	kept, _, err := cached.Open(context.Background(), path, sqlite.Options{Clock: by})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	return kept
}

// node is a Runner in the background, with the clock of its test.
type node struct {
	*Runner
	logged *bytes.Buffer
	stop   func() // returns when the Runner has ended
}

func startNode(t *testing.T, name string, leases Leases, by *clock.Clock, jobs ...Job) *node {
	t.Helper()
	n := &node{logged: &bytes.Buffer{}}
	n.Runner = New(leases, Settings{
		Node: name, Clock: by, Log: slog.New(slog.NewTextHandler(n.logged, nil)),
	}, jobs...)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n.Run(ctx)
	}()
	n.stop = func() { cancel(); <-ended }
	t.Cleanup(n.stop)
	return n
}

// journal records the times of the runs of a job.
type journal struct {
	by *clock.Clock
	at []time.Duration // since start
}

func (j *journal) job(name string, every time.Duration) Job {
	return Job{Name: name, Schedule: Every(every), Run: func(context.Context) error {
		j.at = append(j.at, j.by.Now().Sub(start))
		return nil
	}}
}

func (j *journal) wants(t *testing.T, want ...time.Duration) {
	t.Helper()
	synctest.Wait()
	if !slices.Equal(j.at, want) {
		t.Errorf("the job was run at %v, want %v", j.at, want)
	}
}

// test runs a test with one frozen clock and a database file.
func test(t *testing.T, fn func(t *testing.T, by *clock.Clock, path string)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mintmark.db")
	synctest.Test(t, func(t *testing.T) { fn(t, clock.FrozenAt(start), path) })
}

// TestJobsFollowTheClock moves the clock, and nothing else, past the times at which jobs are due.
func TestJobsFollowTheClock(t *testing.T) {
	test(t, func(t *testing.T, by *clock.Clock, path string) {
		quick, slow := journal{by: by}, journal{by: by}
		const minute, hour = time.Minute, time.Hour
		n := startNode(t, "a", openStore(t, path, by), by,
			quick.job("quick", minute), slow.job("slow", hour))
		quick.wants(t, 0)
		slow.wants(t, 0)
		testrun.Pass(24 * hour) // by the wall clock
		quick.wants(t, 0)
		by.Advance(minute - 1)
		quick.wants(t, 0)
		by.Advance(1)
		quick.wants(t, 0, minute)
		by.Advance(90 * 24 * hour) // many due runs become one
		const then = 90*24*hour + minute
		quick.wants(t, 0, minute, then)
		slow.wants(t, 0, then)
		by.Advance(-then) // a sandbox that is reset
		quick.wants(t, 0, minute, then, 0)
		slow.wants(t, 0, then, 0)
		if n.logged.Len() > 0 {
			t.Errorf("the log holds %s", n.logged)
		}
	})
}

// TestBegin runs the jobs in their order before Run, which must not run any of them again at the
// same time.
func TestBegin(t *testing.T) {
	test(t, func(t *testing.T, by *clock.Clock, path string) {
		var order []string
		var writing sync.Mutex // jobs due at the same time run concurrently
		var jobs []Job
		for _, name := range []string{"c", "a", "b"} {
			jobs = append(jobs, Job{
				Name: name, Schedule: Every(time.Minute), Run: func(context.Context) error {
					writing.Lock()
					defer writing.Unlock()
					order = append(order, name)
					return nil
				},
			})
		}
		r := New(openStore(t, path, by), Settings{
			Node: "a", Clock: by, Log: slog.New(slog.DiscardHandler),
		}, jobs...)
		r.Begin(t.Context())
		if got := strings.Join(order, " "); got != "c a b" {
			t.Errorf("begun are %s", got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			r.Run(ctx)
		}()
		testrun.Pass(time.Hour)
		if len(order) != 3 {
			t.Errorf("at the same moment are run %v", order)
		}
		by.Advance(time.Minute)
		synctest.Wait()
		if len(order) != 6 {
			t.Errorf("a minute later are run %v", order)
		}
		cancel()
		<-ended
	})
}

// TestClockSetBackDuringARun checks that a job whose run has seen the clock set back restarts its
// schedule, and does not wait for the time that was due before.
func TestClockSetBackDuringARun(t *testing.T) {
	test(t, func(t *testing.T, by *clock.Clock, path string) {
		runs := journal{by: by}
		job := runs.job("reset", time.Minute)
		run := job.Run
		job.Run = func(ctx context.Context) error {
			err := run(ctx)
			if len(runs.at) == 1 {
				by.Advance(-24 * time.Hour)
			}
			return err
		}
		startNode(t, "a", openStore(t, path, by), by, job)
		runs.wants(t, 0, -24*time.Hour)
		by.Advance(time.Minute)
		runs.wants(t, 0, -24*time.Hour, time.Minute-24*time.Hour)
	})
}

// TestJobsRunByTheWallClock checks the schedule of a server, whose clock is not moved.
func TestJobsRunByTheWallClock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mintmark.db")
	synctest.Test(t, func(t *testing.T) {
		var by *clock.Clock
		began, at := time.Now(), []time.Duration(nil)
		startNode(t, "a", openStore(t, path, by), by, Job{
			Name: "work", Schedule: Every(time.Minute), Run: func(context.Context) error {
				at = append(at, time.Since(began))
				<-time.After(10 * time.Second)
				return nil
			},
		})
		testrun.Pass(150 * time.Second)
		want := []time.Duration{0, time.Minute, 2 * time.Minute}
		if !slices.Equal(at, want) {
			t.Errorf("the job was run at %v, want %v", at, want)
		}
	})
}

// TestJitterBeginsSooner checks that jitter spreads the nodes, and that no run begins later than it
// is due: its lease would expire.
func TestJitterBeginsSooner(t *testing.T) {
	r := New(nil, Settings{Jitter: time.Second})
	seen := make(map[time.Duration]bool)
	for range 100 {
		jitter := r.jitter(time.Minute)
		if jitter < 0 || jitter >= time.Second {
			t.Fatalf("a run begins %s sooner", jitter)
		}
		seen[jitter] = true
	}
	if len(seen) < 50 {
		t.Errorf("a hundred runs have %d different jitters", len(seen))
	}
	for range 100 { // a job due every two seconds still pauses
		if jitter := r.jitter(2 * time.Second); jitter >= time.Second/2 {
			t.Fatalf("a run of every two seconds begins %s sooner", jitter)
		}
	}
}

func TestFailingJobIsRunAgain(t *testing.T) {
	test(t, func(t *testing.T, by *clock.Clock, path string) {
		runs := 0
		n := startNode(t, "a", openStore(t, path, by), by, Job{
			Name: "sweep", Schedule: Every(time.Minute), Run: func(context.Context) error {
				runs++
				switch runs {
				case 1:
					return errors.New("sweep failed")
				case 2:
					panic("sweep panicked")
				}
				return nil
			},
		})
		for range 2 {
			synctest.Wait()
			by.Advance(time.Minute)
		}
		synctest.Wait()
		text := n.logged.String()
		for _, want := range []string{
			`msg="job failed" job=sweep error="sweep failed" next=2026-06-01T12:01:00.000Z`,
			`msg="job failed" job=sweep error="panic: sweep panicked`,
		} {
			if strings.Count(text, want) != 1 {
				t.Errorf("the log does not hold %s once: %s", want, text)
			}
		}
		if runs != 3 || strings.Count(text, "\n") != 2 {
			t.Errorf("it was run %d times, the log holds %s", runs, text)
		}
	})
}

// panicking is a store that panics the first time a lease is acquired.
type panicking struct {
	Leases
	panicked *bool
}

func (p panicking) Update(ctx context.Context, fn func(store.Tx) error) error {
	if !*p.panicked {
		*p.panicked = true
		panic("no store")
	}
	return p.Leases.Update(ctx, fn)
}

// TestPanicOfALease checks that a panic of the store while a lease is acquired does not end the
// service: the job runs when it is next due.
func TestPanicOfALease(t *testing.T) {
	test(t, func(t *testing.T, by *clock.Clock, path string) {
		runs := journal{by: by}
		leases := panicking{openStore(t, path, by), new(bool)}
		n := startNode(t, "a", leases, by, runs.job("work", time.Minute))
		runs.wants(t)
		if got := n.Status()[0]; got.Outcome != Failed || got.Err == nil {
			t.Errorf("the job has %+v", got)
		}
		by.Advance(time.Minute)
		runs.wants(t, time.Minute)
	})
}

// TestJobsEndWithTheContext checks that the end of a Runner interrupts a running job, waits for it,
// and does not count as a failure.
func TestJobsEndWithTheContext(t *testing.T) {
	test(t, func(t *testing.T, by *clock.Clock, path string) {
		ended := false
		n := startNode(t, "a", openStore(t, path, by), by, Job{
			Name: "wait", Schedule: Every(time.Hour), Run: func(ctx context.Context) error {
				<-ctx.Done()
				<-time.After(time.Minute)
				ended = true
				return ctx.Err()
			},
		})
		synctest.Wait()
		n.stop()
		if !ended || n.logged.Len() > 0 {
			t.Errorf("ended is %v, the log holds %q", ended, n.logged)
		}
	})
}

// TestRunEndsWhenItIsDueAgain checks that a job that hangs is interrupted by the wall clock, even
// while business time is frozen.
func TestRunEndsWhenItIsDueAgain(t *testing.T) {
	test(t, func(t *testing.T, by *clock.Clock, path string) {
		began := time.Now()
		var took time.Duration
		startNode(t, "a", openStore(t, path, by), by, Job{
			Name: "hang", Schedule: Every(time.Minute), Run: func(ctx context.Context) error {
				<-ctx.Done()
				took = time.Since(began)
				return ctx.Err()
			},
		})
		testrun.Pass(time.Hour)
		if took != time.Minute {
			t.Errorf("the run took %s", took)
		}
	})
}

// TestOneNodeRunsAJob lets two nodes on one database run a job. One of them does, until it releases
// the lease or the lease expires; then the other does.
func TestOneNodeRunsAJob(t *testing.T) {
	test(t, func(t *testing.T, by *clock.Clock, path string) {
		const minute = time.Minute
		j, two := journal{by: by}, journal{by: by}
		first := openStore(t, path, by)
		a := startNode(t, "a", first, by, j.job("work", minute))
		j.wants(t, 0)
		b := startNode(t, "b", openStore(t, path, by), by, two.job("work", minute))
		two.wants(t)
		if got := b.Status()[0].Outcome; got != Elsewhere {
			t.Errorf("the second node has %q", got)
		}
		by.Advance(minute)
		j.wants(t, 0, minute)
		two.wants(t)
		a.stop() // releases its lease
		by.Advance(minute)
		two.wants(t, 2*minute)

		lease := store.Lease{Name: "work", Holder: "lost", Until: by.Now().Add(90 * time.Second)}
		b.stop()
		err := first.Update(t.Context(),
			func(tx store.Tx) error { return tx.Jobs().PutLease(lease) })
		if err != nil {
			t.Fatal(err)
		}
		startNode(t, "c", first, by, two.job("work", minute))
		by.Advance(minute)
		two.wants(t, 2*minute)
		by.Advance(minute)
		two.wants(t, 2*minute, 4*minute)
	})
}

// TestLeaseOutlastsALateNode checks that a lease lasts half a minute beyond the next run.
func TestLeaseOutlastsALateNode(t *testing.T) {
	test(t, func(t *testing.T, by *clock.Clock, path string) {
		kept, work := openStore(t, path, by), Job{Name: "work", Schedule: Every(time.Hour)}
		takes := func(node string, want bool) {
			t.Helper()
			taken, err := New(kept, Settings{Node: node}).acquireLease(t.Context(), work)
			if err != nil || taken.began.IsZero() == want {
				t.Errorf("at %s %s takes the lease: %v, %v", by.Now(), node, taken, err)
			}
		}
		takes("a", true)
		by.Advance(time.Hour + 29*time.Second)
		takes("b", false)
		takes("a", true) // renewed
		by.Advance(time.Hour + 29*time.Second)
		takes("b", false)
		by.Advance(time.Second)
		takes("b", true)
	})
}

// TestStatus checks what an operator can see of a job in each of its states.
func TestStatus(t *testing.T) {
	test(t, func(t *testing.T, by *clock.Clock, path string) {
		broken := errors.New("sweep failed")
		working, failing := make(chan struct{}), make(chan error)
		n := startNode(t, "a", openStore(t, path, by), by, Job{
			Name: "work", Schedule: Every(time.Minute), Run: func(context.Context) error {
				<-working
				by.Advance(time.Second)
				return <-failing
			},
		})
		want := func(want Status) {
			t.Helper()
			synctest.Wait()
			if got := n.Status(); len(got) != 1 || got[0] != want {
				t.Errorf("the status is %+v, want %+v", got, want)
			}
		}
		minute := start.Add(time.Minute)
		want(Status{Name: "work", Running: true, Began: start, Next: minute})
		working <- struct{}{}
		failing <- nil
		want(Status{Name: "work", Began: start, Ended: start.Add(time.Second), Outcome: Done,
			Next: minute})
		by.Set(clock.Setting{Frozen: minute})
		want(Status{Name: "work", Running: true, Began: minute, Ended: start.Add(time.Second),
			Outcome: Done, Next: minute.Add(time.Minute)})
		working <- struct{}{}
		failing <- broken
		want(Status{Name: "work", Began: minute, Ended: minute.Add(time.Second), Outcome: Failed,
			Err: broken, Next: minute.Add(time.Minute)})
	})
}
