package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mintmark/client"
	"mintmark/e2e/ledger"
)

// result is the result of one report.
type result struct {
	ReportID string `json:"reportId"`
	Result   string `json:"result"`
	Reason   string `json:"reason"`
}

// reportTo sends reports to a sandbox, which must accept the request, and returns the results.
func reportTo(t *testing.T, adminURL string, reports ...string) []result {
	t.Helper()
	status, text := ledger.SendReports(t, adminURL, reports...)
	var answer struct {
		Results []result `json:"results"`
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil || status != http.StatusOK {
		t.Fatalf("reports are answered %d %s (%v)", status, text, err)
	}
	return answer.Results
}

// orderedCard is a card of the demo data that waits for the card processor.
const orderedCard = 5007

// TestReportsOfTheProcessor follows a card from its order through the reports of the processor. The
// program is killed midway, and then every report is sent again.
func TestReportsOfTheProcessor(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	program := sandbox(t, "--data", data)
	api := connect(t, program.url, "example1")
	ref := client.CardRequest{CustomerID: 1001, CardID: orderedCard}
	want := func(status, lock, requested string) client.Card {
		t.Helper()
		card, err := api.CardGet(t.Context(), 1001, orderedCard)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "status", card.Status, status)
		same(t, "lock", card.LockTypeCode+"/"+card.LockReasonTypeCode, lock)
		same(t, "requested", card.RequestedDate.IsZero(), requested == "")
		return card
	}
	say := func(kind, outcome, reason string) {
		t.Helper()
		got := reportTo(t, program.adminURL(), ledger.Report("r "+kind, orderedCard, kind))
		same(t, kind, fmt.Sprint(got), fmt.Sprint([]result{{"r " + kind, outcome, reason}}))
	}

	want("Initiated", "UNL/UNK", "")
	say("delivered", "ignored", "the card is Initiated")
	say("taken", "applied", "")
	want("Initiated", "UNL/UNK", "yes")
	say("shipped", "applied", "")
	shipped := want("PendingVerification", "UNL/UNK", "yes")
	say("refused", "ignored", "the card is PendingVerification")
	_, err := api.CardVerify(t.Context(), client.CardVerifyRequest{
		CustomerID: 1001, CardID: orderedCard, CardNumberMasked: "1111",
		BirthDate: time.Date(1985, time.March, 14, 0, 0, 0, 0, time.UTC),
	})
	if err != nil {
		t.Fatal(err)
	}
	say("pinSet", "applied", "")
	say("pinTriesExceeded", "applied", "")
	locked := want("Verified", "SYS/PIN", "yes")
	_, err = api.CardUnlock(t.Context(), ref)
	refused(t, err, 150502)

	program.end(syscall.SIGKILL)
	program = sandbox(t, "--data", data)
	api = connect(t, program.url, "example1")
	for _, kind := range []string{"taken", "shipped", "pinSet", "pinTriesExceeded"} {
		say(kind, "repeated", "")
	}
	say("refused", "repeated", "the card is PendingVerification")
	after := want("Verified", "SYS/PIN", "yes")
	same(t, "the date of change", after.LastModifiedDate, locked.LastModifiedDate)
	same(t, "the date of the order", after.RequestedDate, shipped.RequestedDate)
	say("compromised", "applied", "")
	want("Verified", "SYS/FRD", "yes")
	_, err = api.CardUnlock(t.Context(), ref)
	refused(t, err, 150503)

	same(t, "reports that were ignored", query(t, data,
		`SELECT string_agg(report_id, ', ' ORDER BY report_id) FROM reports
		WHERE result = 'ignored'`), "r delivered, r refused")
	same(t, "acts of the processor", query(t, data,
		`SELECT string_agg(route || ' ' || outcome, ', ' ORDER BY audit_id) FROM audit
		WHERE actor_kind = 'processor'`),
		"report delivered ignored, report taken changed, report shipped changed, "+
			"report refused ignored, report pinSet unchanged, report pinTriesExceeded changed, "+
			"report compromised changed")
}

