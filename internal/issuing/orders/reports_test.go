package orders_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// report returns a report about a card, with an identifier unique in the world.
func report(w *issuingtest.World, c card.Card, kind order.ReportKind) order.Report {
	w.Spent++
	return order.Report{
		ID: fmt.Sprintf("report %d", w.Spent), CardID: c.ID, Kind: kind, At: issuingtest.Start,
	}
}

// apply applies reports and returns their results.
func apply(w *issuingtest.World, reports ...order.Report) []order.ReportResult {
	w.TB.Helper()
	results, err := w.Orders.ApplyReports(w.TB.Context(), reports)
	if err != nil {
		w.TB.Fatal(err)
	}
	return results
}

// reported applies one report that must take effect, and returns the card.
func reported(w *issuingtest.World, c card.Card, kind order.ReportKind) card.Card {
	w.TB.Helper()
	r := report(w, c, kind)
	want := []order.ReportResult{{ReportID: r.ID, Result: order.Applied}}
	if diff := cmp.Diff(want, apply(w, r)); diff != "" {
		w.TB.Errorf("%s (-want +got):\n%s", kind, diff)
	}
	return w.Stored(c.ID)
}

// ignored applies one report that must be ignored for a reason and leave the card unchanged.
func ignored(w *issuingtest.World, c card.Card, kind order.ReportKind, why string) {
	w.TB.Helper()
	before := w.Stored(c.ID)
	r := report(w, c, kind)
	want := []order.ReportResult{{ReportID: r.ID, Result: order.Ignored, Reason: why}}
	if diff := cmp.Diff(want, apply(w, r)); diff != "" {
		w.TB.Errorf("%s (-want +got):\n%s", kind, diff)
	}
	if diff := cmp.Diff(before, w.Stored(c.ID)); diff != "" {
		w.TB.Errorf("%s was ignored and changed the card (-before +after):\n%s", kind, diff)
	}
	kept := received(w, r.ID)
	if kept.Result != order.Ignored || kept.Why != why || kept.Report != r {
		w.TB.Errorf("%s is kept as %+v", kind, kept)
	}
}

// received returns a report as stored.
func received(w *issuingtest.World, id string) (kept store.ReceivedReport) {
	w.TB.Helper()
	err := w.Store.View(w.TB.Context(), func(r store.Tx) error {
		var err error
		kept, err = r.Reports().Find(id)
		kept.At = kept.At.In(issuingtest.Start.Location())
		return err
	})
	if err != nil {
		w.TB.Errorf("report %q: %v", id, err)
	}
	return kept
}

// TestReportsOfALife takes a card from its order to its end by reports.
func TestReportsOfALife(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	ignored(w, c, order.Delivered, "the card is Initiated")
	ignored(w, c, order.Returned, "the card is Initiated")

	w.Clock.Advance(time.Hour)
	taken := reported(w, c, order.Taken)
	if !taken.Requested.Equal(w.Clock.Now()) || taken.Status != card.Initiated {
		t.Errorf("taken, the card is %s since %s", taken.Status, taken.Requested)
	}
	w.Clock.Advance(time.Hour)
	shipped := reported(w, c, order.Shipped)
	if shipped.Status != card.PendingVerification || !shipped.Shipped.Equal(w.Clock.Now()) ||
		!shipped.Requested.Equal(taken.Requested) {
		t.Errorf("shipped, the card is %+v", shipped)
	}
	ignored(w, c, order.Refused, "the card is PendingVerification")
	for _, kind := range []order.ReportKind{order.Taken, order.Returned, order.Delivered,
		order.PinSet} {
		if diff := cmp.Diff(shipped, reported(w, c, kind)); diff != "" {
			t.Errorf("%s changes the card (-before +after):\n%s", kind, diff)
		}
	}
	w.Must(w.Cards.Verify(t.Context(), issuingtest.Caller, issuingtest.Verifying(shipped, shipped.LastFour)))
	locked := reported(w, c, order.PinTriesExceeded)
	if want := (card.Lock{Type: card.System, Reason: card.PinRetries}); locked.Lock != want {
		t.Errorf("after too many PINs the lock is %v", locked.Lock)
	}
	_, err := w.Cards.Unlock(t.Context(), issuingtest.Caller, issuing.CardRef{CustomerID: 1001, CardID: c.ID})
	issuingtest.WantCodes(t, err, 150502)
	dead := reported(w, c, order.Compromised)
	if want := (card.Lock{Type: card.System, Reason: card.SuspectedFraud}); dead.Lock != want {
		t.Errorf("compromised, the lock is %v", dead.Lock)
	}
	issuingtest.WantCodes(t, w.Cards.Archive(t.Context(), issuingtest.Caller, issuing.CardRef{CustomerID: 1001, CardID: c.ID}))
	for _, kind := range order.ReportKinds {
		ignored(w, c, kind, "the card is Archived")
	}
}

