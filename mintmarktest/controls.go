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

// eventsAtOnce is how many events are read with one request.
const eventsAtOnce = 200

// Now returns what time it is in the sandbox.
func (s *Sandbox) Now() time.Time {
	s.t.Helper()
	return do[sandbox.Clock](s, http.MethodGet, "clock", nil).Now
}

// Advance moves the clock forward. Everything that falls due on the way has happened when it
// returns, each at its moment: cards expire, holds end, documents come into force.
func (s *Sandbox) Advance(d time.Duration) {
	s.t.Helper()
	to := s.Now().Add(d)
	do[sandbox.Clock](s, http.MethodPut, "clock", sandbox.ClockChange{Now: &to})
}

// Report has the simulated card processor say something about a card, such as "shipped",
// "returned" or "compromised".
func (s *Sandbox) Report(card int, kind string) {
	s.t.Helper()
	do[any](s, http.MethodPost, fmt.Sprintf("cards/%d/reports", card), sandbox.Report{Kind: kind})
}

// Fail has requests of calling programs fail as a rule says, and returns the rule with its
// identifier. Heal ends all rules.
func (s *Sandbox) Fail(rule sandbox.Fault) sandbox.Fault {
	s.t.Helper()
	return do[sandbox.Fault](s, http.MethodPost, "faults", rule)
}

// Heal ends all rules of Fail.
func (s *Sandbox) Heal() {
	s.t.Helper()
	do[any](s, http.MethodDelete, "faults", nil)
}

// Snapshot keeps everything as it is: data, clock, rules, and the random bytes to come.
func (s *Sandbox) Snapshot() {
	s.t.Helper()
	do[any](s, http.MethodPut, "snapshots/"+kept, nil)
}

// Restore puts everything back as it was at the last Snapshot.
func (s *Sandbox) Restore() {
	s.t.Helper()
	do[any](s, http.MethodPost, "snapshots/"+kept+"/restore", nil)
}

// Reset puts everything back as it was at Start.
func (s *Sandbox) Reset() {
	s.t.Helper()
	do[any](s, http.MethodPost, "reset", nil)
}

// Events returns what has happened so far and subscribers are told of, oldest first.
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
