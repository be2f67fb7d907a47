package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	controls "mintmark/client/sandbox"
	"mintmark/e2e/ledger"
	"mintmark/internal/app"
	data "mintmark/internal/cli/ledger"
	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/precedence"
)

// flat returns the checks of an operation in the order of the tables of package precedence, with
// the stage of each check.
func flat(path string) (kinds []fault.Kind, stages []int) {
	number := 0
	put := func(stage precedence.Stage) {
		number++
		for _, check := range stage {
			kinds, stages = append(kinds, check.Kind), append(stages, number)
		}
	}
	for _, stage := range precedence.Operations[path] {
		if len(stage) == 0 {
			for _, s := range precedence.Customer {
				put(s)
			}
		}
		put(stage)
	}
	return kinds, stages
}

// routeOf returns the operation of a path in the ledger, or "".
func routeOf(path string) string {
	target, err := url.Parse(path)
	if err != nil {
		return ""
	}
	if _, plain := precedence.Operations[target.Path]; plain {
		return target.Path
	}
	for route := range precedence.Operations {
		prefix, _, parameters := strings.Cut(route, "{")
		if parameters && strings.HasPrefix(target.Path+"/", prefix) {
			return route
		}
	}
	return ""
}

// TestFaultRulesKeepTheOrder provokes each fault of each operation while a rule makes another check
// fail: the earlier of the two is answered, and only a request that reaches the rule uses it up.
func TestFaultRulesKeepTheOrder(t *testing.T) {
	t.Parallel()
	world := newRuled(t, app.Settings{})
	pairs, seen := 0, map[string]bool{}
	for _, c := range ledger.Cases {
		route := routeOf(c.Path)
		kinds, stages := flat(route)
		name := fmt.Sprint(route, c.Kind)
		at := slices.Index(kinds, c.Kind)
		once := at >= 0 && !slices.Contains(kinds[at+1:], c.Kind)
		body := fault.Lookup(c.Kind).Code/100 == 599 && precedence.ReadsBody(route)
		if c.Do != nil || c.Most > 1 || !once || body || seen[name] {
			continue
		}
		seen[name] = true
		for i, kind := range kinds {
			// A code about bodies applies before the operation.
			before := i < at || fault.Lookup(kind).Code/100 == 599 && precedence.ReadsBody(route)
			first := slices.Index(kinds, kind) == i
			if stages[i] == stages[at] || !first || kind == fault.RateExceeded {
				continue
			}
			pairs++
			const some = 7 // one in this many pairs is tried where each takes longer
			if ledger.On() == ledger.Postgres && pairs%some != 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s, rule %d", c.Name, fault.Lookup(kind).Code), func(t *testing.T) {
				world := ruled{world.Under(t), world.face}
				world.keepsOrder(c, route, kind, before)
			})
		}
	}
	if pairs < 500 {
		t.Errorf("%d pairs are tried", pairs)
	}
}

// keepsOrder provokes a fault while a rule makes the check of another kind fail.
func (r ruled) keepsOrder(c ledger.Case, route string, kind fault.Kind, before bool) {
	r.T.Helper()
	code := fault.Lookup(kind).Code
	// The preparations of the case must not meet the rule.
	armed := &arming{world: r, after: len(c.Given), rule: controls.Fault{Route: route, Code: code}}
	_, _, err := c.Run(r.T.Context(), armed, fmt.Sprintf("rule%s", strings.ReplaceAll(
		fmt.Sprint(time.Now().UnixNano()), "-", "")))
	if err != nil {
		r.T.Fatal(err)
	}
	want, used := fault.Lookup(c.Kind).Code, 0
	if before {
		want, used = code, 1
	}
	if got := codesIn(armed.last); !slices.Equal(got, []int{want}) {
		r.T.Errorf("the codes are %d, want %d: %s", got, want, armed.last.Raw)
	}
	if got := r.used(armed.made); got != used {
		r.T.Errorf("the rule has applied %d times, want %d", got, used)
	}
	r.clear()
}

// arming adds a rule before the request of a case, after all preparations of the case.
type arming struct {
	world ruled
	after int
	rule  controls.Fault
	made  string
	last  ledger.Reply
}

