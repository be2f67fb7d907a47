package order

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestTries checks that an order that its first attempt has done stores none, that an accepted one
// stores it until the order is done, and that any other stores its latest attempts with node, outcome
// and answer, also across a retry. A report on a sent order is not an attempt.
func TestTries(t *testing.T) {
	t.Parallel()
	o := Order{Kind: Make, State: Waiting, Created: noon}
	if after, _ := o.After(IsDone, Note{}, noon); after.Tries != nil {
		t.Errorf("done: %+v", after.Tries)
	}
	accepted, _ := o.After(IsAccepted, Note{}, noon)
	if len(accepted.Tries) != 1 || accepted.Tries[0].Outcome != TryAccepted ||
		!accepted.Tries[0].At.Equal(noon) {
		t.Errorf("accepted: %+v", accepted.Tries)
	}
	if after, _ := accepted.After(IsDone, Note{}, noon); after.Tries != nil {
		t.Errorf("accepted, then done: %+v", after.Tries)
	}
	begun := o
	for i, step := range []struct {
		event Event
		note  Note
	}{
		{Undelivered, Note{Error: "no route", Unreachable: true}}, {Interrupted, Note{}},
		{Undelivered, Note{Error: "502"}}, {GivenUp, Note{Error: "503"}}, {Retry, Note{Error: "again"}},
		{IsAccepted, Note{}}, {IsDone, Note{}},
	} {
		o.ClaimedBy = fmt.Sprint("node ", i)
		after, changed := o.After(step.event, step.note, noon.Add(time.Duration(i)*time.Minute))
		if !changed {
			t.Fatalf("%s changes nothing", step.event)
		}
		o = after
	}
	var got []string
	for _, try := range o.Tries {
		got = append(got, fmt.Sprintf("%v %s %s %s", try.At.Sub(noon), try.Node, try.Outcome, try.Answer))
	}
	const want = "0s node 0 unreached no route, 2m0s node 2 failed 502, 3m0s node 3 failed 503, " +
		"5m0s node 5 accepted "
	if got := strings.Join(got, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	refused, _ := begun.After(IsRefused, Note{Error: "no plastic"}, noon)
	if len(refused.Tries) != 1 || refused.Tries[0].Outcome != TryRefused {
		t.Errorf("refused: %+v", refused.Tries)
	}
	for range 3 * MaxTries {
		begun, _ = begun.After(Undelivered, Note{Error: fmt.Sprint(begun.Attempts)}, noon)
	}
	if last := begun.Tries[len(begun.Tries)-1]; len(begun.Tries) != MaxTries ||
		last.Answer != fmt.Sprint(3*MaxTries-1) {
		t.Errorf("of many tries %d are kept, the last %+v", len(begun.Tries), last)
	}
}
