package order

import (
	"slices"
	"time"
)

// Attempt records the end of an attempt to send an order.
type Attempt struct {
	At      time.Time `json:"at"`
	Node    string    `json:"node,omitempty"` // that sent it; empty for a report
	Outcome Outcome   `json:"outcome"`
	Answer  string    `json:"answer,omitempty"` // the processor's response, or why there is none
}

// Outcome is the outcome of an attempt.
type Outcome string

// The outcomes of an attempt.
const (
	TryDone      Outcome = "done"
	TryAccepted  Outcome = "accepted"
	TryRefused   Outcome = "refused"
	TryUnreached Outcome = "unreached" // the processor was not reached
	TryFailed    Outcome = "failed"    // the processor was reached, but gave no conclusive response
)

// withTry returns the recorded attempts of an order and one more. A first attempt that does the
// order is not recorded, to save space: the order itself records when it was done.
func (o Order) withTry(event Event, note Note, now time.Time) []Attempt {
	try := Attempt{At: now.UTC(), Node: o.ClaimedBy, Answer: note.Error}
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
	if len(o.Tries) == 0 && event == IsDone {
		return nil
	}
	return append(slices.Clone(o.Tries[max(0, len(o.Tries)-MaxTries+1):]), try)
}