func (a *arming) Send(_ context.Context, q data.Request) (data.Answer, error) {
	if a.after == 0 {
		a.made = a.world.fail(a.rule).ID
	}
	a.after--
	a.last = a.world.Send(ledger.Request{
		Key: q.Key, Method: q.Method, Path: q.Path, Body: q.Body, Header: q.Header,
	})
	return data.Answer{Status: a.last.HTTP, Body: a.last.Raw}, nil
}

// Report sends a report as the card processor.
func (a *arming) Report(_ context.Context, card, kind string) error {
	a.after--
	var id int
	if _, err := fmt.Sscan(card, &id); err != nil {
		return err
	}
	report := ledger.Report(fmt.Sprint("rule ", time.Now().UnixNano()), id, kind)
	status, text := ledger.SendReports(a.world.T, a.world.App.AdminURL(), report)
	if status != http.StatusOK {
		return fmt.Errorf("%s is answered %d %s", kind, status, text)
	}
	return nil
}

// Fail is not needed.
func (*arming) Fail(context.Context, string, string, int) error { return nil }

// TestFaultRulesAroundPins checks the order around the decryption of a PIN, which happens outside
// the transaction, and whose faults have the codes of earlier checks.
func TestFaultRulesAroundPins(t *testing.T) {
	t.Parallel()
	world := newRuled(t, app.Settings{})
	resetPin := ledger.Act(5001, `"newPin":"%%%%"`)
	order := ledger.NewCard(`"nickName":"Around a PIN","newPin":"AAAA"`)
	reissue := ledger.Act(5001, `"reissueReasonTypeCode":"LST","newPin":"AAAA"`)
	for _, row := range []struct {
		path, body string
		rule, want int
	}{
		{"/card/resetpin", resetPin, 150901, 150901},
		{"/card/resetpin", resetPin, 60004, 60004},
		{"/card/resetpin", resetPin, 150403, 150403},
		{"/card/resetpin", resetPin, 50904, 50904},
		{"/card/resetpin", resetPin, 150903, 150901},
		{"/card/initiate", order, 150209, 150209},
		{"/card/initiate", order, 50904, 50904},
		{"/card/initiate", order, 150204, 59956},
		{"/card/initiate", order, 59103, 59956},
		{"/card/reissue", reissue, 153003, 153003},
		{"/card/reissue", reissue, 150402, 150402},
		{"/card/reissue", reissue, 59103, 59956},
	} {
		rule := world.fail(controls.Fault{Route: row.path, Code: row.rule})
		reply := world.Send(ledger.Request{Path: row.path, Body: row.body})
		if got := codesIn(reply); !slices.Equal(got, []int{row.want}) {
			t.Errorf("%s with a rule of %d is answered %d, want %d",
				row.body, row.rule, got, row.want)
		}
		if used := world.used(rule.ID); used > 0 != (row.rule == row.want) {
			t.Errorf("%s: the rule of %d has applied %d times", row.body, row.rule, used)
		}
		world.clear()
	}
}

// TestFaultRulesCountNothing checks that a failed verification is not counted if a rule makes an
// earlier check fail.
func TestFaultRulesCountNothing(t *testing.T) {
	t.Parallel()
	world := newRuled(t, app.Settings{})
	card := ledger.Pending(world.World)
	verify := func(born string) []int {
		return codesIn(world.Send(ledger.Request{Path: "/card/verify", Body: ledger.Act(card,
			`"birthDate":"`+born+`","cardNumberMasked":"1111"`)}))
	}
	world.fail(controls.Fault{Route: "/card/verify", Code: 150302})
	for range 6 {
		if got := verify("1985-03-15"); !slices.Equal(got, []int{150302}) {
			t.Fatalf("the rule is answered %d", got)
		}
	}
	world.clear()
	if got := verify("1985-03-14"); len(got) > 0 {
		t.Errorf("the right answer is refused with %d", got)
	}
}

