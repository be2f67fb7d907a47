// Package injection holds the fault rules of a sandbox: they make callers' requests fail, wait or
// lose their connection on demand. A rule returns a catalogue code at that code's place in the
// order of checks (package precedence). A request that fails an earlier check gets that check's
// answer, and the rule is not consumed.
//
//	package api -> Rules.Begin: a Trial of each request that a rule selects, nil for any other
//	            -> Trial.Passed, Trial.Service, Trial.Body: the checks before the operation
//	            -> Trial.Before, Trial.Outcome: those of the operation, in its transaction
//	            -> Trial.End
//
// Without rules a request costs one pointer load; production has no Rules at all.
package injection

import (
	"time"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/precedence"
)

// AnyRoute is the route of a rule for every request.
const AnyRoute = "*"

// Drop is the time at which a connection is closed without an answer.
type Drop string

// Times of a drop.
const (
	DropBefore Drop = "before" // the act does not run
	DropAfter  Drop = "after"  // the act runs, and its answer is lost
)

// Rule selects requests and the way they fail.
type Rule struct {
	ID          string        `json:"id"`
	Route       string        `json:"route"`           // path in the route table, or AnyRoute
	Key         string        `json:"key,omitempty"`   // name of an API key; empty for all
	Code        int           `json:"code,omitempty"`  // in the catalogue; 0 for none
	Delay       time.Duration `json:"delay,omitempty"` // wall time
	Drop        Drop          `json:"drop,omitempty"`
	Times       int           `json:"times,omitempty"`       // maximum uses; 0 for no limit
	Probability float64       `json:"probability,omitempty"` // 0 for always
	Used        int           `json:"used,omitempty"`        // number of uses so far
}

// Limits of a rule.
const (
	MaxDelay = 5 * time.Minute
	maxTimes = 1_000_000
)

// Check returns the problems of a rule.
func (r Rule) Check() problem.List {
	var problems problem.List
	_, longer := precedence.Operations[r.Route]
	_, shorter := precedence.FullPaths[r.Route]
	known := r.Route == AnyRoute || longer || shorter
	switch {
	case r.Route == "":
		problems.Add("route", "a value is required")
	case !known:
		problems.Add("route", `must be a path as openapi.yaml writes it, such as /card/lock, or "*"`)
	}
	if r.Code == 0 && r.Delay == 0 && r.Drop == "" {
		problems.Add("", "needs a code, a delay or a drop")
	}
	if r.Code != 0 && r.Drop != "" {
		problems.Add("drop", "cannot stand beside a code: a dropped request has no answer")
	}
	if r.Code != 0 && known && !r.reachable() {
		problems.Add("code", "must be a code that the route can answer")
	}
	if r.Drop != "" && r.Drop != DropBefore && r.Drop != DropAfter {
		problems.Add("drop", "must be before or after")
	}
	if r.Delay < 0 || r.Delay > MaxDelay {
		problems.Add("delay", "must be above 0 and at most %s", MaxDelay)
	}
	if r.Times < 0 || r.Times > maxTimes {
		problems.Add("times", "must be from 1 to %d", maxTimes)
	}
	if r.Probability < 0 || r.Probability > 1 {
		problems.Add("probability", "must be above 0 and at most 1")
	}
	return problems
}

// reachable reports whether a request that the rule selects can reach the check of its code.
func (r Rule) reachable() bool {
	if r.Route != AnyRoute {
		_, _, ok := precedence.Of(whole(r.Route)).Find(r.Code)
		return ok
	}
	for path := range precedence.Operations {
		if _, _, ok := precedence.Of(path).Find(r.Code); ok {
			return true
		}
	}
	return false
}

// whole returns the path of the operation that a path belongs to.
func whole(route string) string {
	if longer, shorter := precedence.FullPaths[route]; shorter {
		return longer
	}
	return route
}

// Target is what rules see of a request.
type Target struct {
	Route string // path of the operation in the route table, for any method; empty for none
	Sent  string // Route without the parameters that the request omits
	Key   string // name of the API key, as the request claims it

	// Value returns the request's value for a placeholder in a message, as sent.
	Value func(blank string) (text string, told bool)
}

// selects reports whether the rule selects a request.
func (r Rule) selects(t Target) bool {
	if r.Key != "" && r.Key != t.Key {
		return false
	}
	return r.Route == AnyRoute || t.Route != "" && (r.Route == t.Route || r.Route == t.Sent)
}

// exhausted reports whether the rule has reached its maximum number of uses.
func (r Rule) exhausted() bool { return r.Times > 0 && r.Used >= r.Times }

// Refused is the answer of a rule instead of that of a check. It holds catalogue faults, which
// fault.All finds.
type Refused struct {
	fault.List
	Rule string // its ID
}

// Unwrap lets fault.All find the faults.
func (r *Refused) Unwrap() error { return r.List }
