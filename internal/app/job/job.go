// Package job runs the jobs of the service on a schedule: a Runner waits until a job is due by
// business time, takes the lease of the job, and runs it. Of the nodes on one database one runs
// each job. What a job does belongs to package issuing.
//
// The lease rule: a node runs a job only while it holds the lease of that name, and the lease lasts
// until the job is due again and half a minute longer, by the time of the transaction that takes
// it. A run that takes longer renews it, and is ended when another node has it, or when it was not
// renewed in time. The node that has a job therefore keeps it. One that stops gives its leases back;
// the jobs of one that is killed or cut off go to another node when the leases have run out. A run
// that hangs is ended before that, so two runs of a job overlap by no more than a statement on its
// way; and because they might, running a job twice changes nothing.
//
// The store keeps the outcome of the last run of a job, so that every node shows it, also after a
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
	// Within is how long a run may take, when that is longer than until the job is due again. The
	// lease is renewed meanwhile.
	Within time.Duration
	Run    func(context.Context) error
}

// deadline returns when a run that begins at a moment ends at the latest.
func (j Job) deadline(began time.Time) time.Time {
	due, latest := j.Schedule(began), began.Add(j.Within)
	if latest.After(due) {
		return latest
	}
	return due
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
	status []Status             // by job
	kept   map[string]time.Time // when the state of a job was stored last
}

// New returns a Runner of jobs.
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
// last run has ended and the leases are given back.
func (r *Runner) Run(ctx context.Context) {
	var running sync.WaitGroup
	for i := range r.jobs {
		running.Go(func() { r.runOnSchedule(ctx, i) })
	}
	running.Wait()
	r.giveBack()
}

// Begin runs each job once, one after the other. Run goes on from there: what was due at the start
// of a sandbox is then done before anybody asks, and in the same order every time.
func (r *Runner) Begin(ctx context.Context) {
	for i := range r.jobs {
		r.runNow(ctx, i)
	}
}

// runOnSchedule runs a job until the context ends. Moments at which a run was still at work, or
// which the clock was moved past, give one run and not several. A clock that is set back starts the
// schedule anew.
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

// runNow runs a job, and returns when it is due next.
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

// jitter is how much sooner than due a run begins, at most a quarter of the time until it is due.
func (r *Runner) jitter(due time.Duration) time.Duration {
	most := min(r.Jitter, due/4)
	if most <= 0 {
		return 0
	}
	return rand.N(most)
}

// runAndKeep runs a job once and keeps in the store what came of it.
func (r *Runner) runAndKeep(ctx context.Context, i int) (Outcome, error) {
	taken := &turn{}
	outcome, err := r.runOnce(ctx, r.jobs[i], taken)
	interrupted := outcome == Failed && ctx.Err() != nil
	if taken.began.IsZero() || interrupted || !taken.kept && outcome == Done {
		return outcome, err
	}
	if lost := r.keepEnd(ctx, r.jobs[i], taken.began, err); lost != nil {
		r.Log.WarnContext(ctx, "the state of a job is not stored", "job", r.jobs[i].Name,
			"error", lost)
	}
	return outcome, err
}

// runOnce runs a job if this node gets its lease. The run ends at the latest when the job is due
// again, or as Within says, by the wall clock: a frozen clock must not keep a run at work for ever.
// A panic is an error like any other: it must not end the service.
func (r *Runner) runOnce(ctx context.Context, job Job, taken *turn) (outcome Outcome, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			outcome, err = Failed, fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	began := r.Clock.Now()
	ctx, cancel := context.WithTimeout(ctx, job.deadline(began).Sub(began))
	defer cancel()
	*taken, err = r.takeLease(ctx, job)
	if err != nil {
		return Failed, err
	}
	if taken.began.IsZero() {
		return Elsewhere, nil
	}
	defer r.holdOn(ctx, job, *taken, cancel)()
	if err := job.Run(ctx); err != nil {
		return Failed, err
	}
	return Done, nil
}
