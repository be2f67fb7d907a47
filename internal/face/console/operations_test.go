package console

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	wire "mintmark/client/admin"
	"mintmark/internal/base/clock"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	rules "mintmark/internal/domain/card"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
	"mintmark/internal/importer/feed"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/testkit/testworld"
)

// attempt describes how an operation is tried: through a page or a form of the console, and through
// its route.
type attempt struct {
	page  string // address; of the form if the operation changes something
	right string // valid members of the body, without the reason
	wrong string // invalid members; if empty, the reason is too long
}

// attempts has the operations of the console, by route. Names in capitals stand for resources that
// prepare creates.
var attempts = map[string]attempt{
	"GET charts/{name}": {page: "activity"},

	"GET banks":            {page: "banks"},
	"GET banks/{id}":       {page: "banks/1"},
	"POST banks":           {"banks/new", `"name":"Third Bank"`, `"name":""`},
	"PATCH banks/{id}":     {"banks/1/edit", `"name":"Best Bank"`, `"name":""`},
	"PATCH customers/{id}": {"customers/1001/edit", `"isLocked":true`, `"firstName":""`},

	"GET banks/{id}/encryption-keys":         {page: "banks/1/encryption-keys"},
	"GET banks/{id}/encryption-keys/{keyId}": {page: "banks/1/encryption-keys/1"},
	"POST banks/{id}/encryption-keys": {
		"banks/1/encryption-keys/new", `"status":2`, `"status":7`},
	"PATCH banks/{id}/encryption-keys/{keyId}": {
		"banks/3/encryption-keys/4/edit", `"status":2`, `"status":7`},
	"GET bank-keys": {page: "bank-keys"},
	"POST banks/{id}/encryption-keys/{keyId}/rotate": {page: "banks/1/encryption-keys/1/rotate"},
	"POST banks/{id}/bank-keys/{keyId}/retire":       {page: "banks/3/keys/FIRST/retire"},

	"GET programs":      {page: "programs"},
	"GET programs/{id}": {page: "programs/1"},
	"POST programs": {"programs/new",
		newProgram + `,"name":"Fleet"`, newProgram + `,"name":"","decimalCount":"two"`},
	"PATCH programs/{id}": {"programs/1/edit",
		`"renewal":"manual","perUserDailyDepositLimit":{"minimumAmount":1,"maximumAmount":500}`,
		`"name":"","perUserDailyDepositLimit":{"minimumAmount":9,"maximumAmount":"x"}`},
	"GET programs/{id}/bins":         {page: "bins"},
	"GET programs/{id}/bins/{binId}": {page: "bins/1"},
	"POST programs/{id}/bins": {"bins/new",
		`"firstBody":"499999000000000","lastBody":"499999999999999","vendorTypeCode":"VS",` +
			`"description":"Gold","validMonths":36,"isActive":true`,
		`"firstBody":"12","vendorTypeCode":"VS","validMonths":"many"`},
	"PATCH programs/{id}/bins/{binId}": {
		"bins/1/edit", `"description":"Gold"`, `"description":"","validMonths":0`},

	"GET programs/{id}/products":           {page: "products"},
	"GET programs/{id}/products/{entryId}": {page: "products/1"},
	"POST programs/{id}/products": {"products/new",
		`"name":"Gold","type":"Savings","category":"Savings","isInterestEnabled":true,` +
			`"isExternalWithdrawEnabled":false,"isRecurringContributionEnabled":false`,
		`"name":"","type":"Savings","category":"Savings","balanceLimit":` +
			`{"minimumAmount":"few"},"isInterestEnabled":false,` +
			`"isExternalWithdrawEnabled":false,"isRecurringContributionEnabled":false`},
	"PATCH programs/{id}/products/{entryId}": {
		"products/1/edit", `"name":"Everyday"`, `"name":""`},
	"DELETE programs/{id}/products/{entryId}": {page: "products/1/remove"},
	"GET programs/{id}/accounts":              {page: "program-accounts"},
	"GET programs/{id}/accounts/{entryId}":    {page: "program-accounts/1"},
	"POST programs/{id}/accounts": {"program-accounts/new",
		`"accountId":7,"type":"CardSettlement","accountNumber":"1234567"`,
		`"accountId":"seven","type":"CardSettlement"`},
	"PATCH programs/{id}/accounts/{entryId}": {
		"program-accounts/1/edit", `"description":"Settles"`, `"accountId":"seven"`},
	"DELETE programs/{id}/accounts/{entryId}":      {page: "program-accounts/1/remove"},
	"GET programs/{id}/externalAccounts":           {page: "external-accounts"},
	"GET programs/{id}/externalAccounts/{entryId}": {page: "external-accounts/1"},
	"POST programs/{id}/externalAccounts": {"external-accounts/new",
		`"externalAccountId":7,"type":"Miscellaneous","routingNumber":"011000015",` +
			`"accountNumber":"1234567"`,
		`"externalAccountId":7,"type":"Miscellaneous","routingNumber":"1"`},
	"PATCH programs/{id}/externalAccounts/{entryId}": {
		"external-accounts/1/edit", `"description":"Verifies"`, `"routingNumber":"1"`},
	"DELETE programs/{id}/externalAccounts/{entryId}": {page: "external-accounts/1/remove"},

	"GET programs/{id}/keys":        {page: "keys"},
	"GET programs/{id}/keys/{name}": {page: "keys/example1"},
	"POST programs/{id}/keys": {"new-key",
		`"name":"till","version":2,"allow":["192.0.2.0/24","::1"],"ratePerSecond":20,` +
			`"expires":"2027-03-01T00:00:00-05:00"`,
		`"name":"","allow":["there"],"ratePerSecond":"many"`},
	"PATCH programs/{id}/keys/{name}": {
		"keys/example1/edit", `"allow":["::2"],"burst":7`, `"allow":["there"],"burst":-1`},
	"POST programs/{id}/keys/{name}/rotate": {page: "keys/example1/rotate", right: `"overlap":"1h"`},
	"POST programs/{id}/keys/{name}/revoke": {page: "keys/example1/revoke"},

	"GET programs/{id}/webhooks": {page: "webhooks"},
	"GET webhooks/{id}":          {page: "webhooks/HOOK"},
	"POST programs/{id}/webhooks": {"webhooks/new",
		`"url":"https://till.example.com/other","types":["card.locked","card.unlocked"]`,
		`"url":"ftp://till.example.com"`},
	"PATCH webhooks/{id}":          {"webhooks/HOOK/edit", `"paused":true`, `"url":""`},
	"DELETE webhooks/{id}":         {page: "webhooks/HOOK/delete"},
	"POST webhooks/{id}/rotate":    {page: "webhooks/HOOK/rotate"},
	"GET webhooks/{id}/deliveries": {page: "webhooks/HOOK"},
	"GET webhooks/{id}/replay":     {page: "webhooks/HOOK"},
	"POST webhooks/{id}/replay": {"webhooks/HOOK/replay",
		`"from":"2026-05-31T00:00:00-05:00","to":"2026-06-01T00:00:00-05:00"`,
		`"from":"yesterday","to":"today","fromSequence":"many"`},
	"GET events":      {page: "events"},
	"GET jobs":        {page: "jobs"},
	"GET jobs/{name}": {page: "jobs/renew%20cards"},
	"GET overview":    {page: ""},
	"GET search":      {page: "search?q=100"},

	"GET cards":               {page: "cards"},
	"GET cards/{id}":          {page: "cards/5001"},
	"POST cards/{id}/lock":    {page: "cards/5001/lock", right: `"lockReasonTypeCode":"FRD"`},
	"POST cards/{id}/unlock":  {page: "cards/5002/unlock"},
	"POST cards/{id}/reissue": {page: "cards/5001/reissue", right: `"reissueReasonTypeCode":"DMG"`},
	"POST cards/{id}/archive": {page: "cards/5005/archive"},
	"GET customers":           {page: "customers"},
	"GET customers/{id}":      {page: "customers/1001"},
	"GET accounts":            {page: "customers/1001"},

	"POST customers/{id}/erase": {page: "customers/1901/erase"},

	"GET authorizations":      {page: "authorizations"},
	"GET authorizations/{id}": {page: "authorizations/ASKED"},
	"GET holds":               {page: "holds"},
	"GET holds/{id}":          {page: "holds/HELD-MONEY"},
	"POST holds/{id}/release": {page: "holds/HELD-MONEY/release"},

	"GET orders":               {page: "orders"},
	"GET orders/{id}":          {page: "orders/ORDER"},
	"POST orders/{id}/retry":   {page: "orders/ORDER/retry"},
	"POST orders/{id}/hold":    {page: "orders/ORDER/hold"},
	"POST orders/{id}/release": {page: "orders/HELD/release"},
	"POST orders/{id}/drop":    {page: "orders/ORDER/drop"},

	"GET compromises":                {page: "compromises"},
	"GET compromises/{id}":           {page: "compromises/1"},
	"POST compromises/{id}/pause":    {page: "compromises/1/pause"},
	"POST compromises/{id}/resume":   {page: "compromises/2/resume"},
	"GET reconciliations":            {page: "reconciliations"},
	"GET reconciliations/{id}":       {page: "reconciliations/1"},
	"GET programs/{id}/order-report": {page: "order-report"},

	"GET operators":      {page: "operators"},
	"GET operators/{id}": {page: "operators/EVE"},
	"POST operators": {"operators/new",
		`"name":"grace","roles":["support","auditor"],"allBanks":false,"banks":[1]`,
		`"name":"","roles":[],"allBanks":true`},
	"PATCH operators/{id}": {"operators/EVE/edit",
		`"roles":["auditor"],"allBanks":true`, `"roles":[],"allBanks":false`},
	"POST operators/{id}/invite": {page: "operators/EVE/invite"},
	"POST operators/{id}/end":    {page: "operators/EVE/end"},
	"GET tokens":                 {page: "tokens"},
	"GET tokens/{id}":            {page: "tokens/OLD"},
	"POST tokens": {"tokens/new", `"name":"nightly","roles":["support"],"allBanks":true`,
		`"name":"","roles":["support"],"expires":"tomorrow"`},
	"POST tokens/{id}/revoke": {page: "tokens/OLD/revoke"},

	"GET approvals":                {page: "approvals"},
	"GET approvals/{id}":           {page: "approvals/THEIRS"},
	"POST approvals/{id}/approve":  {page: "approvals/THEIRS/approve"},
	"POST approvals/{id}/reject":   {page: "approvals/THEIRS/reject"},
	"POST approvals/{id}/withdraw": {page: "approvals/MINE/withdraw"},

	"GET audit": {page: "audit"},

	"GET banks/{id}/documents":                      {page: "documents"},
	"GET banks/{id}/documents/{documentId}":         {page: "documents/DRAFT"},
	"GET banks/{id}/documents/{documentId}/preview": {page: "documents/DRAFT"},
	"POST banks/{id}/documents": {"documents/new",
		`"documentType":"FeeSchedule","culture":"de-AT","title":"Fees","html":"<p>None</p>"`,
		`"documentType":"FeeSchedule","culture":"german","title":"","html":""`},
	"PATCH banks/{id}/documents/{documentId}": {
		"documents/DRAFT/edit", `"title":"All fees"`, `"culture":"german","title":""`},
	"DELETE banks/{id}/documents/{documentId}": {page: "documents/DRAFT/remove"},
	"POST banks/{id}/documents/{documentId}/publish": {"documents/DRAFT/publish",
		`"effectiveDate":"2027-03-01T00:00:00-05:00"`, `"effectiveDate":"soon"`},
}

