package admin

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
	"mintmark/internal/importer/feed"
)

// TestFeedIsApplied sends the example feed, repeats it, and then sends one that skips a sequence.
func TestFeedIsApplied(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const who = "configurator"
	request := as(who, "POST", "feed", feed.Example)
	before := w.dumpTables()
	dry := request
	dry.path += "?dryRun=true"
	tried := done[struct {
		wire.FeedReport
		Changes []wire.Change `json:"changes"`
	}](w, dry, http.StatusOK)
	if tried.Accounts.Added != 1 || w.dumpTables() != before {
		t.Errorf("a dry run says %+v", tried)
	}
	pointers := map[string]string{}
	for _, change := range tried.Changes {
		pointers[change.Pointer] = string(change.From) + " to " + string(change.To)
	}
	if pointers["/customers/7100"] != `null to "added"` ||
		pointers["/balances/2001/accountBalance"] == "" {
		t.Errorf("the changes are %v", pointers)
	}
	feedReport := done[wire.FeedReport](w, request, http.StatusOK)
	if feedReport.Source != "core" || feedReport.Sequence != 1 || feedReport.Customers.Added != 1 || feedReport.Repeated {
		t.Errorf("the answer is %+v", feedReport)
	}
	if got := read[wire.Customer](w, "support", "customers/7100"); got.LastName != "Hopper" {
		t.Errorf("the customer is %+v", got)
	}
	again := done[wire.FeedReport](w, request, http.StatusOK)
	if !again.Repeated || again.Customers != feedReport.Customers {
		t.Errorf("the answer again is %+v", again)
	}
	gap := strings.Replace(feed.Example, `"sequence":1`, `"sequence":3`, 1)
	refused := w.problem(as(who, "POST", "feed", gap), wire.Conflict)
	if !strings.Contains(refused.Detail, "sequence 2 of core is expected, not 3") {
		t.Errorf("a gap: %s", refused.Detail)
	}
	all := read[wire.List[wire.Feed]](w, who, "programs/1/feeds")
	if len(all.Items) != 1 || all.Items[0].Sequence != 1 || all.Items[0].Last == nil ||
		all.Items[0].Last.Customers.Added != 1 {
		t.Errorf("the feeds are %+v", all.Items)
	}
}

// TestFeedIsRefused sends invalid rows, whose pointers begin with the line number, and an unknown
// program.
func TestFeedIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.dumpTables()
	const second = `{"source":"core","programId":1,"sequence":1}` + "\n"
	moved := `{"kind":"account","op":"put","accountId":2001,"customerId":1002}`
	const inside = `{"kind":"customer","op":"put","customerId":1001,"mailing":{"city":1}}`
	for body, pointer := range map[string]string{
		"":              "/1",
		second + "{}":   "/2/kind",
		second + moved:  "/2/customerId",
		second + inside: "/2/mailing/city",

		strings.Replace(second, `Id":1`, `Id":99`, 1): "/1/programId",
	} {
		p := w.problem(as("configurator", "POST", "feed", body), wire.Invalid)
		if len(p.Errors) == 0 || p.Errors[0].Pointer != pointer {
			t.Errorf("%s: %+v, want %s", body, p.Errors, pointer)
		}
	}
	if after := w.dumpTables(); after != before {
		t.Error(firstDifference(before, after))
	}
	accepted := as("configurator", "POST", "feed?accept=account-moved", second+moved)
	if got := done[wire.FeedReport](w, accepted, http.StatusOK); got.Accounts.Changed != 1 {
		t.Errorf("an accepted loss: %+v", got)
	}
	w.problem(as("configurator", "POST", "feed?accept=all", second+moved), wire.Invalid)
	w.problem(as("support", "POST", "feed", second), wire.NotAllowed)
}

// TestFeedTotals compares control totals.
func TestFeedTotals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := fmt.Sprintf("%s\n%s", `{"source":"core","programId":1,"sequence":1}`,
		`{"totals":{"accounts":1,"balance":0.5}}`)
	got := done[wire.FeedReport](w, as("configurator", "POST", "feed", body), http.StatusOK)
	if got.Totals == nil || !got.Totals.Differ || got.Totals.Accounts.Here < 2 ||
		got.Totals.Balance.Core != "0.5000" {
		t.Errorf("the totals are %+v", got.Totals)
	}
	all := read[wire.List[wire.Feed]](w, "configurator", "programs/1/feeds")
	if diff := cmp.Diff(got.Totals, all.Items[0].Last.Totals); diff != "" {
		t.Error(diff)
	}
}