// worksOn holds bodies of requests that succeed, by act; $card is a card that the act applies to.
var worksOn = map[string]struct {
	given []data.Step
	body  string
}{
	"/card/initiate":      {nil, ledger.NewCard(`"nickName":"Works $unique"`)},
	"/card/createdigital": {nil, ledger.NewCard(`"nickName":"Works $unique"`)},
	"/card/verify": {data.Pending, `{"customerId":1001,"cardId":$card,"birthDate":"1985-03-14",` +
		`"cardNumberMasked":"1111"}`},
	"/card/lock":         {data.Verified, onCard(`,"lockReasonTypeCode":"TMP"`)},
	"/card/hotlist":      {data.Verified, onCard(`,"lockReasonTypeCode":"LST"`)},
	"/card/lostOrStolen": {data.Verified, onCard(`,"lockReasonTypeCode":"STL"`)},
	"/card/unlock": {append(slices.Clone(data.Verified), data.Step{Path: "/card/lock",
		Body: onCard(`,"lockReasonTypeCode":"TMP"`)}), onCard("")},
	"/card/archive": {data.Verified, onCard("")},
	"/card/reissue": {data.Verified,
		onCard(`,"reissueReasonTypeCode":"LST","newPin":"MTIzNA=="`)},
	"/card/addAccount": {data.Verified, onCard(`,"accountId":2002,"cardPriority":1`)},
	"/card/removeAccount": {append(slices.Clone(data.Verified), data.Step{
		Path: "/card/addAccount", Body: onCard(`,"accountId":2002,"cardPriority":2`)}),
		onCard(`,"accountId":2002`)},
	"/card/reprioritizeAccount": {append(slices.Clone(data.Verified), data.Step{
		Path: "/card/addAccount", Body: onCard(`,"accountId":2002,"cardPriority":2`)}),
		onCard(`,"accountId":2002,"cardPriority":1`)},
	"/card/resetpin": {data.Verified, onCard(`,"newPin":"MTIzNA=="`)},
}

func onCard(more string) string { return `{"customerId":1001,"cardId":$card` + more + `}` }

// TestFaultRulesKeepNothing sends each act, which would succeed, with a rule for each code that it
// can return: the code is returned once, the act has no effect, and then it succeeds.
func TestFaultRulesKeepNothing(t *testing.T) {
	t.Parallel()
	world := newRuled(t, app.Settings{})
	for path, works := range worksOn {
		t.Run(path, func(t *testing.T) {
			world := ruled{world.Under(t), world.face}
			world.keepsNothing(path, works.given, works.body)
		})
	}
	for path := range precedence.Operations {
		if _, listed := worksOn[path]; precedence.ReadsBody(path) && !listed {
			t.Errorf("%s is not tried", path)
		}
	}
}

func (r ruled) keepsNothing(path string, given []data.Step, body string) {
	r.T.Helper()
	unique := strings.ToLower(strings.ReplaceAll(path, "/", " "))
	card, err := data.Prepare(r.T.Context(), given, &arming{world: r, after: -1}, unique)
	if err != nil {
		r.T.Fatal(err)
	}
	cards := func() string {
		list := r.Send(ledger.Request{Path: "/card/list/1001"})
		return string(list.Data)
	}
	act := ledger.Request{Path: path, Body: data.Fill(body, card, unique), Ruled: true}
	before := cards()
	kinds, _ := flat(path)
	for _, kind := range append(kinds, fault.Unauthorized, fault.AddressNotTrusted,
		fault.RateExceeded, fault.NotImplemented, fault.RouteUnknown, fault.MethodNotAllowed,
		fault.HTTPVersion, fault.BodyNaN, fault.BodyUnreadable, fault.InternalError,
		fault.BadGateway, fault.Unavailable, fault.GatewayTimeout, fault.Incident) {
		entry := fault.Lookup(kind)
		rule := r.fail(controls.Fault{Route: path, Key: "example1", Code: entry.Code, Times: 1})
		reply := r.Send(act)
		if !slices.Equal(codesIn(reply), []int{entry.Code}) || reply.HTTP != entry.HTTP {
			r.T.Errorf("%d is answered HTTP %d, %s", entry.Code, reply.HTTP, reply.Raw)
		}
		for _, e := range reply.Errors {
			if strings.ContainsAny(e.Message, "{}") {
				r.T.Errorf("the message has a blank: %s", e.Message)
			}
		}
		if r.used(rule.ID) != 1 {
			r.T.Errorf("%d has not applied once", entry.Code)
		}
	}
	if after := cards(); after != before {
		r.T.Errorf("the cards were\n%s\nand are\n%s", before, after)
	}
	r.clear()
	if reply := r.Send(act); reply.HTTP != http.StatusOK {
		r.T.Errorf("without rules the act is answered %s", reply.Raw)
	}
}
