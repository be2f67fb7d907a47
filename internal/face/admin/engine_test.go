package admin

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
)

// thing is the resource of these tests.
type thing struct {
	ID       int            `json:"id"`
	Revision int            `json:"revision"`
	Name     string         `json:"name"`
	Count    int            `json:"count,omitempty"`
	Rate     float64        `json:"rate,omitempty"`
	At       *time.Time     `json:"at,omitempty"`
	Tags     []string       `json:"tags,omitempty"`
	Parts    []part         `json:"parts,omitempty"`
	Words    map[string]int `json:"words,omitempty"`
	Secret   string         `json:"secret,omitempty"`
}

type part struct {
	Name string `json:"name"`
	On   bool   `json:"on"`
}

type newThing struct {
	thing
	Reason string `json:"reason,omitempty"`
}

// things serves routes for a single thing in memory.
type things struct {
	kept  thing
	made  int
	limit int // of the last page requested
}

func (s *things) routes() []*Op {
	some := operator.Roles{operator.Support}
	read := func(context.Context, *call) (thing, error) { return s.kept, nil }
	return []*Op{
		get(Op{Path: "things/{id}", Summary: "Read a thing", Roles: some}, read),
		list(Op{Path: "things", Summary: "List things", Roles: some,
			Filters: []Field{{Name: "color", Help: "A color."}}},
			func(_ context.Context, _ *call, p issuing.Page) ([]thing, string, error) {
				s.limit = p.Limit
				if p.After == "" {
					return []thing{s.kept}, "key 1", nil
				}
				return nil, "", nil
			}),
		create(Op{Path: "things", Summary: "Make a thing", Roles: some},
			func(_ context.Context, c *call, q newThing) (thing, error) {
				q.ID, q.Revision, q.Secret = 8, 1, "hush"
				if !c.who.DryRun {
					s.made++
				}
				return q.thing, nil
			}),
		patch(Op{Path: "things/{id}", Summary: "Change a thing", Roles: some}, read,
			func(_ context.Context, c *call, after thing) (thing, error) {
				after.Revision = c.revision + 1
				if !c.who.DryRun {
					s.kept = after
				}
				return after, nil
			}),
		act(Op{Path: "things/{id}/paint", Summary: "Paint a thing", Roles: some,
			Reason: true}, func(_ context.Context, c *call, _ struct{}) (thing, error) {
			after := s.kept
			after.Name = "painted because " + c.who.Reason
			return after, nil
		}),
		remove(Op{Path: "things/{id}", Summary: "Remove a thing", Roles: some},
			func(context.Context, *call) error { return nil }),
	}
}

func newThings(t *testing.T) (*world, *things) {
	t.Helper()
	w, s := newWorld(t), &things{kept: thing{
		ID: 7, Revision: 3, Name: "old", Count: 1, Tags: []string{"a"},
	}}
	w.serve(s.routes()...)
	return w, s
}

func asSupport(method, path, body string) testRequest {
	return testRequest{token: "support", method: method, path: path, body: body}
}

// TestBodies checks that all problems with a body are reported together, each with its pointer.
func TestBodies(t *testing.T) {
	w, s := newThings(t)
	for body, want := range map[string]string{
		`{`:                       " is not valid JSON",
		"{\"name\":\"\xff\"}":     " is not valid JSON",
		`{"name":"\ud800"}`:       " has half of a surrogate pair",
		`[]`:                      " must be an object",
		`"text"`:                  " must be an object",
		`{"nane":"a"}`:            "/nane is not a known member",
		`{"NAME":"a"}`:            "/NAME is not a known member",
		`{"name":"a","name":"b"}`: "/name is given twice",
		`{"a.b":1}`:               ` "a.b" is not a known member`,
		`{"name":"a\u0000"}`:      "/name must have no control characters",
		`{"reason":"a\u0000"}`:    "/reason must have no control characters",
		`{"reason":1}`:            "/reason must be a text",
		`{"reason":"99 4000_0012.3456/7899"}`: "/reason must not hold a card number: the audit " +
			"log records it",
		`{"count":1.5,"name":3,"rate":"x","at":"now","tags":"a","parts":[{"on":1,"off":2},7]}`: "" +
			"/count must be a whole number; /name must be a text; /rate must be a number; " +
			"/at must be a moment with its offset, such as 2026-03-14T15:09:26Z; " +
			"/tags must be a list; /parts/0/on must be true or false; " +
			"/parts/0/off is not a known member; /parts/1 must be an object",
		`{"count":1e3}`:        "/count must be a whole number",
		`{"count":9999999999}`: "/count must be a whole number",
		`{"words":{"a":"b"}}`:  "/words/a must be a whole number",
		`{"tags":[null]}`:      "/tags/0 must not be null",
	} {
		told := w.problem(asSupport("POST", "things", body), "invalid")
		var got []string
		for _, e := range told.Errors {
			got = append(got, e.Pointer+" "+e.Detail)
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("%s:\n got %s\nwant %s", body, text, want)
		}
	}
	if s.made != 0 {
		t.Errorf("%d things were made of bodies that are wrong", s.made)
	}
	answer := w.ask(asSupport("POST", "things", `{"name":"n","at":"2026-01-01T00:00:00+01:00",
		"words":{"a":1},"parts":[{"name":"x","on":true}],"count":null,"reason":"two
		lines"}`))
	if answer.Code != http.StatusUnprocessableEntity { // a raw line break in a string is invalid
		t.Errorf("got %d %s", answer.Code, answer.Body)
	}
	answer = w.ask(asSupport("POST", "things", `{"name":"n","parts":[{"name":"x","on":true}]}`))
	if answer.Code != http.StatusCreated || answer.Header().Get("ETag") != `"1"` ||
		answer.Header().Get("Location") != "/admin/v1/things/8" {
		t.Errorf("got %d %v %s", answer.Code, answer.Header(), answer.Body)
	}
}

