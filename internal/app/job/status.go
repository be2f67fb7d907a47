package job

import (
	"slices"
	"time"
)

// Outcome is what came of a run.
type Outcome string

// The outcomes of a run.
const (
	NotYet    Outcome = ""          // no run has ended
	Done      Outcome = "done"      // this node has run the job
	Failed    Outcome = "failed"    // the job or its lease has returned an error
	Elsewhere Outcome = "elsewhere" // another node holds the lease
)

// Status is what this node knows of a job, by business time.
type Status struct {
	Name    string
	Running bool
	Began   time.Time // when the last run began; zero before the first
	Ended   time.Time // when the last run that has ended did; zero before
	Outcome Outcome   // of the last run that has ended
	Err     error     // why it failed
	Next    time.Time // when the next run is due
}

// Status returns the state of every job, in the order in which they were given.
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
