package admin

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/card"
	"mintmark/internal/importer/reconcile"
)

// listOfCards returns a processor's list that agrees with the cards of a program.
func (w *world) listOfCards(programID int) []string {
	w.t.Helper()
	lines := []string{
		fmt.Sprintf(`{"kind":"cards","programId":%d,"at":"2026-05-31T00:00:00Z"}`, programID),
	}
	page := read[wire.List[wire.Card]](w, "support",
		fmt.Sprintf("cards?programId=%d&limit=200", programID))
	slices.SortFunc(page.Items, func(a, b wire.Card) int { return a.ID - b.ID })
	for _, c := range page.Items {
		expected := reconcile.Expect(card.Status(c.Status), card.Lock{
			Type:   cmp.Or(card.LockType(c.LockTypeCode), card.Unlocked),
			Reason: card.Reason(c.LockReasonTypeCode),
		}, false)
		if !expected.Ended {
			lines = append(lines, fmt.Sprintf(`{"cardId":%d,"state":%q}`, c.ID, expected.State))
		}
	}
	return lines
}

// TestReconcileCards compares two lists of the demo cards: one that agrees, and one with a
// difference of each sort.
func TestReconcileCards(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	list := w.listOfCards(1)
	if len(list) < 5 {
		t.Fatalf("the list is %q", list)
	}
	ask := func(lines []string) wire.Reconciliation {
		t.Helper()
		request := as("configurator", "POST", "reconciliations", strings.Join(lines, "\n"))
		return done[wire.Reconciliation](w, request, http.StatusCreated)
	}
	before := w.dumpTables()
	dry := as("configurator", "POST", "reconciliations?dryRun=true", strings.Join(list, "\n"))
	tried := done[wire.Reconciliation](w, dry, http.StatusOK)
	if tried.ID != 0 || tried.Equal != len(list)-1 || w.dumpTables() != before {
		t.Errorf("a dry run says %+v", tried)
	}
	noted := read[wire.List[wire.Entry]](w, "auditor", "audit?actor=configurator").Items
	if len(noted) != 1 || noted[0].Act != "reconcile" ||
		!strings.HasPrefix(noted[0].Outcome, "read: ") || noted[0].ProgramID != 1 ||
		noted[0].Actor.Name != "configurator" {
		t.Errorf("of a dry run the audit says %+v", noted)
	}
	dry.header["Idempotency-Key"] = "k1"
	w.problem(dry, "invalid")
	same := ask(append(slices.Clone(list), fmt.Sprintf(`{"totals":{"cards":%d}}`, len(list)-1)))
	if same.Compared != len(list)-1 || same.Equal != same.Compared || same.By != "configurator" ||
		len(same.Digest) != 64 || same.Different != 0 || same.Differences != nil {
		t.Errorf("the report is %+v", same)
	}

	var first, second int
	for i, at := range []*int{&first, &second} {
		if _, err := fmt.Sscanf(list[i+1], `{"cardId":%d`, at); err != nil {
			t.Fatal(err)
		}
	}
	broken := slices.Clone(list)
	broken[1] = fmt.Sprintf(`{"cardId":%d,"state":"closed","lastFour":"0000"}`, first)
	broken = append(slices.Delete(broken, 2, 3), `{"cardId":999999,"state":"open"}`)
	report := ask(broken)
	got := map[string]int{}
	for _, difference := range report.Differences {
		got[difference.Sort] = difference.CardID
	}
	want := map[string]int{
		"state": first, "lastFour": first, "missingThere": second, "missingHere": 999999,
	}
	if !gocmp.Equal(got, want) || report.Different != 3 || report.Sorts.LastFour != 1 ||
		report.Compared != len(list) || report.Equal != len(list)-3 {
		t.Errorf("the report is %+v", report)
	}
	listed := read[wire.List[wire.Reconciliation]](w, "auditor",
		"reconciliations?programId=1&kind=cards")
	if len(listed.Items) != 2 || listed.Items[0].ID != report.ID ||
		listed.Items[0].Differences != nil || listed.Items[0].Different != 3 {
		t.Errorf("listed are %+v", listed)
	}
	again := read[wire.Reconciliation](w, "auditor", fmt.Sprint("reconciliations/", report.ID))
	if !gocmp.Equal(again, report) {
		t.Error(gocmp.Diff(report, again))
	}
	entries := w.entries()
	if last := entries[len(entries)-1]; !strings.HasPrefix(last, "configurator: reconcile, list "+
		"sha256:"+report.Digest+" cards of 2026-05-31T00:00:00Z: ") ||
		!strings.Contains(last, "3 different") {
		t.Errorf("the audit has %q", last)
	}
}

// TestReconcileRefused checks that an invalid list, or one of another bank, changes nothing.
func TestReconcileRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.dumpTables()
	const head = `{"kind":"balances","programId":1,"at":"2026-06-01T12:01:00Z"}` + "\n"
	for body, want := range map[string]string{
		head + `{"accountId":2001}`:                                 "/2/accountBalance",
		strings.Replace(head, `"programId":1`, `"programId":99`, 1): "/1/programId",
		strings.Replace(head, "12:01", "12:06", 1):                  "/1/at",
		head + `{"totals":{"accounts":1}}`:                          "/2/totals/accounts",
	} {
		p := w.problem(as("configurator", "POST", "reconciliations", body), wire.Invalid)
		if !gocmp.Equal(pointers(p), []string{want}) {
			t.Errorf("%s: %+v", body, p)
		}
	}
	foreign := w.problem(as("elsewhere", "POST", "reconciliations", head), wire.Invalid)
	if !gocmp.Equal(pointers(foreign), []string{"/1/programId"}) {
		t.Errorf("of another bank: %+v", foreign)
	}
	w.problem(as("support", "POST", "reconciliations", head), wire.NotAllowed)
	if w.dumpTables() != before {
		t.Error("a list that was refused has changed something")
	}
	reconciliation := done[wire.Reconciliation](w, as("configurator", "POST", "reconciliations", head),
		http.StatusCreated)
	if reconciliation.Compared == 0 || reconciliation.Equal != 0 {
		t.Errorf("an empty list: %+v", reconciliation)
	}
	w.problem(as("elsewhere", "GET", fmt.Sprint("reconciliations/", reconciliation.ID), ""), wire.NotFound)
	if all := read[wire.List[wire.Reconciliation]](w, "elsewhere", "reconciliations"); len(
		all.Items) != 0 {
		t.Errorf("another bank sees %+v", all)
	}
	w.problem(as("elsewhere", "GET", "programs/1/order-report", ""), wire.NotFound)
	w.problem(as("support", "GET", "programs/1/order-report?from=2026-03-14&to=2026-03-13", ""),
		wire.Invalid)
}