// TestOrder checks the order of the checks: authentication, route, role, body, If-Match.
func TestOrder(t *testing.T) {
	w, _ := newThings(t)
	all := testRequest{method: "PATCH", path: "nothings/7", body: `{"nane":1}`}
	w.problem(all, "not-signed-in")
	all.token = "auditor"
	w.problem(all, "not-found")
	all.path = "things/7"
	w.problem(all, "not-allowed")
	all.token = "support"
	w.problem(all, "invalid")
	all.body = `{"name":"new"}`
	w.problem(all, "if-match-required")
	all.header = map[string]string{"If-Match": `"2"`}
	w.problem(all, "stale")
	for _, odd := range []string{`W/"3"`, `3`, `"3`, `'3'`, "`3`", `"+3"`, `"03"`, `"\x33"`, `""3""`} {
		all.header["If-Match"] = odd
		w.problem(all, "stale")
	}
	all.header["If-Match"] = `"3"`
	if got := done[thing](w, all, http.StatusOK); got.Name != "new" || got.Count != 1 {
		t.Errorf("got %+v", got)
	}
	w.problem(asSupport("DELETE", "things/7", ""), "if-match-required")
	if answer := w.ask(asSupport("PUT", "things/7", "")); answer.Code != 405 ||
		answer.Header().Get("Allow") != "DELETE, GET, PATCH" {
		t.Errorf("got %d, Allow: %s", answer.Code, answer.Header().Get("Allow"))
	}
	w.problem(asSupport("POST", "things", `{"name":"`+strings.Repeat("a", 1<<20)+`"}`), "too-large")
}

