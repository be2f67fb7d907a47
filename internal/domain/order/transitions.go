package order

import (
	"encoding/json"
	"errors"
	"time"
)

// ErrState is returned when the state of an order does not allow an act on it.
var ErrState = errors.New("the state of the order does not allow it")

// Event is an event in the life of an order: a response or a report of the processor, the end of an
// attempt without a response, the passage of time, or an act of an operator.
type Event string

// The events.
const (
	IsDone      Event = "done"          // the processor has carried it out
	IsAccepted  Event = "accepted"      // the processor has it, or a file does; a report follows
	IsRefused   Event = "refused"       // the processor will never carry it out
	Undelivered Event = "not delivered" // an attempt ended without a conclusive response
	Interrupted Event = "interrupted"   // the node stopped during the attempt, which does not count
	PinTooOld   Event = "PIN too old"   // the PIN of an order to change it was destroyed
	GivenUp     Event = "given up"      // attempts went on for GiveUpAfter

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

// Transition is a row of the table: the effect of an event on an order's state.
type Transition struct {
	From  State
	Event Event
	To    State
}

// Transitions is the whole table. An event without a row changes nothing, because it is late. A
// response counts no matter which node holds the claim by then, because the processor has given it.
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

	// An attempt may have been in progress when the order was held.
	{Held, IsDone, Done},
	{Held, IsAccepted, Sent},
	{Held, IsRefused, Failed},
	{Held, Undelivered, Held},
	{Held, PinTooOld, Failed},
	{Held, Release, Waiting},
	{Held, Drop, Failed},

	{Sent, IsAccepted, Sent}, // the processor fetched its file
	{Sent, IsDone, Done},
	{Sent, IsRefused, Failed},
	{Sent, Retry, Waiting},
	{Sent, Drop, Failed},

	{Failed, IsDone, Done},
	{Failed, IsAccepted, Sent},
	{Failed, Retry, Waiting},
	{Failed, Drop, Failed},
}

// The backoff between attempts: firstWait at first, then twice as long each time, up to
// LongestWait, or LongestUrgentWait for an urgent order.
const (
	firstWait         = time.Second
	LongestWait       = 15 * time.Minute
	LongestUrgentWait = 15 * time.Second
)

// How long a lock or hotlist order may stay Sent before its card counts as open at the processor.
// For an order in a file this is the time that the alert MintmarkLocksNotFetched allows for the
// fetch. For an order that the processor itself accepted it is five minutes, because a card is
// locked immediately or not at all.
const (
	LockInFile   = 4 * time.Hour
	LockAccepted = 5 * time.Minute
)

// GiveUpAfter is how long an order is attempted before it is given up.
const GiveUpAfter = 72 * time.Hour

// Wait returns the backoff after a number of attempts.
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

// Note holds the details of an event.
type Note struct {
	Error       string // of an attempt, a refusal or an operator, for operators
	Unreachable bool   // the attempt did not reach the processor
	File        int    // contains the order until the processor fetches it; 0 for none
}

// After returns the order after an event, and false if the event changes nothing. An attempt that
// ends without a response gives up the order if attempts have gone on for GiveUpAfter. A dropped
// order stays dropped, and an order to change a PIN cannot be retried without the PIN.
func (o Order) After(event Event, note Note, now time.Time) (Order, bool) {
	if event == Undelivered && o.State == Waiting && now.Sub(o.periodStart()) >= GiveUpAfter {
		event = GivenUp
	}
	if event == IsAccepted && o.State == Sent && o.File == note.File {
		return o, false // it adds nothing new
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
		if from != Sent { // otherwise it is a report or a fetched file, not an attempt
			o.Attempts++
			o.Tries = tries
		}
		if event == IsDone && len(o.Tries) == 1 { // a first attempt, which was accepted
			o.Tries = nil
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

// Shown returns the order as the audit shows it, as a JSON object.
func (o Order) Shown() string {
	text, err := json.Marshal(struct {
		OrderID   string `json:"orderId"`
		Kind      Kind   `json:"kind"`
		State     State  `json:"state"`
		LastError string `json:"lastError,omitempty"`
	}{o.PublicID(), o.Kind, o.State, o.LastError})
	if err != nil {
		return "" // strings cannot cause an error
	}
	return string(text)
}

// periodStart returns the start of the period after which the order is given up.
func (o Order) periodStart() time.Time { return later(o.Created, o.Begun) }

// lacksPin reports whether the order is to change a PIN but no longer has it.
func (o Order) lacksPin() bool { return o.Kind == SetPin && len(o.SealedPin) == 0 }

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// next returns the state that an event leads to, and whether the event has a row.
func next(from State, event Event) (State, bool) {
	for _, row := range Transitions {
		if row.From == from && row.Event == event {
			return row.To, true
		}
	}
	return "", false
}
