// Package job runs what the service does on a schedule, without a request: a Runner waits until a
// job is due by business time, takes the lease of the job, and runs it. Of the nodes on one
// database one runs each job. What a job does belongs to package issuing.
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

	"mintmark/internal/clock"
)

// Schedule returns when a job is due next after a run that began at a moment.
type Schedule func(began time.Time) time.Time

// Every is the schedule of a job that is due at an interval.
func Every(interval time.Duration) Schedule {
	return func(began time.Time) time.Time { return began.Add(interval) }
}

// Job is run at the start of a Runner and then on its schedule. Running it twice must change
// nothing: a node whose lease has run out may still be at work.
type Job struct {
	Name     string // also the name of its lease, which nodes of all versions share
	Schedule Schedule
	Run      func(context.Context) error
}

// Settings say how a Runner works.
type Settings struct {
	Node  string       // the name of this process among the nodes on one database
	Clock *clock.Clock // by which jobs are due
	Log   *slog.Logger
	// Jitter is how much sooner than due a run may begin, at random, so that nodes do not all ask
	// for a lease at the same moment.
	Jitter time.Duration
}

// Runner runs jobs under leases.
type Runner struct {
	Settings
	leases Leases
	jobs   []Job

	mu     sync.Mutex
	status []Status // by job
}

// New returns a Runner of jobs.
func New(leases Leases, settings Settings, jobs ...Job) *Runner {
	r := &Runner{Settings: settings, leases: leases, jobs: jobs}
	for _, job := range jobs {
		r.status = append(r.status, Status{Name: job.Name})
	}
	return r
}

// Run runs the jobs, each independently of the others, until the context ends. It returns when the
// last run has ended and the leases are given back.
func (r *Runner) Run(ctx context.Context) {
	var running sync.WaitGroup
	for i := range r.jobs {
		running.Go(func() { r.runOnSchedule(ctx, i) })
	}
	running.Wait()
	r.giveBack()
}

// runOnSchedule runs a job until the context ends. Moments at which a run was still at work, or
// which the clock was moved past, give one run and not several. A clock that is set back starts the
// schedule anew.
func (r *Runner) runOnSchedule(ctx context.Context, i int) {
	for {
		began := r.Clock.Now()
		next := r.jobs[i].Schedule(began).Add(-r.jitter())
		r.note(i, func(s *Status) { s.Began, s.Next, s.Running = began, next, true })
		outcome, err := r.runOnce(ctx, r.jobs[i])
		ended := r.Clock.Now()
		r.note(i, func(s *Status) {
			s.Ended, s.Outcome, s.Err, s.Running = ended, outcome, err, false
		})
		if outcome == Failed && ctx.Err() == nil {
			r.Log.ErrorContext(ctx, "job failed", "job", r.jobs[i].Name, "error", err,
				"next", next.UTC())
		}
		if ended.Before(began) {
			next = ended // the clock was set back during the run
		}
		err = r.Clock.Wait(ctx, next)
		if err != nil && !errors.Is(err, clock.ErrSetBack) {
			return
		}
	}
}

func (r *Runner) jitter() time.Duration {
	if r.Jitter == 0 {
		return 0
	}
	return rand.N(r.Jitter)
}

// runOnce runs a job if this node gets its lease. The run ends at the latest when the job is due
// again, by the wall clock: a frozen clock must not keep a run at work for ever. A panic is an
// error like any other: it must not end the service.
func (r *Runner) runOnce(ctx context.Context, job Job) (outcome Outcome, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			outcome, err = Failed, fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	began := r.Clock.Now()
	ctx, cancel := context.WithTimeout(ctx, job.Schedule(began).Sub(began))
	defer cancel()
	taken, err := r.takeLease(ctx, job)
	if err != nil {
		return Failed, err
	}
	if !taken {
		return Elsewhere, nil
	}
	if err := job.Run(ctx); err != nil {
		return Failed, err
	}
	return Done, nil
}