// TestPatch checks what a merge patch can and cannot change.
func TestPatch(t *testing.T) {
	w, s := newThings(t)
	patch := func(body string) testRequest {
		a := asSupport("PATCH", "things/7", body)
		a.header = map[string]string{"If-Match": fmt.Sprintf("%q", fmt.Sprint(s.kept.Revision))}
		return a
	}
	got := done[thing](w, patch(`{"count":null,"tags":["b","c"],"words":{"x":1},"id":7}`), 200)
	want := thing{
		ID: 7, Revision: 4, Name: "old", Tags: []string{"b", "c"}, Words: map[string]int{"x": 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got = done[thing](w, patch(`{"words":{"y":2},"reason":"because"}`), 200)
	if diff := cmp.Diff(map[string]int{"x": 1, "y": 2}, got.Words); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	told := w.problem(patch(`{"id":8,"revision":9,"name":{}}`), "invalid")
	if len(told.Errors) != 3 {
		t.Errorf("got %+v", told.Errors)
	}
	w.problem(patch(``), "invalid")
}

// TestReasons checks where a reason is accepted, and that it is required.
func TestReasons(t *testing.T) {
	w, _ := newThings(t)
	told := w.problem(asSupport("POST", "things/7/paint", ""), "invalid")
	if len(told.Errors) != 1 || told.Errors[0].Pointer != "/reason" {
		t.Errorf("got %+v", told.Errors)
	}
	inBody := done[thing](w, asSupport("POST", "things/7/paint", `{"reason":"b"}`), 200)
	inHeader := asSupport("POST", "things/7/paint", "")
	inHeader.header = map[string]string{"Mintmark-Reason": "h"}
	if got := done[thing](w, inHeader, 200); got.Name+inBody.Name !=
		"painted because hpainted because b" {
		t.Errorf("got %s and %s", got.Name, inBody.Name)
	}
	w.problem(asSupport("POST", "things/7/paint",
		`{"reason":"`+strings.Repeat("é", maxReason+1)+`"}`), "invalid")
}

// TestDryRuns checks that a dry run reports the changes that the request would make, and makes
// none.
func TestDryRuns(t *testing.T) {
	w, s := newThings(t)
	changes := func(a testRequest) string {
		t.Helper()
		a.header = map[string]string{"If-Match": `"3"`}
		var lines []string
		for _, change := range done[wire.DryRun](w, a, http.StatusOK).Changes {
			lines = append(lines, fmt.Sprintf("%s %s → %s", change.Pointer, change.From, change.To))
		}
		return strings.Join(lines, ", ")
	}
	for want, a := range map[string]testRequest{
		`/count 1 → , /name "old" → "new", /tags ["a"] → ["a","b"]`: asSupport("PATCH",
			"things/7?dryRun=true", `{"name":"new","tags":["a","b"],"count":null}`),
		`/name "old" → "painted because r"`: asSupport("POST", "things/7/paint?dryRun=true",
			`{"reason":"r"}`),
		`/id  → 8, /name  → "n", /secret  → "hush"`: asSupport("POST", "things?dryRun=true",
			`{"name":"n"}`),
		`/count 1 → , /id 7 → , /name "old" → , /tags ["a"] → `: asSupport("DELETE",
			"things/7?dryRun=true", ""),
	} {
		if got := changes(a); got != want {
			t.Errorf("%s %s:\n got %s\nwant %s", a.method, a.path, got, want)
		}
	}
	if s.made != 0 || s.kept.Name != "old" {
		t.Errorf("a dry run has kept something: %+v", s)
	}
	w.problem(asSupport("PATCH", "things/7?dryRun=1", `{}`), "invalid")
	w.problem(asSupport("GET", "things/7?dryRun=true", ""), "invalid")
}

// TestQueries checks that unknown query parameters are refused, and that a cursor is valid only for
// its list.
func TestQueries(t *testing.T) {
	w, s := newThings(t)
	first := done[wire.List[thing]](w, asSupport("GET", "things?color=red&limit=200", ""), 200)
	if len(first.Items) != 1 || first.Next == "" || s.limit != 200 {
		t.Errorf("got %+v, limit %d", first, s.limit)
	}
	next := done[wire.List[thing]](w,
		asSupport("GET", "things?color=red&cursor="+first.Next, ""), 200)
	if next.Items == nil || len(next.Items) != 0 || next.Next != "" || s.limit != defaultPageSize {
		t.Errorf("got %+v, limit %d", next, s.limit)
	}
	for _, query := range []string{
		"color=blue&cursor=" + first.Next, "cursor=" + first.Next, "cursor=x", "limit=0",
		"limit=201", "limit=x", "limit=-1", "colour=red", "color=red&color=blue", "color=%00",
	} {
		w.problem(asSupport("GET", "things?"+query, ""), "invalid")
	}
	w.problem(asSupport("GET", "things/%00", ""), "not-found")
}

// TestOnce checks that a request with an idempotency key is done once, and that its response is
// repeated without the secret.
func TestOnce(t *testing.T) {
	w, s := newThings(t)
	once := asSupport("POST", "things", `{"name":"n"}`)
	once.header = map[string]string{"Idempotency-Key": "k1"}
	first, again := w.ask(once), w.ask(once)
	if s.made != 1 || first.Code != 201 || again.Code != 201 ||
		again.Header().Get("Idempotency-Replayed") != "true" ||
		again.Header().Get("Location") != first.Header().Get("Location") ||
		again.Header().Get("ETag") != `"1"` {
		t.Errorf("made %d: %v %s, then %v %s", s.made, first.Header(), first.Body,
			again.Header(), again.Body)
	}
	if !strings.Contains(first.Body.String(), "hush") ||
		strings.Contains(again.Body.String(), "hush") {
		t.Errorf("first %s, then %s", first.Body, again.Body)
	}
	removal := asSupport("DELETE", "things/7", "")
	removal.header = map[string]string{"Idempotency-Key": "k0", "If-Match": `"3"`}
	for range 2 {
		answer := w.ask(removal)
		if kind := answer.Header().Get("Content-Type"); answer.Code != 204 || kind != "" {
			t.Errorf("a removal is answered %d %s: %s", answer.Code, kind, answer.Body)
		}
	}
	other := once
	other.body = `{"name":"m"}`
	w.problem(other, "conflict")
	other.header = map[string]string{"Idempotency-Key": "k 2"}
	w.problem(other, "invalid")
	wrong := once
	wrong.header, wrong.body = map[string]string{"Idempotency-Key": "k3"}, `{"nane":1}`
	w.problem(wrong, "invalid")
	if answer := w.ask(wrong); answer.Header().Get("Idempotency-Replayed") != "true" {
		t.Errorf("a refusal is not given again: %s", answer.Body)
	}
}

// TestProblemsNameTheThing sends requests for resources that do not exist to every route, and
// checks that the problem names the resource.
func TestProblemsNameTheThing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	parameter := regexp.MustCompile(`\{[^}]*\}`)
	named := regexp.MustCompile(`^There is no [A-Za-z ]+ 99( of [a-z]+ 99)?\.$`)
	missing := 0
	for _, row := range w.desk.routes {
		path := parameter.ReplaceAllString(row.Path, "99")
		answer := w.ask(as("administrator", row.Method, path, `{"reason":"a try"}`, at(1)...))
		if answer.Code != http.StatusNotFound {
			continue
		}
		missing++
		told := w.problem(as("administrator", row.Method, path, `{"reason":"a try"}`, at(1)...),
			wire.NotFound)
		if path != row.Path && !named.MatchString(told.Detail) {
			t.Errorf("%s %s: %s", row.Method, row.Path, told.Detail)
		}
	}
	if missing < 50 {
		t.Errorf("%d rows have answered that something does not exist", missing)
	}
	for _, c := range []struct {
		ask  testRequest
		name string
		want string
	}{
		{as("administrator", "GET", "cards/99", ""), wire.NotFound, "There is no card 99."},
		{as("administrator", "GET", "cards/4111-1111-1111-1111", ""), wire.NotFound,
			"There is no such card."},
		{as("administrator", "GET", "programs/1/bins/99", ""), wire.NotFound,
			"There is no BIN 99 of program 1."},
		{as("administrator", "GET", "events?programId=99", ""), wire.NotFound,
			"There is no program 99."},
		{as("administrator", "GET", "nowhere", ""), wire.NotFound,
			"There is nothing at /admin/v1/nowhere."},
		{as("administrator", "DELETE", "cards/99", ""), wire.MethodNotAllowed,
			"/admin/v1/cards/99 takes GET."},
		{as("administrator", "PATCH", "programs/1", `{}`), wire.IfMatchRequired,
			"The change needs If-Match with the ETag of the program 1."},
		{as("administrator", "PATCH", "programs/1", `{}`, at(77)...), wire.Stale,
			"The program 1 has changed since it was read. Read it again."},
		{as("administrator", "POST", "tokens", strings.Repeat(" ", maxJSONBytes+1)), wire.TooLarge,
			"The body has more than 1048576 bytes."},
		{as("administrator", "GET", "cards?limit=0", ""), wire.Invalid,
			"The parameter limit must be from 1 to 200."},
		{as("administrator", "POST", "tokens", `{"name":1,"roles":2,"reason":"a try"}`), wire.Invalid,
			"/name must be a text. 2 more mistakes are in errors."},
	} {
		if got := w.problem(c.ask, c.name); got.Detail != c.want {
			t.Errorf("%s %s: %q, want %q", c.ask.method, c.ask.path, got.Detail, c.want)
		}
	}
}

// TestRefusalsAreAudited checks that refused changes and forbidden requests are audited, and no
// other refusals.
func TestRefusalsAreAudited(t *testing.T) {
	w, _ := newThings(t)
	w.ask(testRequest{token: "auditor", method: "POST", path: "things/7/paint", body: `{"reason":"r"}`})
	w.ask(testRequest{token: "security", method: "GET", path: "things/7"})
	w.ask(asSupport("PATCH", "things/7", `{"name":"x"}`))
	w.ask(asSupport("GET", "things/7", ""))
	w.ask(asSupport("GET", "things?limit=0", ""))
	w.ask(asSupport("POST", "things?dryRun=true", `[]`))
	want := []string{
		"auditor: POST /admin/v1/things/{id}/paint, refused: not-allowed, ",
		"security: GET /admin/v1/things/{id}, refused: not-allowed, ",
		"support: PATCH /admin/v1/things/{id}, refused: if-match-required, ",
	}
	if diff := cmp.Diff(want, w.entries()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
