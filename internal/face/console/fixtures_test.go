package console

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	wire "mintmark/client/admin"
	controls "mintmark/client/sandbox"
	"mintmark/internal/base/clock"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing/auth"
)

// fakeInterface replaces the operators' interface by a table of responses to GET requests, so that
// tests can show pages in rare states. The tests of package e2e use the real interface.
type fakeInterface struct {
	answers map[string]any // by path, or path and query
	refuse  *wire.Problem  // response to all requests except GET
	created string         // location that comes with it
	reused  bool           // the refusal is that the key was used for another request
	asked   []string       // changes: method, path and body
	reason  string         // of the last change
	alone   bool           // no other operator is active
	failed  int            // failed orders before the changes; each change fixes one

	fourEyes bool // acts outside any program need a second operator
}

// Do returns responses from the table.
func (f *fakeInterface) Do(_ context.Context, r admin.Request) (admin.Result, error) {
	address := r.Path
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	if r.Whole {
		address = "whole " + r.Path
	}
	if r.Method != http.MethodGet {
		body, err := r.Sender.ReadBodyOf(MaxBodyBytes)
		if err != nil {
			return admin.Result{}, err
		}
		f.asked, f.reason = append(f.asked, r.Method+" "+address+" "+r.IfMatch+" "+string(body)), r.Reason
		if f.refuse != nil {
			return admin.Result{Location: f.created, Replayed: f.reused}, converted[*web.Problem](f.refuse)
		}
	}
	for _, key := range []string{address, r.Path} {
		if value, ok := f.answers[key]; ok {
			if refusal, ok := value.(*wire.Problem); ok {
				return admin.Result{}, converted[*web.Problem](refusal)
			}
			if text, ok := value.(string); ok {
				return admin.Result{Raw: &web.Response{Body: []byte(text)}}, nil
			}
			changes := converted[struct{ Changes []wire.Change }](value).Changes
			return admin.Result{
				Status: http.StatusOK, Value: value, Changes: changes,
				NeedsOther: strings.HasSuffix(r.Path, "/erase") || r.Path == "programs/1",
			}, nil
		}
	}
	if r.Query.Has("dryRun") {
		return admin.Result{Status: http.StatusOK}, nil
	}
	return admin.Result{}, web.NotFound()
}

// Frame returns a frame with the lists of the table.
func (f *fakeInterface) Frame(context.Context, operator.Identity) (admin.Frame, error) {
	var frame admin.Frame
	frame.Banks = f.answers["banks"].(wire.List[wire.Bank]).Items
	for _, p := range f.answers["programs"].(wire.List[wire.Program]).Items {
		frame.Programs = append(frame.Programs, admin.ProgramName{
			ID: p.ID, BankID: p.BankID, Name: p.Name, FourEyes: p.FourEyes,
			TimeZone:     converted[string](p.Settings["timeZone"]),
			DecimalCount: converted[int](p.Settings["decimalCount"]),
		})
	}
	frame.FourEyes = f.fourEyes
	if !f.alone {
		frame.Others = []operator.Identity{{
			ID: 2, Name: "bob", Roles: operator.Roles{operator.Administrator},
			Scope: operator.Scope{All: true},
		}}
	}
	if list, ok := f.answers["approvals"].(wire.List[wire.Approval]); ok {
		frame.Waiting = list.Items
	}
	if f.failed > 0 {
		frame.FailedOrders = f.failed - len(f.asked)
	}
	return frame, nil
}

// converted returns value as another type with the same JSON, or the zero value.
func converted[A any](value any) A {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	var other A
	_ = json.Unmarshal(text, &other) // fails for a list, which has no changes
	return other
}

// RoundTrip returns responses from the table.
func (f *fakeInterface) RoundTrip(r *http.Request) (*http.Response, error) {
	path := strings.TrimPrefix(r.URL.EscapedPath(), controls.Prefix)
	if r.Method != http.MethodGet {
		body := []byte{}
		if r.Body != nil {
			body, _ = io.ReadAll(r.Body)
		}
		request := path
		if r.URL.RawQuery != "" {
			request += "?" + r.URL.RawQuery
		}
		f.asked = append(f.asked, r.Method+" "+request+" "+r.Header.Get("If-Match")+" "+string(body))
		if f.refuse != nil {
			return answered(f.refuse.Status, "application/problem+json", f.refuse), nil
		}
	}
	for _, key := range []string{path + "?" + r.URL.RawQuery, path} {
		if answer, ok := f.answers[key]; ok {
			return answered(http.StatusOK, "application/json", answer), nil
		}
	}
	return answered(http.StatusNotFound, "application/problem+json", notFound()), nil
}

func answered(status int, kind string, body any) *http.Response {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {kind}},
		Body: io.NopCloser(bytes.NewReader(text)),
	}
}

// fakePeople has one operator, who is signed in until the session ends.
type fakePeople struct {
	signedOut bool
	ended     int
	begun     int
	stranger  bool // the browser was last used by another operator
	roles     operator.Roles
}