// newProgram has the first members of the body of a new program.
const newProgram = `"bankId":1,"bank":{"name":"First Example Bank","timeZone":"America/New_York"},
	"timeZone":"America/New_York","decimalCount":2,"verificationWindowDays":90,"renewal":"manual","balances":"core",
	"publicKeyAlgorithms":"RSA-OAEP-SHA256-MGF1","validAccountTypes":["Checking","Savings"],
	"validProductTypes":["Checking","Savings"]`

// untried has the operations that are not tried through the console, with the reason.
var untried = map[string]string{
	"GET me": byFrame,

	"GET banks/{id}/documents/{documentId}/pdf": aFile,
	"PUT banks/{id}/documents/{documentId}/pdf": aFile,
	"GET audit/export":                          aFile,
	"GET audit/key":                             aFile,
	"GET audit/checkpoint":                      aFile,
	"GET audit/{sequence}/proof":                aFile,
	"POST approvals/{id}/result":                aFile,
	"POST feed":                                 aFile,
	"POST card-imports":                         aFile,
	"POST reconciliations":                      aFile,
	"POST compromises":                          aFile,
	"GET compromises/{id}/cards":                aFile,

	"GET audit/{sequence}":                         sealed,
	"GET events/{event}":                           sealed,
	"GET webhooks/{id}/deliveries/{event}":         sealed,
	"POST webhooks/{id}/deliveries/{event}/resend": sealed,

	"GET programs/{id}/feeds":                  noPage,
	"POST customers":                           noPage,
	"GET customers/{id}/access":                noPage,
	"GET accounts/{id}":                        noPage,
	"POST accounts":                            noPage,
	"PATCH accounts/{id}":                      noPage,
	"GET accounts/{id}/access/{customerId}":    noPage,
	"PUT accounts/{id}/access/{customerId}":    noPage,
	"DELETE accounts/{id}/access/{customerId}": noPage,

	"GET cards/{id}/history": "each time it is read adds to it",
	"POST cards/search":      "it reads, and a form has a field of another name",
}

