package job

import (
	"slices"
	"time"
)

// Outcome is the outcome of a run.
type Outcome string

// The outcomes of a run.
const (
	NotYet    Outcome = ""          // no run has ended
	Done      Outcome = "done"      // this node ran the job
	Failed    Outcome = "failed"    // the job or its lease returned an error
	Elsewhere Outcome = "elsewhere" // another node holds the lease
)

// Status is what this node knows about a job, in business time.
type Status struct {
	Name    string
	Running bool
	Began   time.Time // when the last run began; zero before the first
	Ended   time.Time // when the last finished run ended; zero before the first
	Outcome Outcome   // of the last finished run
	Err     error     // why it failed
	Next    time.Time // when the next run is due
}

// Status returns the state of every job, in the order of the jobs.
func (r *Runner) Status() []Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.status)
}

func (r *Runner) note(i int, change func(*Status)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.status[i])
}