func (p *fakePeople) Who(context.Context) (operator.Identity, bool, error) {
	return operator.Identity{
		Name: "operator", Roles: p.roles, Scope: operator.Scope{All: true},
	}, !p.signedOut, nil
}

func (p *fakePeople) Begin(context.Context, operator.Identity) error {
	p.signedOut = false
	p.begun++
	return nil
}

func (p *fakePeople) End(context.Context, auth.From) error {
	p.signedOut = true
	p.ended++
	return nil
}

func (p *fakePeople) SignIn(
	_ context.Context, by auth.SignInRequest,
) (operator.Identity, error) {
	switch {
	case by.Name == "hasty":
		return operator.Identity{}, &auth.TooManyError{RetryAfter: 7 * time.Minute}
	case by.Password.Reveal() != "operator":
		return operator.Identity{}, auth.ErrSignIn
	}
	return operator.Identity{Name: by.Name}, nil
}

func (p *fakePeople) NewDevice(int) (secret.Text, error) { return secret.New("known"), nil }

func (p *fakePeople) Knows(secret.Text, int) bool { return !p.stranger }

func (p *fakePeople) SignInClaimed(
	_ context.Context, claimed auth.Claimed,
) (operator.Identity, error) {
	return operator.Identity{Name: claimed.Name}, nil
}

func (p *fakePeople) Invitation(_ context.Context, link secret.Text) (auth.Invitation, error) {
	if link.Reveal() != "welcome" {
		return auth.Invitation{}, auth.ErrInvitation
	}
	return auth.Invitation{
		Name: "maren", CodeSecret: secret.New("JBSWY3DPEHPK3PXP"),
		CodeAddress: secret.New("otpauth://totp/Mintmark:maren?secret=JBSWY3DPEHPK3PXP"),
	}, nil
}

func (p *fakePeople) Accept(
	_ context.Context, acceptRequest auth.AcceptRequest,
) (operator.Identity, error) {
	if acceptRequest.Code != "123456" {
		return operator.Identity{}, auth.ErrSignIn
	}
	return operator.Identity{Name: "maren"}, nil
}

// at is the time at which the pages of the tests are viewed.
var at = time.Date(2026, 2, 9, 15, 14, 7, 0, time.UTC)

// problemOf returns a problem of the interface, with an error for one member if pointer is set.
func problemOf(status int, name, pointer, detail string) *wire.Problem {
	p := &wire.Problem{
		Type: "/problems/" + name, Title: http.StatusText(status), Status: status, RequestID: "r-1",
	}
	if pointer != "" {
		p.Errors = []wire.MemberError{{Pointer: pointer, Detail: detail}}
	}
	return p
}

// world is a console over a fake interface.
type world struct {
	*fakeInterface
	controls *fakeInterface // of the sandbox
	people   *fakePeople
	http.Handler
}

// newWorld returns a console for an operator with roles.
func newWorld(t testing.TB, sandbox bool, roles ...string) *world {
	t.Helper()
	return newWorldWith(t, nil, sandbox, roles...)
}

// newWorldWith is newWorld with a sign-in provider.
func newWorldWith(t testing.TB, provider OpenID, sandbox bool, roles ...string) *world {
	t.Helper()
	w := &world{
		fakeInterface: &fakeInterface{answers: fixtures()},
		controls:      &fakeInterface{answers: sandboxAnswers()}, people: &fakePeople{},
	}
	for _, role := range roles {
		w.people.roles = append(w.people.roles, operator.Role(role))
	}
	settings := Settings{
		Sessions: w.people, Operators: w.people, OpenID: provider, Clock: clock.FrozenAt(at),
		About: About{Sandbox: sandbox, Node: "node-b", Version: "1.4.2"},
		Desk:  w.fakeInterface,
	}
	if sandbox {
		settings.Sandbox = &Sandbox{
			Client: func(*web.Exchange) *controls.Client {
				return controls.Over(w.controls, "http://console.invalid")
			},
			Routes: []string{"/program/get", "/card/lock"},
		}
	}
	c := New(settings)
	host := web.NewHost(slog.New(slog.DiscardHandler), func() string {
		return "f2a6d790-1e43-4c8a-93b7-6b5d0e8c7a12"
	}, web.Settings{BodyLimit: MaxBodyBytes})
	w.Handler = host.Handler(c)
	return w
}

// get requests a page as a signed-in operator.
func (w *world) get(path string) *httptest.ResponseRecorder {
	return w.do(http.MethodGet, path, nil)
}

// post sends a form as a signed-in operator.
func (w *world) post(path string, form url.Values) *httptest.ResponseRecorder {
	return w.do(http.MethodPost, path, form)
}

func (w *world) do(method, path string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	answer := &deadlineRecorder{httptest.NewRecorder()}
	w.ServeHTTP(answer, r)
	return answer.ResponseRecorder
}

// deadlineRecorder is a recorder that accepts deadlines, as a connection does.
type deadlineRecorder struct{ *httptest.ResponseRecorder }

func (deadlineRecorder) SetReadDeadline(time.Time) error  { return nil }
func (deadlineRecorder) SetWriteDeadline(time.Time) error { return nil }