const (
	byFrame = "the console knows who has signed in"
	aFile   = "a file, not JSON, on one way or on both"
	sealed  = "about an entry of the audit, which no job of this test seals"
	noPage  = "the console has no page for it"
)

// realConsole is a console and a face over the same desk and the demo data.
type realConsole struct {
	t       *testing.T
	console http.Handler
	routes  http.Handler
	desk    *recordingDesk
	acts    *acts.Service
	two     bool              // four eyes for acts outside any program
	named   *strings.Replacer // replaces the capitals of attempts
}

// recordingDesk is a desk that turns each change requested by the console into a dry run, and
// records the result.
type recordingDesk struct {
	*admin.Desk
	heard []deskExchange
}

// deskExchange is a request of the console, with the response that a route would give.
type deskExchange struct {
	admin.Request
	row    string
	answer string
}

func (o *recordingDesk) Do(ctx context.Context, r admin.Request) (admin.Result, error) {
	op := operationOf(r.Method, r.Path)
	if op.Changes() {
		r.Query = url.Values{"dryRun": {"true"}}
	}
	r.Query = maps.Clone(r.Query)
	result, err := o.Desk.Do(ctx, r)
	o.heard = append(o.heard, deskExchange{r, op.Method + " " + op.Path, answerOf(result, err)})
	return result, err
}

