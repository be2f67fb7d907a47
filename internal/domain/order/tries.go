package order

import (
	"slices"
	"time"
)

// Try is how a try to send an order has ended.
type Try struct {
	At      time.Time `json:"at"`
	Node    string    `json:"node,omitempty"` // that made it; empty for a report in place of an answer
	Outcome Outcome   `json:"outcome"`
	Answer  string    `json:"answer,omitempty"` // what the processor said, or why it did not
}

// Outcome is what came of a try.
type Outcome string

// The outcomes of a try.
const (
	TryDone      Outcome = "done"
	TryAccepted  Outcome = "accepted"
	TryRefused   Outcome = "refused"
	TryUnreached Outcome = "unreached" // the processor was not reached
	TryFailed    Outcome = "failed"    // the processor was reached, and no answer counts
)

// withTry returns the tries of an order and one more. A first try that succeeds is not kept, so that it
// costs nothing: the order says when it was done.
func (o Order) withTry(event Event, note Note, now time.Time) []Try {
	try := Try{At: now.UTC(), Node: o.ClaimedBy, Answer: note.Error}
	switch event {
	case IsDone:
		try.Outcome = TryDone
	case IsAccepted:
		try.Outcome = TryAccepted
	case IsRefused:
		try.Outcome = TryRefused
	default:
		try.Outcome = TryFailed
		if note.Unreachable {
			try.Outcome = TryUnreached
		}
	}
	if len(o.Tries) == 0 && (event == IsDone || event == IsAccepted) {
		return nil
	}
	return append(slices.Clone(o.Tries[max(0, len(o.Tries)-MaxTries+1):]), try)
}