// TestShippedBeforeTaken checks that a report that overtakes another leads to the same card.
func TestShippedBeforeTaken(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	w.Clock.Advance(time.Hour)
	shipped := reported(w, c, order.Shipped)
	if !shipped.Requested.Equal(w.Clock.Now()) {
		t.Errorf("the order was taken at %s", shipped.Requested)
	}
	w.Clock.Advance(time.Hour)
	if diff := cmp.Diff(shipped, reported(w, c, order.Taken)); diff != "" {
		t.Errorf("a late report changes the card (-before +after):\n%s", diff)
	}
}

// TestRefused checks that a refused card is Denied permanently.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	reported(w, c, order.Taken)
	denied := reported(w, c, order.Refused)
	if denied.Status != card.Denied || !denied.Denied.Equal(w.Clock.Now()) {
		t.Errorf("refused, the card is %s since %s", denied.Status, denied.Denied)
	}
	for _, kind := range []order.ReportKind{order.Taken, order.Shipped, order.Refused,
		order.PinSet} {
		ignored(w, c, kind, "the card is Denied")
	}
}

// TestReportIsDoneOnce checks that a repeated report changes nothing, also if it was ignored, and
// that its identifier belongs to one report.
func TestReportIsDoneOnce(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	shipped, late := report(w, c, order.Shipped), report(w, c, order.Refused)
	apply(w, shipped, late)
	before, rows := w.Stored(c.ID), len(w.Trail(c.ID))
	w.Clock.Advance(time.Hour)

	again, other := shipped, shipped
	again.At = again.At.In(time.FixedZone("", 3600)) // the same time
	other.Kind = order.Compromised
	want := []order.ReportResult{
		{ReportID: shipped.ID, Result: order.Repeated},
		{ReportID: shipped.ID, Result: order.Repeated},
		{ReportID: late.ID, Result: order.Repeated, Reason: "the card is PendingVerification"},
		{ReportID: shipped.ID, Result: order.Repeated,
			Reason: "another report of this reportId was received before"},
	}
	if diff := cmp.Diff(want, apply(w, shipped, again, late, other)); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, w.Stored(c.ID)); diff != "" {
		t.Errorf("the card (-before +after):\n%s", diff)
	}
	if got := len(w.Trail(c.ID)); got != rows {
		t.Errorf("%d rows in the audit, want %d", got, rows)
	}
}