// operationOf returns the operation of a request.
func operationOf(method, path string) *admin.Op {
	for _, r := range admin.Resources() {
		for _, op := range r.Ops() {
			if _, fits := web.Match(op.Path, web.Segments(path)); fits && op.Method == method {
				return op
			}
		}
	}
	panic("no route for " + method + " " + path)
}

// answerOf returns the response of a route for the result of a request.
func answerOf(result admin.Result, err error) string {
	if refusal := (*web.Problem)(nil); errors.As(err, &refusal) {
		return fmt.Sprint(refusal.Status, " ", strings.TrimSpace(string(refusal.JSON())))
	}
	response, other := result.Response()
	if err := errors.Join(err, other); err != nil {
		return err.Error()
	}
	return fmt.Sprint(response.Status, " ", strings.TrimSpace(string(response.Body)))
}

// tokenHolders authenticates tokens: the text of a token is its holder's name.
type tokenHolders map[string]operator.Identity

func (h tokenHolders) AuthenticateToken(
	_ context.Context, text string,
) (operator.Identity, bool, error) {
	who, ok := h[text]
	return who, ok, nil
}

func (h tokenHolders) Current(
	_ context.Context, who operator.Identity,
) (operator.Identity, bool, error) {
	return who, true, nil
}

// session is a console session of one of the holders.
type session struct {
	*fakePeople
	who operator.Identity
}

