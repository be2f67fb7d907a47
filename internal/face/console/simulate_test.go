package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	wire "mintmark/client/admin"
	"mintmark/client/sandbox"
)

// TestSimulation sends each form of the section, and checks that the page of the card shows the
// outcome, and problems at their fields. Production does not have the section.
func TestSimulation(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		form    url.Values
		asked   string
		answers any
		want    []string
	}{
		"approved": {
			url.Values{"do": {"purchase"}, "amount": {"1,250.50"}, "merchant": {"A & B"}},
			`POST cards/5001/authorizations  {"amount":1250.50,"merchant":{"name":"A \u0026 B",` +
				`"country":"US","mcc":"5411"},"partial":false}`,
			sandbox.Authorized{Approved: true, Reason: "approved", AccountID: 2001},
			[]string{"Approved: 1,250.50 from account 2001"},
		},
		"partly approved": {
			url.Values{"do": {"purchase"}, "amount": {"80"}, "merchant": {"B"},
				"partial": {"true"}},
			`POST cards/5001/authorizations  {"amount":80,"merchant":{"name":"B",` +
				`"country":"US","mcc":"5411"},"partial":true}`,
			sandbox.Authorized{Approved: true, Amount: "30", AccountID: 2001},
			[]string{"Approved: 30 from account 2001"},
		},
		"declined": {
			url.Values{"do": {"purchase"}, "amount": {"9"}, "merchant": {"B"}},
			`POST cards/5001/authorizations  {"amount":9,"merchant":{"name":"B",` +
				`"country":"US","mcc":"5411"},"partial":false}`,
			sandbox.Authorized{Reason: "insufficientFunds"}, []string{"Declined: insufficient funds"},
		},
		"story": {
			url.Values{"do": {"story"}, "story": {"hotel"}},
			`POST stories/hotel  {"cardId":5001}`,
			sandbox.StoryResult{Steps: []sandbox.Step{
				{Does: "It holds 200.", Result: "approved", AccountBalance: "500",
					AvailableBalance: "300"},
			}},
			[]string{"It holds 200.", "approved · balance 500, available 300"},
		},
		"report": {
			url.Values{"do": {"report"}, "kind": {"refused"}, "reason": {"no plastic"}},
			`POST cards/5001/reports  {"kind":"refused","reason":"no plastic"}`,
			sandbox.Reported{Result: "ignored", Reason: "the card is Verified"},
			[]string{"The report was ignored: the card is Verified"},
		},
	} {
		w := newWorld(t, true, "support")
		_, path, _ := strings.Cut(row.asked, " ")
		path, _, _ = strings.Cut(path, " ")
		w.controls.answers[path] = row.answers
		answer := w.post("/console/cards/5001", row.form)
		page := answer.Body.String()
		if got := w.controls.asked; len(got) != 1 || got[0] != row.asked {
			t.Errorf("%s: asked %q, want %q", name, got, row.asked)
		}
		for _, want := range append(row.want, ">Card 5001</h1>") {
			if answer.Code != http.StatusOK || !strings.Contains(page, want) {
				t.Errorf("%s: answered %d without %q", name, answer.Code, want)
			}
		}
		dump(t, "simulate-"+strings.ReplaceAll(name, " ", "-"), page)
	}
	w := newWorld(t, true, "support")
	w.controls.refuse = problemOf(http.StatusUnprocessableEntity, wire.Invalid, "/merchant/name",
		"must be shorter")
	refused := w.post("/console/cards/5001", url.Values{"do": {"purchase"}, "amount": {"lots"}})
	if page := refused.Body.String(); refused.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(page, `value="lots"`) || !strings.Contains(page, `id="e-merchant"`) ||
		!strings.Contains(page, `<a href="#merchant">`) {
		t.Errorf("a refused purchase is answered %d: %s", refused.Code, page)
	}
	w = newWorld(t, false, "administrator")
	if page := w.get("/console/cards/5001").Body.String(); strings.Contains(page, "imulate") {
		t.Error("production offers to simulate")
	}
	answer := w.post("/console/cards/5001", url.Values{"do": {"story"}, "story": {"hotel"}})
	if answer.Code != http.StatusNotFound || len(w.controls.asked) > 0 {
		t.Errorf("production answers a story with %d", answer.Code)
	}
}