// TestWhoMayReport sends reports that are not signed by the processor. They must change nothing.
func TestWhoMayReport(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	program := sandbox(t, "--data", data)
	const otherSecret = "whsec_b3RoZXIgb3RoZXIgb3RoZXIgb3RoZXIgb3RoZXI="
	compromise := "[" + ledger.Report("r1", 5001, "compromised") + "]"
	signed := func(secret string, at time.Time) *http.Request {
		return ledger.SignedReports(t, program.adminURL(), compromise, secret, at)
	}
	now, minutes := time.Now(), 6*time.Minute
	replayed := signed(ledger.SandboxReportSecret, now)
	other := strings.Replace(compromise, "5001", "5002", 1)
	replayed.Body = io.NopCloser(strings.NewReader(other))
	unsigned := signed(ledger.SandboxReportSecret, now)
	unsigned.Header = http.Header{}
	caller := signed(ledger.SandboxReportSecret, now)
	caller.Header = http.Header{}
	caller.SetBasicAuth("example1", "example1")
	page := signed(ledger.SandboxReportSecret, now)
	page.Header.Set("Origin", "https://evil.test")
	named := signed(ledger.SandboxReportSecret, now)
	named.Host = "evil.test"
	public := signed(ledger.SandboxReportSecret, now)
	public.URL.Host = strings.TrimPrefix(program.url, "http://")
	public.Host = public.URL.Host
	for name, row := range map[string]struct {
		request *http.Request
		status  int
	}{
		"no signature":           {unsigned, 401},
		"an unknown secret":      {signed(otherSecret, now), 401},
		"six minutes old":        {signed(ledger.SandboxReportSecret, now.Add(-minutes)), 401},
		"six minutes ahead":      {signed(ledger.SandboxReportSecret, now.Add(minutes)), 401},
		"another body":           {replayed, 401},
		"a caller's credentials": {caller, 401},
		"a web page":             {page, 403},
		"a name of elsewhere":    {named, 403},
		"the callers' address":   {public, 401},
	} {
		response, err := http.DefaultClient.Do(row.request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != row.status {
			t.Errorf("%s: answered %d %s (%v)", name, response.StatusCode, text, err)
		}
	}
	same(t, "reports", query(t, data, `SELECT CAST(count(*) AS TEXT) FROM reports`), "0")
	same(t, "locks", query(t, data, `SELECT lock_type FROM cards WHERE card_id = 5001`), "UNL")

	// The control: the same message with a valid signature, sent twice.
	for _, outcome := range []string{"applied", "repeated"} {
		response, err := http.DefaultClient.Do(signed(ledger.SandboxReportSecret, now))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != 200 || !strings.Contains(string(text), outcome) {
			t.Errorf("signed well: answered %d %s (%v)", response.StatusCode, text, err)
		}
	}
}

// TestOneReportAtOnce sends one report to all nodes at the same time. It is applied once.
func TestOneReportAtOnce(t *testing.T) {
	t.Parallel()
	worlds := nodes(t)
	const senders = 12
	for round := range setting(t, "MINTMARK_ROUNDS", 20) {
		card := ledger.Pending(worlds[0])
		report := ledger.Report(fmt.Sprintf("round %d", round), card, "pinTriesExceeded")
		outcomes := make([]string, senders)
		var sending sync.WaitGroup
		for i := range senders {
			sending.Go(func() {
				world := worlds[i%len(worlds)]
				outcomes[i] = reportTo(t, world.App.AdminURL(), report)[0].Result
			})
		}
		sending.Wait()
		all := strings.Join(outcomes, " ")
		if strings.Count(all, "applied") != 1 || strings.Count(all, "repeated") != senders-1 {
			t.Errorf("round %d: %s", round, all)
		}
	}
}

// appliedIn lists the statuses in which a report is applied; in any other it is ignored.
var appliedIn = map[string][]string{
	"taken":            {"Initiated", "PendingVerification", "Verified"},
	"shipped":          {"Initiated", "PendingVerification", "Verified"},
	"delivered":        {"PendingVerification", "Verified"},
	"returned":         {"PendingVerification", "Verified"},
	"refused":          {"Initiated"},
	"pinSet":           {"Initiated", "PendingVerification", "Verified"},
	"pinTriesExceeded": {"Initiated", "PendingVerification", "Verified", "Denied"},
	"compromised":      {"Initiated", "PendingVerification", "Verified", "Denied"},
}

// TestReportsInAnyOrder sends reports about cards in any order, late and repeatedly.
func TestReportsInAnyOrder(t *testing.T) {
	t.Parallel()
	kinds := []string{"taken", "shipped", "delivered", "returned", "refused", "pinSet",
		"pinTriesExceeded", "compromised"}
	world := nodes(t)[0]
	api := connect(t, world.App.URL(), "example1")
	sequence := 0
	rapid.Check(t, func(rt *rapid.T) {
		sequence++
		card := ledger.Pending(world)
		if sequence == 1 {
			card = orderedCard
		}
		sent := make(map[string]bool)
		for range rapid.IntRange(1, 12).Draw(rt, "reports") {
			before, err := api.CardGet(t.Context(), 1001, card)
			if err != nil {
				rt.Fatal(err)
			}
			kind := rapid.SampledFrom(kinds).Draw(rt, "kind")
			id := fmt.Sprintf("%d, %s %d", sequence, kind, rapid.IntRange(1, 2).Draw(rt, "number"))
			got := reportTo(t, world.App.AdminURL(), ledger.Report(id, card, kind))[0]
			after, err := api.CardGet(t.Context(), 1001, card)
			if err != nil {
				rt.Fatal(err)
			}
			want := "ignored"
			switch {
			case sent[id]:
				want = "repeated"
			case slices.Contains(appliedIn[kind], before.Status):
				want = "applied"
			}
			sent[id] = true
			if got.Result != want {
				rt.Fatalf("%s about a card that is %s is %+v, want %s", kind, before.Status, got,
					want)
			}
			unchanged := before.Status == after.Status &&
				before.LockReasonTypeCode == after.LockReasonTypeCode &&
				before.LastModifiedDate.Equal(after.LastModifiedDate)
			if want != "applied" && !unchanged {
				rt.Fatalf("%s, %s, changes the card from %+v to %+v", kind, want, before, after)
			}
		}
	})
}