func (s session) Who(context.Context) (operator.Identity, bool, error) { return s.who, true, nil }

func newRealConsole(t *testing.T) *realConsole {
	w := &realConsole{t: t}
	now := clock.FrozenAt(testworld.Start)
	people := tokenHolders{}
	for i, name := range []string{"mine", "other"} {
		people[name] = operator.Identity{
			Name: name, ID: i + 1, IsToken: true, Roles: operator.Roles{operator.Administrator},
			Scope: operator.Scope{All: true},
			Owner: operator.Owner{Kind: operator.OwnedByPerson, ID: i + 1},
		}
	}
	service := acts.New(testworld.File(t, testworld.DemoFile(t), now), testworld.Keys(t),
		issuing.Settings{
			Mode: rules.Sandbox, Ending: rules.SandboxEnding, Random: rand.Reader, Clock: now,
			FourEyes: func() bool { return w.two }, TokensApprove: func() bool { return true },
		})
	w.acts = service
	w.desk = &recordingDesk{Desk: admin.NewDesk(service, people, admin.About{Environment: "sandbox"})}
	host := web.NewHost(slog.New(slog.DiscardHandler), func() string { return "r-1" },
		web.Settings{BodyLimit: MaxBodyBytes})
	w.routes = host.Handler(admin.New(w.desk.Desk))
	w.console = host.Handler(New(Settings{
		Sessions: session{who: people["mine"]}, Operators: &fakePeople{}, Clock: now, Desk: w.desk,
	}))
	w.prepare()
	return w
}

// ask sends a request to a route and returns the response.
func (w *realConsole) ask(who, method, path, body string, header http.Header) *httptest.ResponseRecorder {
	w.t.Helper()
	r := httptest.NewRequest(method, wire.Prefix+path, strings.NewReader(body))
	r.Header = header.Clone()
	r.Header.Set("Authorization", "Bearer "+who)
	answer := deadlineRecorder{httptest.NewRecorder()}
	w.routes.ServeHTTP(answer, r)
	return answer.ResponseRecorder
}

// make creates a resource, and returns its ID or that of the approval it needs.
func (w *realConsole) make(who, path, body string) string {
	w.t.Helper()
	answer := w.ask(who, "POST", path, body, http.Header{"Mintmark-Reason": {"for the test"}})
	var created struct{ ID, ApprovalID json.RawMessage }
	err := json.Unmarshal(answer.Body.Bytes(), &created)
	if err != nil || answer.Code >= 400 {
		w.t.Fatalf("POST %s: %d %s", path, answer.Code, answer.Body)
	}
	return cmp.Or(string(created.ApprovalID), string(created.ID))
}

// hold has the processor request an authorization, and returns the ID of its hold.
func (w *realConsole) hold(authorizationID string) string {
	w.t.Helper()
	amount, err := value.ParseAmount("25.00")
	if err != nil {
		w.t.Fatal(err)
	}
	authorized, err := w.acts.Transfers.Authorize(w.t.Context(),
		audit.Actor{Kind: audit.Processor, Name: "processor"}, authorization.Request{
			ID: authorizationID, CardID: 5001, At: testworld.Start,
			Transfer: authorization.Transfer{Kind: authorization.Purchase, Amount: amount},
		})
	if err != nil || authorized.HoldID == "" {
		w.t.Fatal(authorized, err)
	}
	return authorized.HoldID
}

