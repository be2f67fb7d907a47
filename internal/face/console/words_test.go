package console

import (
	"net/http"
	"strings"
	"testing"

	"mintmark/internal/base/pan"
	domain "mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
)

// TestEveryCodeHasItsWords checks that the console has a text for each code of the domain, and that
// cards can be filtered by each status.
func TestEveryCodeHasItsWords(t *testing.T) {
	w := newWorld(t, false, "configurator")
	list := w.get("/console/cards").Body.String()
	for _, status := range domain.Statuses {
		if _, has := marks["card"][string(status)]; !has {
			t.Errorf("the status %s has no mark", status)
		}
		if !strings.Contains(list, `<option value="`+string(status)+`"`) {
			t.Errorf("cards cannot be filtered by the status %s", status)
		}
	}
	for _, reason := range domain.Reasons {
		if lockReason(string(reason)) == string(reason) {
			t.Errorf("the reason %s has no words", reason)
		}
	}
	for _, state := range []order.State{
		order.Waiting, order.Sent, order.Done, order.Failed, order.Held, "dropped",
	} {
		if _, has := marks["order"][string(state)]; !has {
			t.Errorf("the state %s of an order has no mark", state)
		}
	}
	for _, outcome := range []order.Outcome{
		order.TryDone, order.TryAccepted, order.TryRefused, order.TryUnreached, order.TryFailed,
	} {
		if _, has := marks["try"][string(outcome)]; !has {
			t.Errorf("the outcome %s of a try has no mark", outcome)
		}
	}
	answer := w.get("/console/bins/new")
	for _, vendor := range pan.Vendors {
		if answer.Code != http.StatusOK ||
			!strings.Contains(answer.Body.String(), `value="`+vendor+`"`) {
			t.Errorf("%d: a bin of %s cannot be added", answer.Code, vendor)
		}
	}
}

// TestLabels checks that a problem with a hand-written form is shown under a label, not under the
// name of a member.
func TestLabels(t *testing.T) {
	t.Parallel()
	for pointer, want := range map[string]string{
		"": "The form", "/reason": "Reason, for the audit", "/lockReasonTypeCode": "Code of the reason",
		"/effect/status": "Effect status",
	} {
		if got := label(pointer); got != want {
			t.Errorf("%q is %q, want %q", pointer, got, want)
		}
	}
}

// TestTypedNumbers checks that commas are removed only between groups of three digits: a number
// with a decimal comma is sent as a string, which the interface refuses.
func TestTypedNumbers(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"1,000.50": `1000.50`, "1,234,567": `1234567`, "-1,000": `-1000`, "12.5": `12.5`, "": `null`,
		"12,50": `"12,50"`, "1,5": `"1,5"`, "1000,50": `"1000,50"`, "1,0000": `"1,0000"`, ",1": `",1"`,
	} {
		if got := string(numberJSON(typed)); got != want {
			t.Errorf("%q is sent as %s, want %s", typed, got, want)
		}
	}
}

// TestRequestText checks that a request reads as a sentence that names its subject once.
func TestRequestText(t *testing.T) {
	for request, want := range map[string]string{
		"Clear the lock of a card card:10040":                     "clear the lock of card 10040",
		"Archive a card permanently card:5":                       "archive card 5 permanently",
		"Reissue or replace a card; answers with the card card:5": "reissue or replace card 5",
		"Change the use of an encryption key encryption-key:1/2":  "change the use of encryption key 1/2",
		"Change the settings program:1":                           "change the settings, program 1",
		"Create a bank":                                           "create a bank",
		"Rotate":                                                  "rotate",
		"Rotate the secret; once key:till 7":                      "rotate the secret, key till 7",
	} {
		if got := requestText(request); got != want {
			t.Errorf("%q reads %q, want %q", request, got, want)
		}
	}
}

// TestShort checks that identifiers with the same beginning stay distinguishable.
func TestShort(t *testing.T) {
	if a, b := short("aaaachjlfbpgpobocchmkbneglcloeio"), short("aaaachjegiecmgbpmknbdlppemalbdco"); a == b ||
		a != "…glcloeio" || short("abc") != "abc" {
		t.Errorf("%s and %s", a, b)
	}
}
