// Package subscription defines webhooks: the events of a program that are sent and where to, the
// records of a delivery and its attempts, the retry schedule, and the addresses that a webhook may
// reach. It does no I/O. Package issuing changes subscriptions; package webhook delivers events.
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
	Earlier   []Earlier // its earlier types, oldest first
	Secrets   [][]byte  // encrypted; each signs what is sent
	Paused    bool
	// PausedBecause is the reason why the service paused the webhook; empty if an operator did.
	PausedBecause string
	Created       time.Time
	Revision      int
}

// Earlier records the types that a webhook had before a change.
type Earlier struct {
	Types event.Filter `json:"types"`
	Event int          `json:"event"` // the newest event sealed at the time of the change
	At    time.Time    `json:"at"`    // of the change
}

// Wants reports whether the webhook subscribed to an event of its program, according to the types
// that it had when the event happened.
func (w Webhook) Wants(e event.Event) bool {
	for _, earlier := range w.Earlier {
		if e.Sequence <= earlier.Event || e.At.Before(earlier.At) {
			return earlier.Types.Matches(e.Type)
		}
	}
	return w.Types.Matches(e.Type)
}

// ChangeTypes sets the types of a webhook for events after newest, the newest sealed event.
func (w *Webhook) ChangeTypes(to event.Filter, newest int, now time.Time) {
	if !slices.Equal(w.Types, to) {
		earlier := append(slices.Clone(w.Earlier), Earlier{w.Types, newest, now})
		w.Earlier = earlier[max(0, len(earlier)-MaxEarlier):]
	}
	w.Types = to
}

// Limits of a webhook.
const (
	MaxEarlier = 20 // recorded changes of its types; events before all of them use the oldest

	MaxName    = 200
	MaxURL     = 2000
	MaxTypes   = 50
	MaxSecrets = 2 // the old and the new one, during a rotation
)

// Rules checks each member. Whether the URL may be used depends on the environment: see CheckURL.
func (w Webhook) Rules(r *problem.Rules) {
	r.Number("programId", w.ProgramID, 1, problem.MaxID)
	r.Name("name", w.Name, MaxName)
	r.Text("url", w.URL, MaxURL)
	r.Count("types", len(w.Types), 0, MaxTypes)
	problem.Distinct(r, "types", w.Types)
	r.Must("types", "types of event, or their beginnings such as card.*", w.Types.Problem())
	r.Count("secrets", len(w.Secrets), 1, MaxSecrets)
}

// Endpoint is the progress of a webhook's deliveries, with the claim of the node that delivers
// them.
type Endpoint struct {
	WebhookID int
	Position  int // last event that was sent, stored as a Delivery or skipped
	Node      string
	Until     time.Time // end of the claim
}

// ClaimLifetime is how long a node holds an endpoint after it claims it or renews the claim.
const ClaimLifetime = 30 * time.Second

// Free reports whether a node may claim the endpoint. A claim that ends later than any claim made
// now dates from before the clock was set back.
func (e Endpoint) Free(now time.Time) bool {
	return e.Node == "" || !e.Until.After(now) || e.Until.After(now.Add(ClaimLifetime))
}

// Renewable reports whether the node that holds the endpoint should renew its claim.
func (e Endpoint) Renewable(now time.Time) bool {
	return e.Free(now) || e.Until.Before(now.Add(ClaimLifetime*2/3))
}

// State is the state of a delivery that has not succeeded.
type State string

// The states of a delivery. A delivery that succeeds is deleted; its attempts are retained.
const (
	Waiting State = "waiting" // for its next attempt, or for another delivery of its lane
	Dead    State = "dead"    // given up, until it is resent or replayed
)

// Delivery is an event that a webhook has not accepted yet, or that waits for an earlier one of its
// lane.
type Delivery struct {
	WebhookID int
	Sequence  int // of the event
	Lane      int // events of a lane are sent in order: see event.Event.Lane
	Type      event.Type
	State     State
	Tries     int
	Next      time.Time // next attempt; zero if it waits for another delivery or is dead
	LastError string    // of the last attempt
	Since     time.Time // when it was first stored
}

// Attempt is an attempt to deliver an event.
type Attempt struct {
	WebhookID int
	Sequence  int // of the event
	At        time.Time
	Status    int // of the response; 0 if there was none
	Duration  time.Duration
	Error     string // why it failed; empty if it succeeded
	Answer    string // start of the response body, at most MaxAnswer bytes
}

// MaxAnswer is the maximum number of bytes of a response that are stored.
const MaxAnswer = 1 << 10

// KeepAttempts is how long attempts are stored.
const KeepAttempts = 30 * 24 * time.Hour

// Replay sends events again or for the first time: those of a period, or those from an event on.
type Replay struct {
	ID        int
	WebhookID int
	From, To  time.Time    // of the events; zero for a replay from a sequence on
	Types     event.Filter // among those that the webhook subscribes to; empty for all
	Position  int          // last event that is done
	Last      int          // last event of the replay
	Count     int          // number of events to send
	Sent      int          // events that were sent or stored as deliveries
	Created   time.Time
	Ended     time.Time // zero while it is running
}

// Includes reports whether the replay includes events of a type and a time.
func (r Replay) Includes(kind event.Type, at time.Time) bool {
	return r.Types.Matches(kind) && (r.From.IsZero() || !at.Before(r.From)) &&
		(r.To.IsZero() || at.Before(r.To))
}
