package order

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEventsOfReports prints the event of each report for each kind of order.
func TestEventsOfReports(t *testing.T) {
	t.Parallel()
	var got []string
	for _, kind := range Kinds {
		line := string(kind) + ":"
		for _, said := range ReportKinds {
			if event := said.Event(kind); event != "" {
				line += fmt.Sprintf(" %s=%s", said, event)
			}
		}
		got = append(got, line)
	}
	const want = `` +
		`card.make: taken=accepted shipped=done delivered=done returned=done refused=refused
card.remake: taken=accepted shipped=done delivered=done returned=done refused=refused
card.lock: taken=done refused=refused
card.unlock: taken=done refused=refused
card.hotlist: taken=done refused=refused
card.close: taken=done refused=refused
card.accounts: taken=done refused=refused
card.pin: taken=accepted refused=refused pinSet=done`
	if diff := cmp.Diff(strings.Split(want, "\n"), got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
