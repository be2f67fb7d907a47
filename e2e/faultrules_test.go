package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mintmark/client/admin"
	controls "mintmark/client/sandbox"
	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// ruled is a sandbox with fault rules.
type ruled struct {
	*ledger.World
	face *controls.Client
}

func newRuled(t *testing.T, settings app.Settings) ruled {
	t.Helper()
	world := ledger.NewWorld(t, settings)
	return ruled{world, controls.New(world.App.AdminURL())}
}

// fail creates a rule.
func (r ruled) fail(rule controls.Fault) controls.Fault {
	r.T.Helper()
	f, err := controls.Do[controls.Fault](
		r.T.Context(), r.face, http.MethodPost, "faults", rule)
	if err != nil {
		r.T.Fatalf("%+v: %v", rule, err)
	}
	return f
}

// clear deletes all rules.
func (r ruled) clear() {
	r.T.Helper()
	_, err := controls.Do[struct{}](r.T.Context(), r.face, http.MethodDelete, "faults", nil)
	if err != nil {
		r.T.Fatal(err)
	}
}

// used returns the number of times that a rule has applied.
func (r ruled) used(id string) int {
	r.T.Helper()
	rule, err := controls.Get[controls.Fault](r.T.Context(), r.face, "faults/"+id)
	if err != nil {
		r.T.Fatal(err)
	}
	return rule.Used
}

// codesIn returns the codes in an answer.
func codesIn(reply ledger.Reply) []int {
	var codes []int
	for _, e := range reply.Errors {
		codes = append(codes, e.Code)
	}
	return codes
}

// TestFaultRulesOfOneStage checks that the fault of a rule is reported together with the other
// faults of its stage, but never with another fault of the same property.
func TestFaultRulesOfOneStage(t *testing.T) {
	t.Parallel()
	world := newRuled(t, app.Settings{})
	for _, row := range []struct {
		path, body string
		rule       int
		want       []int
	}{
		{"/card/initiate", ledger.NewCard(`"nickName":"Demo 5001"`), 150204, []int{150204, 150230}},
		{"/card/initiate", ledger.NewCard(`"tag":"demo-5001"`), 150230, []int{150204, 150230}},
		{"/card/initiate", ledger.NewCard(`"tag":"demo-5001"`), 150204, []int{150204}},
		{"/card/initiate", ledger.NewCard(`"lastName":"1"`), 150240, []int{150240, 150242}},
		{"/card/initiate", ledger.NewCard(`"firstName":"1"`), 150213, []int{150213}},
		{"/card/initiate", ledger.NewCard(`"firstName":""`), 150240, []int{150213}},
		{"/card/initiate", ledger.NewCard(`"firstName":"1","typeCode":"X"`), 150202,
			[]int{150240, 150202, 150201}},
		{"/card/lock", ledger.Act(5001, `"lockReasonTypeCode":"XXX"`), 150405, []int{150401}},
		{"/card/lock", ledger.Act(5001, `"lockReasonTypeCode":"XXX"`), 150404, []int{150404}},
	} {
		world.fail(controls.Fault{Route: row.path, Code: row.rule})
		reply := world.Send(ledger.Request{Path: row.path, Body: row.body})
		if got := codesIn(reply); !slices.Equal(got, row.want) {
			t.Errorf("%s with a rule of %d is answered %d, want %d",
				row.body, row.rule, got, row.want)
		}
		world.clear()
	}
}

// TestFaultRuleMessages checks that the messages of rules are filled in from the request.
func TestFaultRuleMessages(t *testing.T) {
	t.Parallel()
	world := newRuled(t, app.Settings{})
	for _, row := range []struct {
		route string
		code  int
		sent  ledger.Request
		want  string
	}{
		{"/card/lock", 150402,
			ledger.Request{Body: ledger.Act(5001, `"lockReasonTypeCode":"TMP"`)},
			"CardId 5001 has been locked by the System and cannot be unlocked by a customer."},
		{"/card/lock", 60004,
			ledger.Request{Body: ledger.Act(5001, `"lockReasonTypeCode":"TMP"`)},
			"Customer id 1001 is locked."},
		{"/card/initiate", 150205,
			ledger.Request{Body: ledger.NewCard(`"cardHolderCustomerId":1002`)},
			"Invalid Card Holder CustomerId 1002."},
		{"/card/initiate", 150209, ledger.Request{Body: ledger.NewCard("")},
			"Primary AccountId 2001 is in invalid status of Closed. Must be Open or PendingOpen."},
		{"/card/initiate", 50902, ledger.Request{Body: ledger.NewCard("")},
			"ProgramId 1 does not have a BIN mapped to it."},
		{"/card/initiate", 150243, ledger.Request{Body: ledger.NewCard("")},
			"Card Bin 0 is not valid."},
		{"/card/get/{customerId}/{cardId}", 154101, ledger.Request{Path: "/card/get/1001/5001"},
			"Invalid CardId 5001 or CustomerId 1001 is not associated with the card."},
		{"/card/getbytag/{customerId}", 154002,
			ledger.Request{Path: "/card/getbytag/1001/?tag=demo-5001"},
			"No card exists with Tag=demo-5001."},
		{"/program/get", 52998, ledger.Request{Path: "/program/get", Header: map[string]string{
			"X-Request-Id": "6f9619ff-8b86-4011-b42d-00cf4fc964ff",
		}}, "Internal Server Error. Incident Id : 6f9619ff-8b86-4011-b42d-00cf4fc964ff"},
	} {
		world.fail(controls.Fault{Route: row.route, Code: row.code, Times: 1})
		if row.sent.Path == "" {
			row.sent.Path = row.route
		}
		reply := world.Send(row.sent)
		want := []ledger.Error{{Code: row.code, Message: row.want}}
		if !slices.Equal(reply.Errors, want) {
			t.Errorf("%+v, want %+v", reply.Errors, want)
		}
	}
}

