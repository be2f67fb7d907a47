package admin

import (
	"net/http"
	"strings"
	"testing"

	wire "mintmark/client/admin"
)

// TestWhyDeclined lists authorizations by every filter, and checks that one of them shows the
// figures behind its decision.
func TestWhyDeclined(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.authorize(5001, "first", "25.00")
	w.authorize(5001, "too much", "90000")
	w.authorize(5003, "locked", "10")
	w.authorize(4999, "no card", "10")
	list := func(who, query string) string {
		var ids []string
		page := done[wire.List[wire.Authorization]](w,
			testRequest{token: who, method: "GET", path: "authorizations" + query}, http.StatusOK)
		for _, a := range page.Items {
			ids = append(ids, a.ID)
		}
		return strings.Join(ids, ", ")
	}
	for query, want := range map[string]string{
		"":                     "too much, no card, locked, first",
		"?programId=1":         "too much, locked, first",
		"?programId=2":         "",
		"?cardId=5001":         "too much, first",
		"?customerId=1001":     "too much, locked, first",
		"?outcome=approved":    "first",
		"?outcome=declined":    "too much, no card, locked",
		"?reason=locked":       "locked",
		"?reason=unknownCard":  "no card",
		"?to=2026-06-01":       "",
		"?from=2026-06-01":     "too much, no card, locked, first",
		"?cardId=5001&q=x":     "",
		"?limit=2&sort=amount": "no card, locked",
	} {
		if got := list("support", query); got != want {
			t.Errorf("%s lists %s, want %s", query, got, want)
		}
	}
	if got := list("elsewhere", "?cardId=5001") + list("elsewhere", ""); got != "" {
		t.Errorf("an operator of another bank sees %s", got)
	}
	shown := done[wire.AuthorizationDetail](w,
		testRequest{token: "auditor", method: "GET", path: "authorizations/too%20much"}, http.StatusOK)
	want := "Declined: 90,000.00 exceeds the per-transaction withdrawal limit of 5,000.00"
	if shown.Why != want || shown.DecidedBy != "mintmark" || shown.Hold != nil ||
		shown.Limit.Sum != "90000.00" {
		t.Errorf("shows %+v", shown)
	}
	w.problem(testRequest{token: "elsewhere", method: "GET", path: "authorizations/first"}, wire.NotFound)
	for _, query := range []string{"?outcome=maybe", "?reason=bad", "?cursor=x", "?cardId=none"} {
		w.problem(testRequest{token: "support", method: "GET", path: "authorizations" + query}, wire.Invalid)
	}
	first := done[wire.List[wire.Authorization]](w,
		testRequest{token: "support", method: "GET", path: "authorizations?limit=3"}, http.StatusOK)
	if got := list("support", "?limit=3&cursor="+first.Next); got != "first" {
		t.Errorf("the second page has %s", got)
	}
}

// TestReleaseHold releases a hold. The money is available again, the audit has the operator and the
// reason, and a second release is refused.
func TestReleaseHold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hold := w.authorize(5001, "first", "25.00").HoldID
	read := func(path string) string {
		return w.ask(testRequest{token: "support", method: "GET", path: path}).Body.String()
	}
	for _, path := range []string{"holds", "holds?cardId=5001", "holds?accountId=2001", "holds/" + hold} {
		if got := read(path); !strings.Contains(got, `"amount":25.00`) {
			t.Errorf("%s: %s", path, got)
		}
	}
	for _, path := range []string{"holds?cardId=5002", "holds?accountId=2002", "holds?programId=2"} {
		if got := read(path); strings.TrimSpace(got) != `{"items":[]}` {
			t.Errorf("%s: %s", path, got)
		}
	}
	before := read("accounts/2001")
	release := testRequest{
		token: "support", method: "POST", path: "holds/" + hold + "/release", body: "{}",
		header: map[string]string{"Mintmark-Reason": "the hotel has confirmed"},
	}
	for who, name := range map[string]string{"auditor": wire.NotAllowed, "elsewhere": wire.NotFound} {
		refused := release
		refused.token = who
		w.problem(refused, name)
	}
	tried := release
	tried.path += "?dryRun=true"
	changes := `{"pointer":"/state","from":"open","to":"released"}`
	if answer := w.ask(tried); !strings.Contains(answer.Body.String(), changes) {
		t.Errorf("a dry run: %s", answer.Body)
	}
	if released := done[wire.HoldDetail](w, release, http.StatusOK); released.State != "released" {
		t.Errorf("released %+v", released)
	}
	if after := read("accounts/2001"); after == before || !strings.Contains(after, `"held":0.00`) {
		t.Errorf("before %s, after %s", before, after)
	}
	if got := read("authorizations/first"); !strings.Contains(got, `"state":"released"`) {
		t.Errorf("the authorization shows %s", got)
	}
	if told := w.problem(release, wire.Conflict); told.Detail != "The hold has ended." {
		t.Errorf("again: %+v", told)
	}
	entries := w.ask(testRequest{token: "auditor", method: "GET", path: "audit?act=release+hold"}).Body.String()
	if !strings.Contains(entries, `"outcome":"released"`) ||
		!strings.Contains(entries, "the hotel has confirmed") {
		t.Errorf("the audit has %s", entries)
	}
}