// TestSlowUploadHoldsUpItsBanksAlone has an operator of one bank upload rows slowly: uploads of
// operators with another scope are received meanwhile.
func TestSlowUploadHoldsUpItsBanksAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	receive := func(scope operator.Scope, from io.Reader) error {
		c := &call{Identity: operator.Identity{Scope: scope}}
		rows, err := w.desk.spool("feed", c, from)
		if err != nil {
			return err
		}
		return rows.Close()
	}
	slow, sender := io.Pipe()
	received := make(chan error, 1)
	go func() { received <- receive(operator.Scope{Banks: []int{1}}, slow) }()
	if _, err := sender.Write([]byte("{")); err != nil { // returns once the upload has begun
		t.Fatal(err)
	}
	for _, test := range []struct {
		scope operator.Scope
		waits bool
	}{
		{operator.Scope{Banks: []int{1}}, true}, {operator.Scope{Banks: []int{1, 1}}, true},
		{operator.Scope{Banks: []int{2}}, false}, {operator.Scope{All: true}, false},
	} {
		refused := (*web.Problem)(nil)
		err := receive(test.scope, strings.NewReader("{}"))
		if errors.As(err, &refused) != test.waits || !test.waits && err != nil {
			t.Errorf("%+v: %v", test.scope, err)
		}
	}
	err := errors.Join(sender.Close(), <-received)
	err = errors.Join(err, receive(operator.Scope{Banks: []int{1}}, strings.NewReader("")))
	if err != nil {
		t.Error(err)
	}
}

// TestUploadOutlivesRights revokes the operator's rights during an upload.
func TestUploadOutlivesRights(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.uploadOutlivesRights("configurator", "feed", nil, feed.Example,
		func(c *call, from io.Reader) error {
			_, _, err := w.desk.applyRows(t.Context(), c, from)
			return err
		})
	list := url.Values{"programId": {"1"}, "name": {"breach"}, "act": {"lock"}}
	w.uploadOutlivesRights("administrator", "compromises", list, w.demoNumber(),
		func(c *call, from io.Reader) error {
			_, err := w.desk.reportCompromise(t.Context(), c, from)
			return err
		})
}

func (w *world) uploadOutlivesRights(
	name, path string, query url.Values, text string, act func(c *call, from io.Reader) error,
) {
	w.t.Helper()
	row, params, _ := w.desk.find("POST", path)
	before, sender := w.dumpTables(), w.known[name]
	become := func(scope operator.Scope, roles ...operator.Role) func() {
		return func() { w.add(sender.Name, sender.ID, scope, roles...) }
	}
	for what, becomes := range map[string]func(){
		"the token is revoked":    func() { delete(w.known, sender.Name) },
		"the role is taken away":  become(sender.Scope, operator.Support),
		"the bank is another one": become(operator.Scope{Banks: []int{4}}, sender.Roles...),
	} {
		w.known[sender.Name] = sender
		c := w.desk.call(Request{Who: sender, Length: -1, Query: query, Reason: "breach"}, row, params)
		from, sending := io.Pipe()
		go func() {
			_, err := io.WriteString(sending, text[:10])
			becomes()
			_, later := io.WriteString(sending, text[10:])
			_ = sending.CloseWithError(errors.Join(err, later))
		}()
		if err := act(c, from); err == nil || w.dumpTables() != before {
			w.t.Errorf("%s: %s: %v", path, what, err)
		}
	}
	w.known[name] = sender
}

// TestFeedIsReceivedInTurn sends rows while another upload is being received, and rows that exceed
// the free disk space. Both are refused, and may be retried.
func TestFeedIsReceivedInTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.dumpTables()
	refused := func(what string) {
		t.Helper()
		for path, text := range map[string]string{
			"feed": feed.Example, "reconciliations": feed.Example,
		} {
			answer := w.ask(as("configurator", "POST", path, text))
			if answer.Code != http.StatusServiceUnavailable || answer.Header().Get("Retry-After") != "10" {
				t.Errorf("%s: %s is answered %d %v", what, path, answer.Code, answer.Header())
			}
		}
	}
	w.desk.spooling.Store("[]", true)
	refused("while others are received")
	w.desk.spooling.Delete("[]")
	_, err := w.desk.spool("feed", &call{request: Request{Length: 1 << 60}}, nil)
	if full := (*web.Problem)(nil); !errors.As(err, &full) ||
		full.Status != http.StatusServiceUnavailable {
		t.Errorf("a full disk: %v", err)
	}
	if w.dumpTables() != before {
		t.Error("refused rows have changed something")
	}
	done[wire.FeedReport](w, as("configurator", "POST", "feed", feed.Example), http.StatusOK)
}

// TestFeedTellsNoBirthDate checks that a dry run hides the stored birth date, and that the audit
// records that it read a customer.
func TestFeedTellsNoBirthDate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rows := `{"source":"core","programId":1,"sequence":1}
{"kind":"customer","op":"put","customerId":1001,"birthDate":"1990-01-01","lastName":"Other"}
`
	answer := w.ask(as("configurator", "POST", "feed?dryRun=true", rows)).Body.String()
	if strings.Contains(answer, "1985-03-14") || !strings.Contains(answer,
		`{"pointer":"/customers/1001/birthDate","from":"***","to":"***"}`) {
		t.Errorf("a dry run answers %s", answer)
	}
	newest := read[wire.List[wire.Entry]](w, "auditor", "audit?limit=1").Items[0]
	if newest.Act != "feed" || newest.Outcome != "read" || newest.ProgramID != 1 ||
		string(newest.After) != `{"customers":"1"}` {
		t.Errorf("a dry run leaves %+v, after %s", newest, newest.After)
	}
}