// TestFaultRuleIsBad checks invalid rules, and the member that the error names.
func TestFaultRuleIsBad(t *testing.T) {
	t.Parallel()
	world := newRuled(t, app.Settings{})
	for _, row := range []struct{ body, pointer string }{
		{`{}`, "/route "},
		{`{"route":"/card/lock"}`, ""},
		{`{"route":"/card/mint","code":50503}`, "/route"},
		{`{"route":"/card/lock","code":4711}`, "/code"},
		{`{"route":"/card/lock","code":150302}`, "/code"},
		{`{"route":"*","code":59001}`, "/code"},
		{`{"route":"*","code":50503,"drop":"after"}`, "/drop"},
		{`{"route":"*","drop":"never"}`, "/drop"},
		{`{"route":"*","delay":"soon"}`, "/delay"},
		{`{"route":"*","delay":"1h"}`, "/delay"},
		{`{"route":"*","code":50503,"times":0}`, "/times"},
		{`{"route":"*","code":50503,"times":1.5}`, "/times"},
		{`{"route":"*","code":50503,"probability":0}`, "/probability"},
		{`{"route":"*","code":50503,"probability":1.1}`, "/probability"},
		{`{"route":"*","code":50503,"id":"7"}`, "/id"},
	} {
		_, err := controls.Do[controls.Fault](t.Context(), world.face, http.MethodPost, "faults",
			json.RawMessage(row.body))
		refused := &admin.Problem{}
		named := errors.As(err, &refused)
		var pointers []string
		for _, e := range refused.Errors {
			pointers = append(pointers, e.Pointer)
		}
		if !named || refused.Status != http.StatusUnprocessableEntity || len(pointers) == 0 ||
			strings.Join(pointers, " ") != row.pointer {
			t.Errorf("%s is answered %v %+v, want %s", row.body, err, refused, row.pointer)
		}
	}
	rules, err := controls.Get[controls.List[controls.Fault]](t.Context(), world.face, "faults")
	if err != nil || len(rules.Items) != 0 {
		t.Errorf("there are rules: %v, %v", rules, err)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		_, err := controls.Do[struct{}](t.Context(), world.face, method, "faults/7", nil)
		refused := &admin.Problem{}
		if !errors.As(err, &refused) || refused.Status != http.StatusNotFound {
			t.Errorf("%s of a rule that is not there: %v", method, err)
		}
	}
}

