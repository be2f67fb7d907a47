package admin

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	wire "mintmark/client/admin"
	"mintmark/internal/base/pan"
	"mintmark/internal/store"
)

// demoNumber returns the card number (PAN) of card 5001.
func (w *world) demoNumber() string {
	w.t.Helper()
	var kept store.SealedNumber
	err := w.kept.View(w.t.Context(), func(r store.Tx) (err error) {
		kept, err = r.CardNumbers().Find(1, 5001)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	number, err := w.keys.OpenNumber(kept.Sealed, 5001)
	if err != nil {
		w.t.Fatal(err)
	}
	return number.Reveal()
}

// lineOf matches the line number in a problem.
var lineOf = regexp.MustCompile(`^line [0-9]+`)

// TestReportCompromise sends card numbers as JSON and as lines. Problems point to the invalid
// numbers without repeating them, and the response has the progress of the list.
func TestReportCompromise(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	number := w.demoNumber()
	spaced := number[:4] + " " + number[4:8] + "-" + number[8:]
	const path = "compromises?programId=1&name=breach&act=lock"
	reason := []string{"Mintmark-Reason", "told by the scheme"}
	send := func(path, body string) testRequest { return as("administrator", "POST", path, body, reason...) }
	for _, role := range []string{"configurator", "security", "support"} {
		w.problem(as(role, "POST", path, number), wire.NotAllowed)
	}
	before := w.dumpTables()
	for _, row := range []struct{ path, body, pointers string }{
		{path, number + "\n\nabc\n" + number[:15] + "x\n4111111111111112\n", "/3 line 3, /4 line 4, /5 line 5"},
		{path, "", "/numbers"},
		{"compromises?programId=1&name=breach", "abc\n" + number, "/1 line 1, /act"},
		{"compromises", `{"name":"breach","programId":1,"act":"lock","reason":"r","numbers":["1"]}`,
			"/numbers/0"},
		{"compromises", `{"name":"breach","programId":1,"act":"lock","numbers":["` + number +
			`"],"number":"1"}`, "/number"},
		{"compromises?programId=99&name=breach&act=lock", number, "/programId"},
		{path + "&perDay=3", number, "/perDay"},
		{"compromises?programId=1", number, "/name, /act"},
		{path, "{", ""},
		{path + "&name=b", number, ""},
	} {
		p := w.problem(send(row.path, row.body), wire.Invalid)
		var pointers []string
		for _, e := range p.Errors {
			pointers = append(pointers, strings.TrimSpace(e.Pointer+" "+lineOf.FindString(e.Detail)))
			if pan.MayContain(e.Detail) || strings.Contains(e.Detail, number[:13]) {
				t.Errorf("%s repeats a number", e.Detail)
			}
		}
		if got := strings.Join(pointers, ", "); got != row.pointers {
			t.Errorf("%s with %q: %q, want %q", row.path, row.body, got, row.pointers)
		}
	}
	w.problem(as("administrator", "POST", path, number), wire.Invalid) // without a reason
	if after := w.dumpTables(); after != before {
		t.Error(firstDifference(before, after))
	}

	tried := done[wire.Compromise](w, send(path+"&dryRun=true", number), http.StatusOK)
	if tried.ID != 0 || tried.Cards != 1 || tried.Statuses["Verified"] != 1 {
		t.Errorf("a dry run: %+v", tried)
	}
	again := done[wire.Compromise](w, send("compromises", `{"programId":1,"name":"breach","act":"lock",`+
		`"reason":"told by the scheme","dryRun":true,"numbers":["`+number+`"]}`), http.StatusOK)
	if fmt.Sprintf("%+v", again) != fmt.Sprintf("%+v", tried) {
		t.Errorf("a dry run by the body is %+v, by the query %+v", again, tried)
	}
	compromise := done[wire.Compromise](w, send(path, "4111111111111111\n"+spaced+"\n371449635398431"),
		http.StatusCreated)
	want := compromise
	want.ID, want.Numbers, want.Unknown, want.Cards, want.Waiting = 1, 3, 2, 1, 1
	want.State, want.Reason, want.By = "running", "told by the scheme", "administrator"
	if fmt.Sprintf("%+v", compromise) != fmt.Sprintf("%+v", want) {
		t.Errorf("made %+v, want %+v", compromise, want)
	}
	again = done[wire.Compromise](w, send("compromises", `{"programId":1,"name":"again","act":"lock",`+
		`"reason":"r","numbers":["371449635398431","`+number+`","4111111111111111"]}`),
		http.StatusCreated)
	if !again.Repeated || again.ID != 1 || again.Name != "breach" {
		t.Errorf("the same numbers again: %+v", again)
	}
	paused := done[wire.Compromise](w, send("compromises/1/pause", ""), http.StatusOK)
	w.problem(send("compromises/1/pause", ""), wire.Conflict)
	resumed := done[wire.Compromise](w, send("compromises/1/resume", ""), http.StatusOK)
	if paused.State != "paused" || resumed.State != "running" {
		t.Errorf("paused %+v, resumed %+v", paused, resumed)
	}
	if _, err := w.desk.acts.Cards.HandleCompromises(t.Context()); err != nil {
		t.Fatal(err)
	}
	shown := read[wire.Compromise](w, "auditor", "compromises/1")
	if shown.State != "done" || shown.Done != 1 || shown.Waiting != 0 {
		t.Errorf("at the end %+v", shown)
	}
	table := w.ask(as("auditor", "GET", "compromises/1/cards", "")).Body.String()
	if table != "id,outcome,replacement,why\n5001,done,,\n" {
		t.Errorf("its cards are %q", table)
	}
}

// TestCompromiseIsApproved checks that a list needs a second operator if the program demands one,
// that the approval stores no card number, and that the list runs without being sent again.
func TestCompromiseIsApproved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	number := w.demoNumber()
	w.requireFourEyes()
	waiting := w.problem(as("administrator", "POST", "compromises?programId=1&name=breach&act=lock",
		number, "Mintmark-Reason", "r"), wire.NeedsApproval)
	path := fmt.Sprintf("approvals/%d", waiting.ApprovalID)
	shown := w.ask(as("administrator", "GET", path, "")).Body.String()
	if pan.MayContain(shown) || !strings.Contains(shown, "compromiseId") {
		t.Errorf("the approval shows %s", shown)
	}
	approved := done[wire.Approval](w, w.end("security", path, "approve"), http.StatusOK)
	list := read[wire.Compromise](w, "auditor", "compromises/1")
	if approved.ResultStatus != http.StatusCreated || list.State != "running" ||
		!strings.Contains(list.Reason, "confirmed by security") {
		t.Errorf("the approval ends as %+v, the list as %+v", approved, list)
	}
}