// TestCheckReports checks that a file continues after the reports that were already applied, and
// that a report with the identifier of another, or with an unknown order, cannot be applied.
func TestCheckReports(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	shipped, delivered := report(w, c, order.Shipped), report(w, c, order.Delivered)
	shipped.Reason = "holder of 4000009999999991"
	apply(w, shipped)
	other, twin, stray, lost := shipped, delivered, delivered, report(w, c, order.Taken)
	other.Kind, twin.Kind, stray.OrderID = order.Compromised, order.Compromised, "7-ab"
	lost.OrderID = "8-ab"
	for _, row := range []struct {
		reports []order.Report
		fresh   []order.Report
		fault   string
	}{
		{[]order.Report{shipped, delivered, delivered}, []order.Report{delivered, delivered}, ""},
		{[]order.Report{delivered, other}, nil, fmt.Sprintf("report %q: another report of this reportId "+
			"was received before", shipped.ID)},
		{[]order.Report{delivered, twin}, nil, fmt.Sprintf("report %q: another one of this reportId "+
			"is in the file", delivered.ID)},
		{[]order.Report{shipped, stray}, nil, `there is no order "7-ab"`},
		{[]order.Report{lost, shipped, stray}, nil,
			"there is no order \"8-ab\"\nthere is no order \"7-ab\""},
	} {
		fresh, fault, err := w.Orders.CheckReports(t.Context(), row.reports)
		if err != nil || fault != row.fault {
			t.Errorf("got the fault %q, %v, want %q", fault, err, row.fault)
		}
		if diff := cmp.Diff(row.fresh, fresh); diff != "" {
			t.Errorf("to apply are (-want +got):\n%s", diff)
		}
	}
}

// TestReportAboutNothing checks that a report about an unknown card is stored and recorded.
func TestReportAboutNothing(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	ignoredUnknown(w, 94711)
}

func ignoredUnknown(w *issuingtest.World, cardID int) {
	w.TB.Helper()
	r := report(w, card.Card{ID: cardID}, order.Compromised)
	want := []order.ReportResult{
		{ReportID: r.ID, Result: order.Ignored, Reason: "there is no such card"},
	}
	if diff := cmp.Diff(want, apply(w, r)); diff != "" {
		w.TB.Errorf("results (-want +got):\n%s", diff)
	}
	if kept := received(w, r.ID); kept.ProgramID != 0 || kept.Result != order.Ignored {
		w.TB.Errorf("kept as %+v", kept)
	}
	want[0].Result = order.Repeated
	if diff := cmp.Diff(want, apply(w, r)); diff != "" {
		w.TB.Errorf("results of the same again (-want +got):\n%s", diff)
	}
}

