package mintmarktest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"mintmark/client/admin"
	"mintmark/client/sandbox"
)

// kept is the name of the snapshot of Snapshot and Restore.
const kept = "mintmarktest"

// eventsAtOnce is the number of events read with one request.
const eventsAtOnce = 200

// Now returns the time of the sandbox's clock.
func (s *Sandbox) Now() time.Time {
	s.t.Helper()
	return do[sandbox.Clock](s, http.MethodGet, "clock", nil).Now
}

// Advance moves the clock forward. When it returns, everything that falls due on the way has
// happened, each at its time: cards expire, holds end, documents come into force.
func (s *Sandbox) Advance(d time.Duration) {
	s.t.Helper()
	to := s.Now().Add(d)
	do[sandbox.Clock](s, http.MethodPut, "clock", sandbox.ClockChange{Now: &to})
}

// Report has the simulated card processor report an event of a card, such as "shipped", "returned"
// or "compromised".
func (s *Sandbox) Report(card int, kind string) {
	s.t.Helper()
	do[any](s, http.MethodPost, fmt.Sprintf("cards/%d/reports", card), sandbox.Report{Kind: kind})
}

// Fail makes requests of calling programs fail as a rule says, and returns the rule with its
// identifier. Heal removes all rules.
func (s *Sandbox) Fail(rule sandbox.Fault) sandbox.Fault {
	s.t.Helper()
	return do[sandbox.Fault](s, http.MethodPost, "faults", rule)
}

// Heal removes all rules added by Fail.
func (s *Sandbox) Heal() {
	s.t.Helper()
	do[any](s, http.MethodDelete, "faults", nil)
}

// Snapshot saves the whole state: data, clock, rules, and the random bytes to come.
func (s *Sandbox) Snapshot() {
	s.t.Helper()
	do[any](s, http.MethodPut, "snapshots/"+kept, nil)
}

// Restore restores the state of the last Snapshot.
func (s *Sandbox) Restore() {
	s.t.Helper()
	do[any](s, http.MethodPost, "snapshots/"+kept+"/restore", nil)
}

// Reset restores the state at Start.
func (s *Sandbox) Reset() {
	s.t.Helper()
	do[any](s, http.MethodPost, "reset", nil)
}

// Events returns the events so far that subscribers are notified of, oldest first.
func (s *Sandbox) Events() []admin.Event {
	s.t.Helper()
	var events []admin.Event
	query := url.Values{"limit": {fmt.Sprint(eventsAtOnce)}}
	for {
		page, err := admin.Page[admin.Event](
			s.t.Context(), s.Admin("sandbox-administrator"), "events", query)
		if err != nil {
			s.t.Fatalf("mintmarktest: read the events: %v", err)
		}
		events = append(events, page.Items...)
		if page.Next == "" {
			break
		}
		query.Set("cursor", page.Next)
	}
	slices.Reverse(events)
	return events
}
