package admin

import (
	"testing"

	wire "mintmark/client/admin"
)

// TestTail holds that an empty log is answered at once where its end is asked for, or lies in front
// of the place, and what a query may hold.
func TestTail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const who = "configurator"
	for _, query := range []string{
		"", "?after=0&wait=0", "?after=7&wait=20", "?programId=1&cardId=5001&type=card.*",
	} {
		got := read[wire.EventTail](w, who, "events/tail"+query)
		if got.After != 0 || got.Items == nil || len(got.Items) != 0 {
			t.Errorf("events/tail%s: %+v", query, got)
		}
	}
	for _, query := range []string{"after=-1", "after=x", "wait=21", "wait=x", "type=nothing"} {
		w.problem(as(who, "GET", "events/tail?"+query, ""), wire.Invalid)
	}
	w.problem(as("elsewhere", "GET", "events/tail?programId=1", ""), wire.NotFound)
}