// TestReportsInTheAudit checks who acted, how and why, and that an ignored report also leaves an
// entry.
func TestReportsInTheAudit(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	from := audit.Actor{
		Kind: audit.Processor, Name: "processor", Address: "192.0.2.1", RequestID: "r-1",
	}
	taken, refused := report(w, c, order.Taken), report(w, c, order.Refused)
	shipped := report(w, c, order.Shipped)
	refused.Reason = "no such street"
	reports := []order.Report{taken, refused, shipped}
	if _, err := w.Orders.ApplyReportsFrom(t.Context(), from, reports); err != nil {
		t.Fatal(err)
	}
	rows := w.Trail(c.ID)
	var got []string
	for _, row := range rows[len(rows)-3:] {
		got = append(got, strings.Join([]string{string(row.Kind), row.Name, row.Address,
			row.RequestID, row.Act, row.Outcome, row.Reason}, " | "))
		if row.CustomerID != 0 || row.ProgramID != 1 || row.Subject != audit.Of(audit.Card, c.ID) {
			t.Errorf("the row is %+v", row)
		}
	}
	want := []string{
		"processor | processor | 192.0.2.1 | r-1 | report taken | changed | ",
		"processor | processor | 192.0.2.1 | r-1 | report refused | changed | no such street",
		"processor | processor | 192.0.2.1 | r-1 | report shipped | ignored | ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

// TestWindowBeginsWhenShipped checks that a card that is not shipped does not expire, that the
// window starts at shipping, and that it restarts when the card is shipped again.
func TestWindowBeginsWhenShipped(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	w.Clock.Advance(2 * issuingtest.Window)
	w.Expire(0)
	reported(w, c, order.Shipped)
	w.Clock.Advance(issuingtest.Window)
	w.Expire(0)
	reported(w, c, order.Returned)
	reported(w, c, order.Shipped)
	w.Clock.Advance(issuingtest.Window)
	w.Expire(0)
	w.Clock.Advance(time.Millisecond)
	w.Expire(1)
	ignored(w, c, order.Shipped, "the card is Expired")
}

// TestReportsAtOnce checks that a report that arrives several times concurrently is applied once,
// and that concurrent reports about one card are all applied.
func TestReportsAtOnce(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	same := report(w, c, order.Shipped)
	var others []order.Report
	for range issuingtest.Workers / 2 {
		others = append(others, report(w, c, order.PinTriesExceeded))
	}
	var running sync.WaitGroup
	var mu sync.Mutex
	counts := make(map[order.Result]int)
	for i := range issuingtest.Workers {
		r := same
		if i%2 == 0 {
			r = others[i/2]
		}
		running.Go(func() {
			results, err := w.Orders.ApplyReports(t.Context(), []order.Report{r})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
				return
			}
			counts[results[0].Result]++
		})
	}
	running.Wait()
	want := map[order.Result]int{order.Applied: issuingtest.Workers/2 + 1, order.Repeated: issuingtest.Workers/2 - 1}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	after := w.Stored(c.ID)
	if after.Status != card.PendingVerification || after.Lock.Reason != card.PinRetries {
		t.Errorf("the card is %s with the lock %v", after.Status, after.Lock)
	}
}

// TestReportsInAnyOrder applies reports in any order, late and repeatedly, between the acts of a
// customer. The card always follows the transition table, repetitions change nothing, and reports
// that contradict the state are stored as ignored.
func TestReportsInAnyOrder(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	rapid.Check(t, func(rt *rapid.T) {
		c := w.NewCard(nil)
		var sent []order.Report
		for range rapid.IntRange(1, 20).Draw(rt, "steps") {
			waits := []time.Duration{0, time.Hour, issuingtest.Window}
			w.Clock.Advance(rapid.SampledFrom(waits).Draw(rt, "wait"))
			before := w.Stored(c.ID)
			switch rapid.IntRange(0, 5).Draw(rt, "step") {
			case 0:
				anyAct(w, rt, before)
			case 1:
				if len(sent) > 0 {
					repeatAny(w, rt, before, sent)
				}
			default:
				r := report(w, c, rapid.SampledFrom(order.ReportKinds).Draw(rt, "kind"))
				checkStep(w, rt, before, r, apply(w, r)[0])
				sent = append(sent, r)
			}
		}
	})
}

// anyAct performs an act that changes the card's state; a refusal is acceptable.
func anyAct(w *issuingtest.World, rt *rapid.T, c card.Card) {
	ref, ctx := issuing.CardRef{CustomerID: 1001, CardID: c.ID}, w.TB.Context()
	switch rapid.SampledFrom([]string{"verify", "hotlist", "unlock", "archive", "DMG", "LST",
		"time"}).Draw(rt, "act") {
	case "verify":
		_, _ = w.Cards.Verify(ctx, issuingtest.Caller, issuingtest.Verifying(c, c.LastFour))
	case "hotlist":
		_, _ = w.Cards.Hotlist(ctx, issuingtest.Caller, cards.LockRequest{CardRef: ref, LockReasonTypeCode: "LST"})
	case "unlock":
		_, _ = w.Cards.Unlock(ctx, issuingtest.Caller, ref)
	case "archive":
		_ = w.Cards.Archive(ctx, issuingtest.Caller, ref)
	case "DMG":
		_, _ = w.Cards.Reissue(ctx, issuingtest.Caller, issuingtest.Reissuing(c, "DMG"))
	case "LST":
		_, _ = w.Cards.Reissue(ctx, issuingtest.Caller, issuingtest.Reissuing(c, "LST"))
	case "time":
		_, _ = w.Cards.ExpireUnverified(ctx)
	}
}

// repeatAny repeats an earlier report.
func repeatAny(w *issuingtest.World, rt *rapid.T, before card.Card, sent []order.Report) {
	r := rapid.SampledFrom(sent).Draw(rt, "again")
	if got := apply(w, r)[0]; got.Result != order.Repeated {
		rt.Fatalf("a repeated report is %s", got.Result)
	}
	if diff := cmp.Diff(before, w.Stored(before.ID)); diff != "" {
		rt.Fatalf("a repeated report changes the card (-before +after):\n%s", diff)
	}
}

// reportActs maps report kinds to the names of their acts in the transition table.
var reportActs = map[order.ReportKind]card.Act{
	order.Taken: card.TakeOrder, order.Shipped: card.Ship, order.Delivered: card.Deliver,
	order.Returned: card.Return, order.Refused: card.Refuse, order.PinSet: card.SetPin,
	order.PinTriesExceeded: card.LockBySystem, order.Compromised: card.LockBySystem,
}

// checkStep compares one report with the transition table, which it reads directly.
func checkStep(w *issuingtest.World,
	rt *rapid.T, before card.Card, r order.Report, got order.ReportResult,
) {
	after, kept := w.Stored(before.ID), received(w, r.ID)
	row := slices.IndexFunc(card.Transitions, func(row card.Transition) bool {
		return row.From == before.Status && row.Act == reportActs[r.Kind]
	})
	if row < 0 {
		if got.Result != order.Ignored || got.Reason == "" || kept.Result != order.Ignored {
			rt.Fatalf("%s on a card that is %s: %+v, kept as %s", r.Kind, before.Status, got,
				kept.Result)
		}
		if diff := cmp.Diff(before, after); diff != "" {
			rt.Fatalf("an ignored report changes the card (-before +after):\n%s", diff)
		}
		return
	}
	if got.Result != order.Applied || got.Reason != "" || kept.Result != order.Applied ||
		after.Status != card.Transitions[row].To {
		rt.Fatalf("%s on a card that is %s: %+v, and it is %s", r.Kind, before.Status, got,
			after.Status)
	}
	if before.Lock.Permanent() && after.Lock != before.Lock {
		rt.Fatalf("the permanent lock %v became %v", before.Lock, after.Lock)
	}
}

// TestFencedReports checks that a report in a request does not change a program that is moving to
// another installation, and that a file, which contains reports of others, is applied.
func TestFencedReports(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	w.Orders.IsFenced = func(programID int) bool { return programID == c.ProgramID }
	reports := []order.Report{report(w, c, order.Taken)}
	from := audit.Actor{Kind: audit.Processor, Name: "processor", RequestID: "r-1"}
	_, err := w.Orders.ApplyReportsFrom(t.Context(), from, reports)
	issuingtest.WantCodes(t, err, 50503)
	results, err := w.Orders.ApplyReports(t.Context(), reports)
	if err != nil || len(results) != 1 || results[0].Result != order.Applied {
		t.Errorf("the file is answered %v, %v", results, err)
	}
	results, err = w.Orders.ApplyReportsFrom(t.Context(), from, reports)
	if err != nil || len(results) != 1 || results[0].Result != order.Repeated {
		t.Errorf("a report that was applied is answered %v, %v", results, err)
	}
}

// TestReportsBehindAFence checks that a fence holds up only the reports of its program, and that
// reports on a card keep their order when the fence ends in the middle of a list.
func TestReportsBehindAFence(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	triesOfTheFirst := 2
	w.Orders.IsFenced = func(programID int) bool {
		if programID == c.ProgramID {
			triesOfTheFirst--
		}
		return programID == c.ProgramID && triesOfTheFirst >= 0
	}
	other := report(w, card.Card{ID: 987654}, order.Taken) // of no program
	reports := []order.Report{report(w, c, order.Taken), report(w, c, order.Shipped), other}
	from := audit.Actor{Kind: audit.Processor, Name: "processor", RequestID: "r-1"}
	apply := func() (got []order.Result, err error) {
		results, err := w.Orders.ApplyReportsFrom(t.Context(), from, reports)
		for _, result := range results {
			got = append(got, result.Result)
		}
		return got, err
	}
	got, err := apply()
	issuingtest.WantCodes(t, err, 50503)
	if want := []order.Result{order.Ignored}; !slices.Equal(got, want) {
		t.Errorf("behind the fence the results are %v, want %v", got, want)
	}
	want := []order.Result{order.Applied, order.Applied, order.Repeated}
	if got, err := apply(); err != nil || !slices.Equal(got, want) {
		t.Errorf("without it they are %v, %v, want %v", got, err, want)
	}
}
