package admin

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	wire "mintmark/client/admin"
)

func (w *world) card(id int) wire.CardDetail {
	w.t.Helper()
	return done[wire.CardDetail](w,
		testRequest{token: "support", method: "GET", path: fmt.Sprint("cards/", id)}, http.StatusOK)
}

// onCard returns a request for an act on card 5001, with a reason.
func onCard(name, members string) testRequest {
	return testRequest{
		token: "support", method: "POST", path: "cards/5001/" + name,
		body: `{` + members + `"reason":"the branch asks"}`,
	}
}

// TestClearSystemLock checks that clearing a system lock takes a second operator in a program that
// demands four eyes.
func TestClearSystemLock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.requireFourEyes()
	locked := done[wire.CardDetail](w, onCard("lock", `"lockReasonTypeCode":"ADM",`), http.StatusOK)
	unlock := locked.Acts[1]
	if locked.Lock == nil || locked.Lock.TypeCode != "SYS" || locked.Lock.Reason == "" ||
		locked.Lock.By == nil || locked.Lock.By.Name != "support" ||
		unlock.Name != "unlock" || !unlock.Possible || !unlock.NeedsOther {
		t.Errorf("the locked card is %+v, %+v", locked.Lock, locked.Acts)
	}
	asks := w.problem(onCard("unlock", ""), wire.NeedsApproval)
	if still := w.card(5001); still.LockTypeCode != "SYS" {
		t.Errorf("cleared without a second operator: %+v", still)
	}
	path := fmt.Sprintf("approvals/%d", asks.ApprovalID)
	done[wire.Approval](w, w.end("other", path, "approve"), http.StatusOK)
	if now := w.card(5001); now.LockTypeCode != "" || now.Lock != nil {
		t.Errorf("approved and still locked: %+v", now.Lock)
	}
	entries := strings.Join(w.entries(), "\n")
	if !strings.Contains(entries, "support: unlock card, changed, ") {
		t.Errorf("the audit has\n%s", entries)
	}
	w.problem(onCard("unlock", ""), wire.Conflict)
}

// TestCardRevisions checks the effect of If-Match and of dry runs on an act on a card.
func TestCardRevisions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	read := w.ask(testRequest{token: "support", method: "GET", path: "cards/5001"})
	tag := read.Header().Get("ETag")
	lock := onCard("lock", `"lockReasonTypeCode":"ADM",`)
	lock.header = map[string]string{"If-Match": tag}
	trial := lock
	trial.path += "?dryRun=true"
	before := w.dumpTables()
	dry := done[wire.DryRun](w, trial, http.StatusOK)
	changed := slices.ContainsFunc(dry.Changes, func(c wire.Change) bool {
		return c.Pointer == "/lockTypeCode" && string(c.To) == `"SYS"`
	})
	if !changed || w.dumpTables() != before {
		t.Errorf("a dry run has changed something, or says %+v", dry.Changes)
	}
	done[wire.CardDetail](w, lock, http.StatusOK)
	w.problem(lock, wire.Stale)
	told := w.problem(onCard("reissue", `"reissueReasonTypeCode":"DMG",`), wire.Conflict)
	if told.Code != 150402 {
		t.Errorf("a locked card is refused with %+v", told)
	}
	w.problem(onCard("lock", ""), wire.Invalid)
}

// shownNumbers matches digits as long as a card number, and the birth dates of the demo data.
var shownNumbers = regexp.MustCompile(`[0-9]{13,19}|19[0-9]{2}-[0-9]{2}-[0-9]{2}|birth`)

// TestSupportPages reads all lists and resources of support, and checks that no response contains a
// card number or a birth date.
func TestSupportPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	done[wire.CardDetail](w, onCard("lock", `"lockReasonTypeCode":"FRD",`), http.StatusOK)
	done[wire.CardDetail](w, onCard("reissue", `"reissueReasonTypeCode":"LST",`), http.StatusOK)
	for _, path := range []string{
		"cards", "cards?status=Verified", "cards?q=jane", "customers", "customers?q=555-1",
		"customers/1001/access", "accounts", "accounts?customerId=1001", "orders",
		"orders?cardId=5001", "orders?state=waiting", "cards/5001/history",
	} {
		w.readPages(path)
	}
	for _, path := range []string{"cards/5001", "customers/1001", "accounts/2001", "overview"} {
		answer := w.ask(testRequest{token: "support", method: "GET", path: path})
		if number := shownNumbers.FindString(answer.Body.String()); number != "" ||
			answer.Code != http.StatusOK {
			t.Errorf("%s: %d, shows %q", path, answer.Code, number)
		}
	}
	for _, query := range []string{
		"cards?q=4111-1111-1111-1111", "cards?q=4111111111111112",
		"cards?tag=99+4111.1111.1111.1111", "customers?q=1234%204111111111111111",
		"cards?q=%EF%BC%94111_1111_1111_1111",
	} {
		w.problem(testRequest{token: "support", method: "GET", path: query}, wire.Invalid)
	}
	w.problem(testRequest{token: "auditor", method: "POST", path: "cards/search",
		body: `{"number":"4111111111111111"}`}, wire.NotAllowed)
}

// readPages reads a list in pages of two items, and checks that they equal the list read in a
// single page.
func (w *world) readPages(path string) {
	w.t.Helper()
	type item struct {
		ID        any `json:"id"`
		AccountID int `json:"accountId"`
	}
	mark := "?"
	if strings.Contains(path, "?") {
		mark = "&"
	}
	page := func(query string) wire.List[item] {
		ask := testRequest{token: "support", method: "GET", path: path + mark + query}
		answer := w.ask(ask)
		if number := shownNumbers.FindString(answer.Body.String()); number != "" {
			w.t.Errorf("%s shows %q", path, number)
		}
		return done[wire.List[item]](w, ask, http.StatusOK)
	}
	var pages []item
	for next := "limit=2"; ; {
		l := page(next)
		pages = append(pages, l.Items...)
		if l.Next == "" {
			break
		}
		next = "limit=2&cursor=" + l.Next
	}
	all := page("limit=200").Items
	// Each read of a history adds an entry at its front.
	all = all[max(0, len(all)-len(pages)):]
	if len(all) == 0 || !slices.Equal(all, pages) {
		w.t.Errorf("%s: in pages %v, at once %v", path, pages, all)
	}
}