// prepare creates the resources that the operations need and the demo data lacks.
func (w *realConsole) prepare() {
	w.t.Helper()
	first := w.make("other", "banks/3/encryption-keys/4/rotate", "{}")
	w.make("other", "banks/3/encryption-keys/4/rotate", "{}")
	w.make("other", "customers", `{"id":1901,"programId":1,"status":"Verified","access":"FULL",
		"firstName":"Grace","lastName":"Example","birthDate":"1990-07-01"}`)
	w.make("other", "cards/5001/lock", `{"lockReasonTypeCode":"ADM"}`)
	w.make("other", "cards/5001/unlock", "{}")
	w.make("other", "reconciliations",
		`{"kind":"cards","programId":1,"at":"2026-05-31T00:00:00Z"}`)
	w.make("other", "card-imports", feed.CardsExample)
	for _, act := range []string{"lock", "replace"} {
		w.make("other", "compromises?programId=1&name=breach&act="+act, "4005511234567892")
	}
	w.make("other", "compromises/2/pause", "{}")
	var orders wire.List[wire.Order]
	text := w.ask("other", "GET", "orders?cardId=5001", "", http.Header{}).Body.Bytes()
	if err := json.Unmarshal(text, &orders); err != nil || len(orders.Items) < 2 {
		w.t.Fatalf("%v: %s", err, text)
	}
	newest, oldest := orders.Items[0].ID, orders.Items[len(orders.Items)-1].ID
	w.make("other", "orders/"+newest+"/hold", "{}")
	names := []string{
		"ASKED", "asked", "HELD-MONEY", w.hold("asked"), "FIRST", first, "ORDER", oldest, "HELD", newest,
		"HOOK", w.make("other", "programs/1/webhooks", `{"url":"https://till.example.com/hook"}`),
		"EVE", w.make("other", "operators", `{"name":"eve","roles":["support"],"allBanks":true}`),
		"OLD", w.make("other", "tokens", `{"name":"old","roles":["support"],"allBanks":true}`),
		"DRAFT", w.make("other", "banks/1/documents", `{"culture":"en-US","title":"Fees",
			"documentType":"FeeSchedule","html":"<p>Fees</p>"}`),
	}
	w.two = true
	const third = `{"name":"third","roles":["support"],"allBanks":true}`
	names = append(names, "THEIRS", w.make("other", "tokens", third),
		"MINE", w.make("mine", "tokens", third))
	w.two = false
	w.named = strings.NewReplacer(names...)
}

// open requests a page of the console, or sends its form.
func (w *realConsole) open(method, page string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, Prefix+page, strings.NewReader(form.Encode()))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	answer := deadlineRecorder{httptest.NewRecorder()}
	w.desk.heard = nil
	w.console.ServeHTTP(answer, r)
	return answer.ResponseRecorder
}

// TestRefusedFilter checks that a refused filter is shown as it was sent, with the problem at its
// field and without items.
func TestRefusedFilter(t *testing.T) {
	t.Parallel()
	w := newRealConsole(t)
	for _, test := range []struct{ page, problem string }{
		{"audit?subject=zzz", "must be a kind and a name"},
		{"authorizations?programId=1&from=yesterday", "must be a moment"},
		{"orders?programId=1&cardId=-1", "must be a positive whole number"},
	} {
		answer := w.open(http.MethodGet, test.page, nil)
		page := answer.Body.String()
		_, value, _ := strings.Cut(test.page[strings.LastIndexAny(test.page, "?&"):], "=")
		for _, want := range []string{
			"<title>Error: ", `aria-invalid="true"`, test.problem, `value="` + value + `"`,
		} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page has no %s", test.page, want)
			}
		}
		if answer.Code != http.StatusUnprocessableEntity || strings.Contains(page, `id="found"`) {
			t.Errorf("%s: answered %d, or with items", test.page, answer.Code)
		}
	}
}