// TestFaultRulesOfTheService checks where codes of the service apply, and for whom: right after the
// credentials and the rate limit, before everything else.
func TestFaultRulesOfTheService(t *testing.T) {
	t.Parallel()
	world := newRuled(t, app.Settings{})
	lock := ledger.Act(5001, `"lockReasonTypeCode":"TMP"`)
	for _, row := range []struct {
		name string
		rule controls.Fault
		sent ledger.Request
		want int
	}{
		{"another method", controls.Fault{Route: "/card/lock", Code: 50503},
			ledger.Request{Path: "/card/lock"}, 50503},
		{"no method at all", controls.Fault{Route: "/card/lock", Code: 50502},
			ledger.Request{Path: "/Card//Lock/", Method: "MINT"}, 50502},
		{"a route that version 2 does not have", controls.Fault{Route: "/card/lostOrStolen",
			Code: 50504}, ledger.Request{Key: "example2", Path: "/card/lostOrStolen", Body: "{}"},
			50504},
		{"a broken body", controls.Fault{Route: "/card/lock", Code: 50500},
			ledger.Request{Path: "/card/lock", Body: "{"}, 50500},
		{"an unknown path", controls.Fault{Route: "*", Code: 50503},
			ledger.Request{Path: "/card/mint"}, 50503},
		{"a wrong secret", controls.Fault{Route: "*", Code: 50503},
			ledger.Request{Key: "nobody", Path: "/program/get"}, 50401},
		{"an address that is not the key's", controls.Fault{Route: "*", Code: 50503},
			ledger.Request{Key: "elsewhere", Path: "/program/get"}, 50403},
		{"another key", controls.Fault{Route: "*", Key: "example2", Code: 50503},
			ledger.Request{Path: "/card/mint"}, 50404},
		{"its key", controls.Fault{Route: "*", Key: "example2", Code: 50503},
			ledger.Request{Key: "example2", Path: "/card/lock", Body: lock}, 50503},
		{"another route", controls.Fault{Route: "/card/unlock", Code: 50503},
			ledger.Request{Path: "/card/mint"}, 50404},
		{"two rules, the earlier check", controls.Fault{Route: "*", Code: 50404},
			ledger.Request{Path: "/card/lock"}, 50404},
		{"credentials, and nobody signs in", controls.Fault{Route: "*", Code: 50505},
			ledger.Request{Key: ledger.Anonymous, Path: "/program/get"}, 50505},
	} {
		rule := world.fail(row.rule)
		row.sent.Ruled = true
		reply := world.Send(row.sent)
		if got := codesIn(reply); !slices.Equal(got, []int{row.want}) {
			t.Errorf("%s: %s, want %d", row.name, reply.Raw, row.want)
		}
		used := 0
		if row.want == row.rule.Code {
			used = 1
		}
		if got := world.used(rule.ID); got != used {
			t.Errorf("%s: the rule has applied %d times, want %d", row.name, got, used)
		}
		if row.want == 50503 && reply.Header.Get("Retry-After") != "1" {
			t.Errorf("%s: Retry-After is %q", row.name, reply.Header.Get("Retry-After"))
		}
		world.clear()
	}
}

// TestFaultRulesDrop closes connections without an answer: before the act, and after it. In the
// second case, the same request with its idempotency key then finds the result.
func TestFaultRulesDrop(t *testing.T) {
	t.Parallel()
	world := newRuled(t, app.Settings{})
	// A client with keep-alive connections would resend the request without being asked.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	send := func(key string) (status int, replayed string, err error) {
		body := ledger.NewCard(fmt.Sprintf(`"nickName":%q`, "Dropped "+key))
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
			world.App.URL()+"/card/initiate", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.SetBasicAuth("example1", "example1")
		request.Header.Set("Idempotency-Key", key)
		response, err := client.Do(request)
		if err != nil {
			return 0, "", err
		}
		defer response.Body.Close()
		return response.StatusCode, response.Header.Get("Idempotency-Replayed"), nil
	}
	for drop, want := range map[string]string{"before": "", "after": "true"} {
		rule := world.fail(controls.Fault{Route: "/card/initiate", Drop: drop, Times: 1})
		if status, _, err := send(drop); err == nil {
			t.Errorf("%s: the request is answered %d", drop, status)
		}
		if world.used(rule.ID) != 1 {
			t.Errorf("%s: the rule has not applied", drop)
		}
		status, replayed, err := send(drop)
		if err != nil || status != http.StatusOK || replayed != want {
			t.Errorf("%s: the second request is answered %d %q, %v", drop, status, replayed, err)
		}
	}
}

// TestFaultRulesDelay checks that a delay passes before the act.
func TestFaultRulesDelay(t *testing.T) {
	t.Parallel()
	world := newRuled(t, app.Settings{})
	const delay = 300 * time.Millisecond
	world.fail(controls.Fault{Route: "/program/get", Delay: delay.String(), Times: 1})
	for i, atLeast := range []time.Duration{delay, 0} {
		began := time.Now()
		reply := world.Send(ledger.Request{Path: "/program/get"})
		if took := time.Since(began); took < atLeast || reply.HTTP != http.StatusOK {
			t.Errorf("request %d takes %s and is answered %d", i, took, reply.HTTP)
		}
	}
}

// TestFaultRulesAreRepeatable checks that rules with a probability are repeatable under the same
// seed.
func TestFaultRulesAreRepeatable(t *testing.T) {
	t.Parallel()
	var outcomes [2]string
	for i := range outcomes {
		world := newRuled(t, app.Settings{})
		world.fail(controls.Fault{Route: "*", Code: 50503, Probability: 0.5})
		for range 64 {
			reply := world.Send(ledger.Request{Path: "/program/get"})
			outcomes[i] += fmt.Sprint(reply.HTTP, " ")
		}
	}
	if outcomes[0] != outcomes[1] || !strings.Contains(outcomes[0], "200") ||
		!strings.Contains(outcomes[0], "503") {
		t.Errorf("two sandboxes of one seed answer\n%s\n%s", outcomes[0], outcomes[1])
	}
}
