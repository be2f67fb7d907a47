package admin

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	wire "mintmark/client/admin"
	"mintmark/internal/importer/feed"
)

// TestImportCards imports a card exactly once, and refuses operators with only one of the roles.
func TestImportCards(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, role := range []string{"configurator", "security", "support"} {
		w.problem(as(role, "POST", "card-imports", feed.CardsExample), wire.NotAllowed)
	}
	before := w.dumpTables()
	tried := as("administrator", "POST", "card-imports?dryRun=true", feed.CardsExample)
	if got := done[wire.CardImport](w, tried, http.StatusOK); got.Cards != 1 {
		t.Errorf("a dry run: %+v", got)
	}
	wrong := strings.Replace(feed.CardsExample, `"VS"`, `"MC"`, 1)
	p := w.problem(as("administrator", "POST", "card-imports", wrong), wire.Invalid)
	if len(p.Errors) != 1 || p.Errors[0].Pointer != "/2/vendorTypeCode" {
		t.Errorf("a mistake: %+v", p.Errors)
	}
	w.problem(as("administrator", "POST", "card-imports?accept=all", wrong), wire.Invalid)
	if after := w.dumpTables(); after != before {
		t.Error(firstDifference(before, after))
	}
	for _, repeated := range []bool{false, true} {
		got := done[wire.CardImport](w, as("administrator", "POST", "card-imports",
			feed.CardsExample), http.StatusOK)
		if got.Cards != 1 || got.Repeated != repeated || got.Sequence != 1 {
			t.Errorf("got %+v", got)
		}
	}
}

// TestImportIsApproved checks that a file needs a second operator if the program demands one, that
// the approval stores no card number, and that the file is applied when it is sent again.
func TestImportIsApproved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.requireFourEyes()
	send := as("administrator", "POST", "card-imports", feed.CardsExample)
	waiting := w.problem(send, wire.NeedsApproval)
	path := fmt.Sprintf("approvals/%d", waiting.ApprovalID)
	shown := w.ask(as("administrator", "GET", path, "")).Body.String()
	const number = "4005511234567892" // in full: digits of a digest may resemble another number
	if !strings.Contains(feed.CardsExample, number) || strings.Contains(shown, number) ||
		!strings.Contains(shown, "sha256") {
		t.Errorf("the approval shows %s", shown)
	}
	approved := done[wire.Approval](w, w.end("security", path, "approve"), http.StatusOK)
	if approved.ResultStatus != http.StatusOK {
		t.Errorf("the approval ends as %+v", approved)
	}
	got := done[wire.CardImport](w, send, http.StatusOK)
	if got.Cards != 1 || got.Repeated || got.After != 0 {
		t.Errorf("the approved file: %+v", got)
	}
}

// TestReplacementIsApproved replaces an approved file that was not fully applied. The requester
// must accept this explicitly, and the approver sees it.
func TestReplacementIsApproved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.requireFourEyes()
	second := strings.Replace(feed.CardsExample, "everyday", "replaced", 1)
	for _, test := range []struct{ address, text string }{
		{"card-imports", feed.CardsExample}, {"card-imports?accept=file-replaced", second},
	} {
		waiting := w.problem(as("administrator", "POST", test.address, test.text), wire.NeedsApproval)
		path := fmt.Sprintf("approvals/%d", waiting.ApprovalID)
		approved := done[wire.Approval](w, w.end("security", path, "approve"), http.StatusOK)
		accepts := strings.Contains(string(approved.Body), "file-replaced")
		if approved.ResultStatus != http.StatusOK || accepts != (test.text == second) {
			t.Errorf("%s: %+v, %s", test.address, approved, approved.Body)
		}
	}
	w.problem(as("administrator", "POST", "card-imports", feed.CardsExample), wire.Conflict)
	got := done[wire.CardImport](w, as("administrator", "POST", "card-imports", second),
		http.StatusOK)
	if got.Cards != 1 || got.Repeated {
		t.Errorf("the file that was accepted: %+v", got)
	}
}
