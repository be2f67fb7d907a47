package order

import (
	"encoding/json"
	"errors"
	"time"
)

// ErrState is the error of an act on an order whose state does not allow it.
var ErrState = errors.New("the state of the order does not allow it")

// Event is what happens to an order: an answer or a report of the processor, the end of a try
// without an answer, time, or an act of an operator.
type Event string

// The events.
const (
	IsDone      Event = "done"          // the processor has done it
	IsAccepted  Event = "accepted"      // the processor has it, or a file for it; a report follows
	IsRefused   Event = "refused"       // the processor will never do it
	Undelivered Event = "not delivered" // a try has ended without an answer that counts
	Interrupted Event = "interrupted"   // the node stopped during the try, which does not count
	PinTooOld   Event = "PIN too old"   // the PIN of an order to change one was destroyed
	GivenUp     Event = "given up"      // it was tried for GiveUpAfter

	Retry   Event = "retry"
	Hold    Event = "hold"
	Release Event = "release"
	Drop    Event = "drop"
)

// Events lists the events.
var Events = []Event{
	IsDone, IsAccepted, IsRefused, Undelivered, Interrupted, PinTooOld, GivenUp,
	Retry, Hold, Release, Drop,
}

// Transition is a row of the table: what an event makes of an order.
type Transition struct {
	From  State
	Event Event
	To    State
}

// Transitions is the whole table. An event without a row changes nothing: it came too late. An
// answer counts whoever holds the claim by then, because the processor has given it.
var Transitions = []Transition{
	{Waiting, IsDone, Done},
	{Waiting, IsAccepted, Sent},
	{Waiting, IsRefused, Failed},
	{Waiting, Undelivered, Waiting},
	{Waiting, Interrupted, Waiting},
	{Waiting, PinTooOld, Failed},
	{Waiting, GivenUp, Failed},
	{Waiting, Retry, Waiting},
	{Waiting, Hold, Held},
	{Waiting, Drop, Failed},

	// The try of a held order may have been under way.
	{Held, IsDone, Done},
	{Held, IsAccepted, Sent},
	{Held, IsRefused, Failed},
	{Held, Undelivered, Held},
	{Held, PinTooOld, Failed},
	{Held, Release, Waiting},
	{Held, Drop, Failed},

	{Sent, IsAccepted, Sent}, // its file was fetched
	{Sent, IsDone, Done},
	{Sent, IsRefused, Failed},
	{Sent, Retry, Waiting},
	{Sent, Drop, Failed},

	{Failed, IsDone, Done},
	{Failed, IsAccepted, Sent},
	{Failed, Retry, Waiting},
	{Failed, Drop, Failed},
}

// How long an order that was not delivered waits for its next try: at first firstWait, then twice
// as long each time, up to LongestWait, or to LongestUrgentWait for an urgent one.
const (
	firstWait         = time.Second
	LongestWait       = 15 * time.Minute
	LongestUrgentWait = 15 * time.Second
)

// How long a lock or hotlist may be sent before its card counts as open at the processor: one in a file
// as long as the alert MintmarkLocksNotFetched allows the fetch, one that the processor has accepted
// itself five minutes, because a card is locked on the spot or not.
const (
	LockInFile   = 4 * time.Hour
	LockAccepted = 5 * time.Minute
)

// GiveUpAfter is how long an order is tried before it is given up.
const GiveUpAfter = 72 * time.Hour

// Wait returns how long an order waits after a number of tries.
func (k Kind) Wait(attempts int) time.Duration {
	longest := LongestWait
	if k.Urgent() {
		longest = LongestUrgentWait
	}
	wait := firstWait
	for range attempts - 1 {
		wait *= 2
		if wait >= longest {
			return longest
		}
	}
	return wait
}

// Note is what is known beside an event.
type Note struct {
	Error       string // of a try, a refusal or an operator, for operators to read
	Unreachable bool   // the try did not reach the processor
	File        int    // that holds the order until the processor fetches it; 0 for none
}

// After returns the order after an event, and false when the event changes nothing. A try that
// ends without an answer gives the order up when it was tried for long enough. A dropped order
// stays dropped, and an order to change a PIN cannot be tried without one.
func (o Order) After(event Event, note Note, now time.Time) (Order, bool) {
	if event == Undelivered && o.State == Waiting && now.Sub(o.periodStart()) >= GiveUpAfter {
		event = GivenUp
	}
	if event == IsAccepted && o.State == Sent && o.File == note.File {
		return o, false // it says what is known
	}
	to, possible := next(o.State, event)
	if !possible || !o.Dropped.IsZero() || event == Retry && o.lacksPin() {
		return o, false
	}
	from, tries := o.State, o.withTry(event, note, now)
	o.State, o.ClaimedBy, o.NextTry, o.Ended = to, "", time.Time{}, time.Time{}
	o.File = note.File
	switch event {
	case IsDone, IsAccepted, IsRefused:
		if from != Sent { // else it is a report or a fetched file, and no try
			o.Attempts++
			o.Tries = tries
		}
		o.SealedPin = nil
		o.LastError, o.Unreachable = note.Error, false
	case Undelivered, GivenUp:
		o.Attempts++
		o.Tries = tries
		o.LastError, o.Unreachable = note.Error, note.Unreachable
	case PinTooOld:
		o.SealedPin = nil
		o.LastError = note.Error
	case Retry, Release:
		o.Begun, o.Attempts, o.Unreachable = now, 0, false
	case Drop:
		o.SealedPin = nil
		o.Dropped, o.LastError = now, note.Error
	}
	switch to {
	case Waiting:
		o.NextTry = now
		if event == Undelivered {
			o.NextTry = now.Add(o.Kind.Wait(o.Attempts))
		}
	case Done, Failed:
		o.Ended = later(now, o.Created) // a sandbox may set its clock back
	}
	return o, true
}

// Shown is what the audit shows of an order, as a JSON object.
func (o Order) Shown() string {
	text, err := json.Marshal(struct {
		OrderID   string `json:"orderId"`
		Kind      Kind   `json:"kind"`
		State     State  `json:"state"`
		LastError string `json:"lastError,omitempty"`
	}{o.PublicID(), o.Kind, o.State, o.LastError})
	if err != nil {
		return "" // which texts cannot cause
	}
	return string(text)
}

// periodStart returns the start of the period after which the order is given up.
func (o Order) periodStart() time.Time { return later(o.Created, o.Begun) }

// lacksPin reports whether the order is to change a PIN that it does not hold.
func (o Order) lacksPin() bool { return o.Kind == SetPin && len(o.SealedPin) == 0 }

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// next returns the state that an event leads to, and whether it leads anywhere.
func next(from State, event Event) (State, bool) {
	for _, row := range Transitions {
		if row.From == from && row.Event == event {
			return row.To, true
		}
	}
	return "", false
}