// TestOperations tries every operation of every resource, with valid and with invalid input,
// through the console and through its route: the responses are the same. Changes are dry runs.
func TestOperations(t *testing.T) {
	t.Parallel()
	w := newRealConsole(t)
	for _, r := range admin.Resources() {
		for _, op := range r.Ops() {
			row := op.Method + " " + op.Path
			try, ok := attempts[row]
			if why := untried[row]; ok == (why != "") {
				t.Errorf("%s is tried: %v, and untried because %q", row, ok, why)
			}
			switch {
			case !ok:
			case op.Changes():
				w.change(row, try, try.right, "for the test", http.StatusOK)
				reason := "for the test"
				if try.wrong == "" {
					reason, try.wrong = strings.Repeat("x", 501), try.right
				}
				w.change(row, try, try.wrong, reason, http.StatusUnprocessableEntity)
			default:
				if !w.read(row, w.named.Replace(try.page)) {
					t.Errorf("%s: the page %s does not ask for it", row, try.page)
				}
				w.read(row, w.named.Replace(try.page)+"?cursor=x&programId=1")
			}
		}
	}
}

// read compares the response to a page of the console with the response of the route. It reports
// whether the page sends the request.
func (w *realConsole) read(row, page string) bool {
	w.t.Helper()
	if answer := w.open("GET", page, nil); answer.Code >= 500 {
		w.t.Errorf("%s: the page %s answers %d", row, page, answer.Code)
	}
	for _, heard := range w.desk.heard {
		if heard.row != row {
			continue
		}
		path := heard.Path
		if len(heard.Query) > 0 {
			path += "?" + heard.Query.Encode()
		}
		w.same(row, heard.answer, w.ask("mine", "GET", path, "", http.Header{}), 0)
		return true
	}
	return false
}

// change compares the response to the form of a page with the response of the route.
func (w *realConsole) change(row string, try attempt, members, reason string, status int) {
	w.t.Helper()
	var body map[string]any
	if err := json.Unmarshal([]byte("{"+members+"}"), &body); err != nil {
		w.t.Fatalf("%s: %v", row, err)
	}
	page := w.named.Replace(try.page)
	shown := w.open("GET", page, nil)
	form, fields := formOf(shown.Body.String())
	if shown.Code != http.StatusOK || fields == nil {
		w.t.Errorf("%s: the page %s has no form: %d", row, page, shown.Code)
		return
	}
	fill(form, body, "")
	for name := range form {
		if !slices.Contains(fields, name) && !strings.HasPrefix(name, "bank.") { // always added
			w.t.Errorf("%s: the form of %s has no field %s", row, page, name)
		}
	}
	if slices.Contains(fields, "reason") {
		form.Set("reason", reason)
		body["reason"] = reason
	}
	w.open("POST", page, form)
	at := slices.IndexFunc(w.desk.heard, func(e deskExchange) bool { return e.row == row })
	if at < 0 {
		w.t.Errorf("%s: the form of %s asks for %+v", row, page, w.desk.heard)
		return
	}
	heard := w.desk.heard[at]
	item, header := heard.Path, http.Header{}
	if heard.Method == http.MethodPost {
		item = item[:strings.LastIndex(item, "/")+1]
	}
	seen := w.ask("mine", "GET", strings.TrimSuffix(item, "/"), "", header)
	if tag := seen.Header().Get("ETag"); tag != "" {
		header.Set("If-Match", tag)
	}
	text, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	w.same(row, heard.answer,
		w.ask("mine", heard.Method, heard.Path+"?dryRun=true", string(text), header), status)
}

// random matches IDs that differ in each response: those of bank keys and of orders.
var random = regexp.MustCompile(`[0-9a-f]{16}|-[a-p]{16}\b|\b\d{6,10}\b`)

// same compares the response to the console with that of a route, and the route's status with
// status unless it is 0.
func (w *realConsole) same(row, console string, route *httptest.ResponseRecorder, status int) {
	w.t.Helper()
	got := fmt.Sprint(route.Code, " ", strings.TrimSpace(route.Body.String()))
	if diff := gocmp.Diff(random.ReplaceAllString(console, "-"),
		random.ReplaceAllString(got, "-")); diff != "" {
		w.t.Errorf("%s (-console +route):\n%s", row, diff)
	}
	if status != 0 && route.Code != status {
		w.t.Errorf("%s: want %d, got %s", row, status, got)
	}
}

