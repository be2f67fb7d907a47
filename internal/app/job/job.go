// Package job runs the jobs of the service on a schedule: a Runner waits until a job is due in
// business time, acquires the job's lease, and runs it. Of the nodes on one database, one runs each
// job. What a job does belongs to package issuing.
//
// The lease rule: a node runs a job only while it holds the lease with the job's name. The lease
// lasts until half a minute after the job is next due, by the time of the transaction that acquires
// it. A longer run renews it; the run is canceled when another node has the lease, or when the
// lease was not renewed in time. So a job normally stays on its node. A node that stops releases
// its leases; if a node is killed or cut off, its jobs move to another node when the leases expire.
// A hanging run is canceled before that, so two runs of a job overlap by at most one statement in
// flight; and because they might, running a job twice must change nothing.
//
// The store holds the outcome of a job's last run, so that every node shows it, even after a
// restart.
package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"mintmark/internal/base/clock"
)

// Schedule returns the next due time of a job after a run that began at a time.
type Schedule func(began time.Time) time.Time

// Every is the schedule of a job that is due at an interval.
func Every(interval time.Duration) Schedule {
	return func(began time.Time) time.Time { return began.Add(interval) }
}

// Job is run at the start of a Runner and then on its schedule. Running it twice must change
// nothing: a node whose lease has expired may still be working.
type Job struct {
	Name     string // also the name of its lease, shared by nodes of all versions
	Schedule Schedule
	// Within is the timeout of a run, if that is longer than the time until the job is next due.
	// The lease is renewed during the run.
	Within time.Duration
	Run    func(context.Context) error
}

// deadline returns the deadline of a run that begins at a time.
func (j Job) deadline(began time.Time) time.Time {
	due, latest := j.Schedule(began), began.Add(j.Within)
	if latest.After(due) {
		return latest
	}
	return due
}

// Settings configures a Runner.
type Settings struct {
	Node  string       // the name of this process among the nodes on one database
	Clock *clock.Clock // determines when jobs are due
	Log   *slog.Logger
	// Jitter is the maximum random time by which a run may begin before it is due, so that nodes do
	// not all request a lease at the same time.
	Jitter time.Duration
}

// Runner runs jobs under leases.
type Runner struct {
	Settings
	leases Leases
	jobs   []Job

	mu     sync.Mutex
	status []Status             // by job
	kept   map[string]time.Time // when the state of a job was last stored
}

// New returns a Runner for jobs.
func New(leases Leases, settings Settings, jobs ...Job) *Runner {
	r := &Runner{
		Settings: settings, leases: leases, jobs: jobs, kept: make(map[string]time.Time),
	}
	for _, job := range jobs {
		r.status = append(r.status, Status{Name: job.Name})
	}
	return r
}

// Run runs the jobs, each independently of the others, until the context ends. It returns when the
// last run has ended and the leases are released.
func (r *Runner) Run(ctx context.Context) {
	var running sync.WaitGroup
	for i := range r.jobs {
		running.Go(func() { r.runOnSchedule(ctx, i) })
	}
	running.Wait()
	r.releaseLeases()
}

// Begin runs each job once, one after the other, and Run continues from there. This way a sandbox
// does the work that is due at its start before the first request, and always in the same order.
func (r *Runner) Begin(ctx context.Context) {
	for i := range r.jobs {
		r.runNow(ctx, i)
	}
}

// runOnSchedule runs a job until the context ends. Due times that pass during a run, or that the
// clock is moved past, result in a single run. When the clock is set back, the schedule restarts.
func (r *Runner) runOnSchedule(ctx context.Context, i int) {
	next := r.Status()[i].Next // zero unless Begin has run the job
	for {
		if next.IsZero() {
			next = r.runNow(ctx, i)
		}
		err := r.Clock.Wait(ctx, next)
		if err != nil && !errors.Is(err, clock.ErrSetBack) {
			return
		}
		next = time.Time{}
	}
}

// runNow runs a job, and returns when it is next due.
func (r *Runner) runNow(ctx context.Context, i int) (next time.Time) {
	began := r.Clock.Now()
	next = r.jobs[i].Schedule(began)
	next = next.Add(-r.jitter(next.Sub(began)))
	r.note(i, func(s *Status) { s.Began, s.Next, s.Running = began, next, true })
	outcome, err := r.runAndKeep(ctx, i)
	ended := r.Clock.Now()
	r.note(i, func(s *Status) {
		s.Ended, s.Outcome, s.Err, s.Running = ended, outcome, err, false
	})
	if outcome == Failed && ctx.Err() == nil {
		r.Log.ErrorContext(ctx, "job failed", "job", r.jobs[i].Name, "error", err,
			"next", next.UTC())
	}
	if ended.Before(began) {
		return ended // the clock was set back during the run
	}
	return next
}

// jitter returns how much before its due time a run begins, at most a quarter of the interval.
func (r *Runner) jitter(due time.Duration) time.Duration {
	most := min(r.Jitter, due/4)
	if most <= 0 {
		return 0
	}
	return rand.N(most)
}

// runAndKeep runs a job once and stores the outcome.
func (r *Runner) runAndKeep(ctx context.Context, i int) (Outcome, error) {
	taken := &turn{}
	outcome, err := r.runOnce(ctx, r.jobs[i], taken)
	interrupted := outcome == Failed && ctx.Err() != nil
	if taken.began.IsZero() || interrupted || !taken.kept && outcome == Done {
		return outcome, err
	}
	if lost := r.keepEnd(ctx, r.jobs[i], taken.began, err); lost != nil {
		r.Log.WarnContext(ctx, "storing job state failed", "job", r.jobs[i].Name,
			"error", lost)
	}
	return outcome, err
}

// runOnce runs a job if this node gets its lease. The deadline of the run is the next due time of
// the job, or follows from Within. It uses the wall clock: a frozen clock must not let a run
// continue forever. A panic is an error like any other: it must not end the service.
func (r *Runner) runOnce(ctx context.Context, job Job, taken *turn) (outcome Outcome, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			outcome, err = Failed, fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	began := r.Clock.Now()
	ctx, cancel := context.WithTimeout(ctx, job.deadline(began).Sub(began))
	defer cancel()
	*taken, err = r.acquireLease(ctx, job)
	if err != nil {
		return Failed, err
	}
	if taken.began.IsZero() {
		return Elsewhere, nil
	}
	defer r.renewLease(ctx, job, *taken, cancel)()
	if err := job.Run(ctx); err != nil {
		return Failed, err
	}
	return Done, nil
}
