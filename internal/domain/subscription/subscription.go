// Package subscription says what a webhook is: where events of a program are sent, which of them,
// what is kept of a delivery and of its tries, when a failed one is tried again, and which
// addresses a webhook may reach. It does no I/O. Package issuing changes subscriptions, package
// webhook delivers.
package subscription

import (
	"slices"
	"time"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/event"
)

// Webhook is a subscription of a program to events.
type Webhook struct {
	ID        int
	ProgramID int
	Name      string // unique in the program
	URL       string
	Types     event.Filter
	Earlier   []Earlier // its earlier types, the oldest first
	Secrets   [][]byte  // sealed; each signs what is sent
	Paused    bool
	// PausedBecause says why the service itself has paused the webhook; empty when an operator has.
	PausedBecause string
	Created       time.Time
	Revision      int
}

// Earlier are the types that a webhook had until they were changed.
type Earlier struct {
	Types event.Filter `json:"types"`
	Event int          `json:"event"` // the newest that was sealed at the change
	At    time.Time    `json:"at"`    // of the change
}

// Wants reports whether a webhook subscribes to an event of its program, by the types that it had
// when the event happened.
func (w Webhook) Wants(e event.Event) bool {
	for _, earlier := range w.Earlier {
		if e.Sequence <= earlier.Event || e.At.Before(earlier.At) {
			return earlier.Types.Matches(e.Type)
		}
	}
	return w.Types.Matches(e.Type)
}

// ChangeTypes gives a webhook other types for what happens from now on, behind the newest event that
// is sealed.
func (w *Webhook) ChangeTypes(to event.Filter, newest int, now time.Time) {
	if !slices.Equal(w.Types, to) {
		earlier := append(slices.Clone(w.Earlier), Earlier{w.Types, newest, now})
		w.Earlier = earlier[max(0, len(earlier)-MaxEarlier):]
	}
	w.Types = to
}

// Limits of a webhook.
const (
	MaxEarlier = 20 // changes of its types; events from before all of them go by the oldest kept

	MaxName    = 200
	MaxURL     = 2000
	MaxTypes   = 50
	MaxSecrets = 2 // the old and the new one while one takes the place of the other
)

// Rules tells what each member must be. Whether the address may be used depends on the environment:
// see CheckURL.
func (w Webhook) Rules(r *problem.Rules) {
	r.Number("programId", w.ProgramID, 1, problem.MaxID)
	r.Name("name", w.Name, MaxName)
	r.Text("url", w.URL, MaxURL)
	r.Count("types", len(w.Types), 0, MaxTypes)
	problem.Distinct(r, "types", w.Types)
	r.Must("types", "types of event, or their beginnings such as card.*", w.Types.Problem())
	r.Count("secrets", len(w.Secrets), 1, MaxSecrets)
}

// Endpoint is how far the deliveries of a webhook have come, and which node delivers.
type Endpoint struct {
	WebhookID int
	Position  int // the last event that was sent, kept as a Delivery or passed over
	Node      string
	Until     time.Time // from then on another node may deliver
}

// ClaimLasts is for how long a node has an endpoint that it has taken or renewed.
const ClaimLasts = 30 * time.Second

// Free reports whether a node may take the endpoint. A claim that ends later than any that is made
// now is from before the clock was set back.
func (e Endpoint) Free(now time.Time) bool {
	return e.Node == "" || !e.Until.After(now) || e.Until.After(now.Add(ClaimLasts))
}

// Renewable reports whether the node that has the endpoint should renew its claim.
func (e Endpoint) Renewable(now time.Time) bool {
	return e.Free(now) || e.Until.Before(now.Add(ClaimLasts*2/3))
}

// State is how a delivery stands that has not succeeded.
type State string

// The states of a delivery. One that has succeeded is no longer kept; its attempts are.
const (
	Waiting State = "waiting" // for its next try, or behind another one of its lane
	Dead    State = "dead"    // given up, until it is resent or replayed
)

// Delivery is an event that a webhook has not taken, or that waits behind one of its card.
type Delivery struct {
	WebhookID int
	Sequence  int // of the event
	Lane      int // events of one lane are sent in their order: see event.Event.Lane
	Type      event.Type
	State     State
	Tries     int
	Next      time.Time // of the next try; zero for one that waits behind another or is dead
	LastError string    // of the last try
	Since     time.Time // when it was kept first
}

// Attempt is one try to deliver an event.
type Attempt struct {
	WebhookID int
	Sequence  int // of the event
	At        time.Time
	Status    int // of the answer; 0 without one
	Duration  time.Duration
	Error     string // why it failed; empty for a success
	Answer    string // the beginning of the answer's body, at most MaxAnswer bytes
}

// MaxAnswer is how many bytes of an answer are kept.
const MaxAnswer = 1 << 10

// KeepAttempts is how long attempts are kept.
const KeepAttempts = 30 * 24 * time.Hour

// Replay sends events again, or for the first time: those of some time, or from an event on.
type Replay struct {
	ID        int
	WebhookID int
	From, To  time.Time    // of the events; zero for a replay from a sequence on
	Types     event.Filter // of those the webhook subscribes to; empty for all
	Position  int          // the last event that is done
	Last      int          // the last event of the replay
	Count     int          // events that the replay sends
	Sent      int          // events that were sent, or are kept as deliveries
	Created   time.Time
	Ended     time.Time // zero while it is at work
}

// Includes reports whether an event of a type and a moment belongs to the replay.
func (r Replay) Includes(kind event.Type, at time.Time) bool {
	return r.Types.Matches(kind) && (r.From.IsZero() || !at.Before(r.From)) &&
		(r.To.IsZero() || at.Before(r.To))
}
