package order

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/testkit/golden"
)

var noon = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)

var states = []State{Waiting, Sent, Done, Failed, Held}

// tried returns an order in a state, with a PIN, that was tried before.
func tried(state State) Order {
	return Order{
		ID: 7, Token: "0123456789abcdef", CardID: 5, Sequence: 3, Kind: SetPin, State: state,
		Created: noon, SealedPin: []byte("pin"), Attempts: 2, LastError: "before",
		Unreachable: true, NextTry: noon, ClaimedBy: "node",
	}
}

// TestMatrix checks the result of each event for an order in each state.
func TestMatrix(t *testing.T) {
	var got bytes.Buffer
	for _, state := range states {
		for _, event := range Events {
			before := tried(state)
			after, changed := before.After(event, Note{Error: "now"}, noon.Add(time.Minute))
			if !changed {
				fmt.Fprintf(&got, "%-8s %-14s -\n", state, event)
				if diff := cmp.Diff(before, after); diff != "" {
					t.Errorf("%s, %s changes nothing (-before +after):\n%s", state, event, diff)
				}
				continue
			}
			pin := "PIN"
			if after.SealedPin == nil {
				pin = "no PIN"
			}
			next := "-"
			if !after.NextTry.IsZero() {
				next = after.NextTry.Sub(noon).String()
			}
			fmt.Fprintf(&got, "%-8s %-14s %-8s %-6s attempts %d, error %q, unreachable %t, "+
				"next try %s, ended %t, dropped %t\n", state, event, after.State, pin,
				after.Attempts, after.LastError, after.Unreachable, next, !after.Ended.IsZero(),
				!after.Dropped.IsZero())
			if after.ClaimedBy != "" {
				t.Errorf("%s, %s leaves the claim", state, event)
			}
		}
	}
	golden.Compare(t, "testdata/matrix.golden", got.Bytes())
}

// TestFile checks that a sent order keeps the number of its file until it is fetched or reported,
// which does not count as an attempt.
func TestFile(t *testing.T) {
	t.Parallel()
	accepted := func(o Order, file int, changes bool) Order {
		t.Helper()
		after, changed := o.After(IsAccepted, Note{File: file}, noon)
		if changed != changes || after.State != Sent || after.File != file {
			t.Errorf("changed %t: %+v", changed, after)
		}
		return after
	}
	written := accepted(tried(Waiting), 7, true)
	accepted(written, 7, false)
	accepted(accepted(written, 8, true), 0, true)
	fetched := accepted(written, 0, true)
	accepted(fetched, 0, false)
	if fetched.Attempts != written.Attempts {
		t.Errorf("the fetch is a try: %+v", fetched)
	}
	for _, event := range []Event{IsDone, IsRefused, Retry, Drop} {
		written.SealedPin = []byte("pin")
		if after, changed := written.After(event, Note{}, noon); !changed || after.File != 0 {
			t.Errorf("%s: %+v", event, after)
		}
	}
}

// TestTransitions checks that the table has each event and each state, and no duplicate row.
func TestTransitions(t *testing.T) {
	seen := make(map[Transition]bool)
	events, from := make(map[Event]bool), make(map[State]bool)
	for _, row := range Transitions {
		if key := (Transition{From: row.From, Event: row.Event}); seen[key] {
			t.Errorf("two rows for %s, %s", row.From, row.Event)
		} else {
			seen[key] = true
		}
		events[row.Event], from[row.From] = true, true
	}
	if len(events) != len(Events) || from[Done] || len(from) != len(states)-1 {
		t.Errorf("the table has %d of %d events, from %v", len(events), len(Events), from)
	}
}

func TestWait(t *testing.T) {
	for _, row := range []struct {
		kind     Kind
		attempts int
		want     time.Duration
	}{
		{Make, 1, time.Second}, {Make, 2, 2 * time.Second}, {Make, 10, 512 * time.Second},
		{Make, 11, 15 * time.Minute}, {Make, 1000, 15 * time.Minute},
		{Lock, 1, time.Second}, {Lock, 4, 8 * time.Second}, {Lock, 5, 15 * time.Second},
		{Hotlist, 1000, 15 * time.Second}, {Unlock, 5, 16 * time.Second},
	} {
		if got := row.kind.Wait(row.attempts); got != row.want {
			t.Errorf("%s waits %s after %d tries, want %s", row.kind, got, row.attempts, row.want)
		}
	}
}