// fill enters the members of a body in a form.
func fill(form url.Values, body map[string]any, above string) {
	for name, value := range body {
		name = above + name
		switch value := value.(type) {
		case map[string]any:
			fill(form, value, name+".")
		case []any:
			form.Del(name)
			for _, entry := range value {
				form.Add(name, fmt.Sprint(entry))
			}
		case bool:
			form.Del(name)
			if value {
				form.Set(name, "true")
			}
		case string:
			if _, err := time.Parse(time.RFC3339, value); err == nil {
				value = value[:len(momentForm)] // in the program's time zone
			}
			form.Set(name, value)
		default:
			form.Set(name, fmt.Sprint(value))
		}
	}
}

// formOf returns the values of a page's form, and the names of its fields.
func formOf(page string) (form url.Values, fields []string) {
	_, main, _ := strings.Cut(page, `<main id="main">`) // the frame has a form to sign out
	root, err := html.Parse(strings.NewReader(main))
	if err != nil {
		return nil, nil
	}
	form = url.Values{}
	for node := range root.Descendants() {
		name, named := attribute(node, "name")
		value, _ := attribute(node, "value")
		kind, _ := attribute(node, "type")
		_, chosen := attribute(node, "checked")
		switch {
		case !named:
			continue
		case node.Data == "textarea" && node.FirstChild != nil:
			form.Set(name, node.FirstChild.Data)
		case node.Data == "select":
			form.Set(name, selected(node))
		case node.Data == "input" && (chosen || kind != "checkbox" && kind != "radio"):
			form.Add(name, value)
		}
		fields = append(fields, name)
	}
	return form, fields
}

// selected returns the value of a select element: that of the selected option, or of the first one.
func selected(list *html.Node) string {
	first := ""
	for option := range list.Descendants() {
		value, ok := attribute(option, "value")
		if _, chosen := attribute(option, "selected"); chosen {
			return value
		}
		if ok && first == "" {
			first = value
		}
	}
	return first
}

func attribute(node *html.Node, name string) (value string, ok bool) {
	at := slices.IndexFunc(node.Attr, func(a html.Attribute) bool { return a.Key == name })
	if at < 0 {
		return "", false
	}
	return node.Attr[at].Val, true
}

// TestWhoConfirms checks that the page of an act says whether a second operator is needed, by the
// rule of the act itself: dropping the order of a lock needs one, dropping that of an unlock does
// not.
func TestWhoConfirms(t *testing.T) {
	t.Parallel()
	w := newRealConsole(t)
	seen := w.ask("other", "GET", "programs/1", "", http.Header{}).Header().Get("ETag")
	changed := w.ask("other", "PATCH", "programs/1", `{"fourEyes":true}`,
		http.Header{"If-Match": {seen}})
	if changed.Code != http.StatusOK {
		t.Fatalf("%d %s", changed.Code, changed.Body)
	}
	for page, want := range map[string]string{
		"orders/ORDER/drop": "A second operator, within 24 hours, because four eyes is on",
		"orders/HELD/drop":  noSecond,
		"operators/EVE/end": noSecond,
		"operators/new":     noSecond,

		"holds/HELD-MONEY/release": "A second operator, within 24 hours, because four eyes is on",
	} {
		shown := w.open("GET", w.named.Replace(page), nil).Body.String()
		if !strings.Contains(shown, want) {
			t.Errorf("%s does not say %q", page, want)
		}
	}
	w.two = true
	for page, button := range map[string]string{
		"operators/EVE/end": "Ask to end", "operators/new": "Ask to invite",
		"banks/1/encryption-keys/new": "Ask to add",
	} {
		shown := w.open("GET", w.named.Replace(page), nil).Body.String()
		if !strings.Contains(shown, confirmedBySecond) || !strings.Contains(shown, button) {
			t.Errorf("where settings demand four eyes the page %s is %s", page, shown)
		}
	}
}