// TestGivenUp checks that the last attempt is the first that ends after GiveUpAfter, counted again
// from an operator's retry.
func TestGivenUp(t *testing.T) {
	o := Order{Kind: Lock, State: Waiting, Created: noon}
	missed := func(at time.Time) {
		t.Helper()
		var changed bool
		o, changed = o.After(Undelivered, Note{Error: "no answer", Unreachable: true}, at)
		if !changed {
			t.Fatal("nothing has changed")
		}
	}
	end := noon.Add(GiveUpAfter)
	missed(end.Add(-time.Millisecond))
	if o.State != Waiting || !o.NextTry.Equal(end.Add(time.Second-time.Millisecond)) {
		t.Errorf("%s until %s", o.State, o.NextTry)
	}
	missed(end)
	if o.State != Failed || !o.Ended.Equal(end) || o.Attempts != 2 || o.LastError != "no answer" {
		t.Errorf("after the end: %+v", o)
	}
	o, _ = o.After(Retry, Note{}, end.Add(time.Hour))
	if o.State != Waiting || o.Attempts != 0 || o.Unreachable || !o.Ended.IsZero() {
		t.Errorf("after the retry: %+v", o)
	}
	missed(end.Add(GiveUpAfter))
	if o.State != Waiting {
		t.Errorf("given up an hour too early")
	}
	missed(end.Add(GiveUpAfter + time.Hour))
	if o.State != Failed {
		t.Errorf("not given up after the retry")
	}
}

// TestDropped checks that no event changes a dropped order, and that an order to change a PIN is
// not tried without one.
func TestDropped(t *testing.T) {
	dropped, done := tried(Failed).After(Drop, Note{Error: "by hand"}, noon)
	if !done || dropped.SealedPin != nil || dropped.LastError != "by hand" {
		t.Fatalf("dropped: %t, %+v", done, dropped)
	}
	for _, event := range Events {
		if after, done := dropped.After(event, Note{}, noon); done {
			t.Errorf("%s makes a dropped order %s", event, after.State)
		}
	}
	empty := tried(Failed)
	empty.SealedPin = nil
	if _, done := empty.After(Retry, Note{}, noon); done {
		t.Error("an order to change a PIN is tried without one")
	}
	empty.Kind = Make
	if _, done := empty.After(Retry, Note{}, noon); !done {
		t.Error("an order to make a card is not tried again")
	}
}

// TestClockSetBack checks that no order ends before it starts.
func TestClockSetBack(t *testing.T) {
	after, _ := tried(Waiting).After(IsDone, Note{}, noon.Add(-time.Hour))
	if !after.Ended.Equal(noon) {
		t.Errorf("ended at %s", after.Ended)
	}
}

func TestPublicID(t *testing.T) {
	o := tried(Waiting)
	if got := o.PublicID(); got != "7-0123456789abcdef" {
		t.Errorf("the identifier is %s", got)
	}
	for public, want := range map[string]int{
		o.PublicID(): 7, "12-x": 12, "0-x": 0, "-7-x": 0, "7-": 0, "7": 0, "": 0, "x-y": 0,
	} {
		if got, ok := ParseID(public); ok != (want != 0) || ok && got != want {
			t.Errorf("%q names order %d (%t)", public, got, ok)
		}
	}
	for public, want := range map[string]bool{
		o.PublicID(): true, "7-0123456789abcdeg": false, "8-0123456789abcdef": false, "7-": false,
	} {
		if o.Is(public) != want {
			t.Errorf("the order is %s: %t", public, !want)
		}
	}
	o.Token = ""
	if o.Is("7-") {
		t.Error("an order without a token is found")
	}
	var shown map[string]string
	if err := json.Unmarshal([]byte(tried(Failed).Shown()), &shown); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"orderId": "7-0123456789abcdef", "kind": "card.pin", "state": "failed",
		"lastError": "before",
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
}

// TestHoldsUpLocks checks which orders keep a lock from the processor while they are held.
func TestHoldsUpLocks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		o    Order
		want bool
	}{
		{Order{Kind: Lock}, true},
		{Order{Kind: Unlock, Attempts: 1}, false},
		{Order{Kind: Make}, false},
		{Order{Kind: Make, Attempts: 1}, true},
		{Order{Kind: Make, ClaimedBy: "node"}, true},
		{Order{Kind: Make, Begun: time.Unix(1, 0)}, true}, // tried before an operator's retry
	} {
		if got := test.o.BlocksLocks(); got != test.want {
			t.Errorf("%+v: %v", test.o, got)
		}
	}
}
