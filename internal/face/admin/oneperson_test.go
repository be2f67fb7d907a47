package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
	"mintmark/internal/importer/feed"
	"mintmark/internal/issuing/auth"
	"mintmark/internal/store"
)

// login is one way in which a person sends requests: a console session or a token.
type login struct {
	name    string
	session operator.Identity
	token   string
}

// signInWorld is a world with real sign-in: people sign in through a provider and create tokens.
type signInWorld struct {
	*world
	people   *auth.Operators
	sessions *sessions
}

// sessions authenticates console sessions by test tokens, in addition to the real tokens.
type sessions struct {
	*auth.Operators
	kept []operator.Identity
}

// open returns a token for a session.
func (s *sessions) open(who operator.Identity) string {
	s.kept = append(s.kept, who)
	return fmt.Sprintf("session-%d", len(s.kept))
}

// AuthenticateToken returns the identity of a session or a token.
func (s *sessions) AuthenticateToken(
	ctx context.Context, text string,
) (operator.Identity, bool, error) {
	var number int
	if _, err := fmt.Sscanf(text, "session-%d", &number); err == nil {
		return s.kept[number-1], true, nil
	}
	return s.Operators.AuthenticateToken(ctx, text)
}

func newSignInWorld(t *testing.T) *signInWorld {
	t.Helper()
	w := newWorld(t)
	people := auth.NewOperators(w.kept, w.keys, "Mintmark")
	sessions := &sessions{Operators: people}
	w.desk = NewDesk(w.acts, sessions, About{Environment: "sandbox", ConsoleURL: "http://localhost"})
	host := web.NewHost(slog.New(slog.DiscardHandler), uuid.NewString,
		web.Settings{BodyLimit: MaxBodyBytes})
	w.handler = host.Handler(New(w.desk))
	return &signInWorld{w, people, sessions}
}

// signIn signs a person in through the provider, with a subject and the current name.
func (h *signInWorld) signIn(subject, name string, roles ...operator.Role) login {
	h.t.Helper()
	who, err := h.people.SignInClaimed(h.t.Context(), auth.Claimed{
		Issuer: "https://issuer.example", Subject: subject, Name: name, Roles: roles,
		Scope: operator.Scope{All: true},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return login{name: "the session of " + name, session: who}
}

// send sends a request by one of a person's means.
func (h *signInWorld) send(
	by login, method, path, body string, header map[string]string,
) *httptest.ResponseRecorder {
	h.t.Helper()
	request := httptest.NewRequest(method, wire.Prefix+path, strings.NewReader(body))
	if by.token == "" {
		by.token = h.sessions.open(by.session)
	}
	request.Header.Set("Authorization", "Bearer "+by.token)
	for name, value := range header {
		request.Header.Set(name, value)
	}
	answer := deadlines{httptest.NewRecorder()}
	h.handler.ServeHTTP(answer, request)
	return answer.ResponseRecorder
}

// must is send for a request that must succeed.
func must[A any](h *signInWorld, by login, method, path, body string) A {
	h.t.Helper()
	answer := h.send(by, method, path, body, nil)
	var decoded A
	err := json.Unmarshal(answer.Body.Bytes(), &decoded)
	if answer.Code >= 300 || err != nil || answer.Code == http.StatusAccepted {
		h.t.Fatalf("%s: %s %s: %d %s, %v", by.name, method, path, answer.Code, answer.Body, err)
	}
	return decoded
}

// makeToken creates an administrator's token by one of a person's means.
func (h *signInWorld) makeToken(by login, name string) login {
	h.t.Helper()
	token := must[wire.Token](h, by, "POST", "tokens",
		`{"name":"`+name+`","roles":["administrator"],"allBanks":true,"reason":"r"}`)
	return login{name: "the token " + name, token: token.Token}
}

// guardedActs has, for each route that may need a second operator, a request that does need one.
// prepare creates the resources it refers to.
var guardedActs = map[string]struct{ path, body string }{
	"POST banks/{id}/encryption-keys":                {"banks/1/encryption-keys", `{"status":2}`},
	"PATCH banks/{id}/encryption-keys/{keyId}":       {"banks/3/encryption-keys/4", `{"status":2}`},
	"POST banks/{id}/encryption-keys/{keyId}/rotate": {"banks/1/encryption-keys/1/rotate", `{}`},
	"POST banks/{id}/bank-keys/{keyId}/retire":       {"banks/3/bank-keys/FIRST/retire", `{}`},
	"PATCH programs/{id}":                            {"programs/1", `{"fourEyes":false}`},
	"POST programs/{id}/keys": {"programs/1/keys",
		`{"name":"shop","allow":["::1"]}`},
	"PATCH programs/{id}/keys/{name}": {"programs/1/keys/example1",
		`{"allow":["::2"]}`},
	"POST programs/{id}/keys/{name}/rotate": {"programs/1/keys/example1/rotate", `{}`},
	"POST card-imports":                     {"card-imports", feed.CardsExample},
	"POST compromises": {"compromises?programId=1&name=breach&act=lock",
		"4111111111111111"},
	"POST compromises/{id}/pause": {"compromises/1/pause", `{}`},
	"POST cards/{id}/lock":        {"cards/5003/lock", `{"lockReasonTypeCode":"LST"}`},
	"POST cards/{id}/unlock":      {"cards/5002/unlock", `{}`},
	"POST orders/{id}/hold":       {"orders/LOCK/hold", `{}`},
	"POST orders/{id}/drop":       {"orders/LOCK/drop", `{}`},
	"POST customers/{id}/erase":   {"customers/1901/erase", `{}`},
	"POST holds/{id}/release":     {"holds/MONEY/release", `{}`},
	"POST operators": {"operators",
		`{"name":"grace","roles":["support"],"allBanks":true}`},
	"PATCH operators/{id}":       {"operators/EVE", `{"roles":["auditor"]}`},
	"POST operators/{id}/invite": {"operators/EVE/invite", `{}`},
	"POST operators/{id}/end":    {"operators/EVE/end", `{}`},
	"POST tokens": {"tokens",
		`{"name":"nightly","roles":["support"],"allBanks":true}`},
	"POST tokens/{id}/revoke": {"tokens/OLD/revoke", `{}`},
}

// prepare creates the resources of the guarded acts, and returns a replacer for their placeholders.
func (h *signInWorld) prepare(by login) *strings.Replacer {
	h.t.Helper()
	hold := h.authorize(5001, "asked", "25.00").HoldID
	const rotate = "banks/3/encryption-keys/4/rotate"
	first := must[wire.BankKey](h, by, "POST", rotate, `{"reason":"r"}`)
	must[wire.BankKey](h, by, "POST", rotate, `{"reason":"r"}`)
	must[wire.Customer](h, by, "POST", "customers", `{"id":1901,"programId":1,"status":"Verified",
		"access":"FULL","firstName":"Grace","lastName":"Example","birthDate":"1990-07-01"}`)
	eve := must[wire.Operator](h, by, "POST", "operators",
		`{"name":"eve","roles":["support"],"allBanks":true,"reason":"r"}`)
	old := must[wire.Token](h, by, "POST", "tokens",
		`{"name":"old","roles":["support"],"allBanks":true,"reason":"r"}`)
	must[wire.CardDetail](h, by, "POST", "cards/5001/lock",
		`{"lockReasonTypeCode":"ADM","reason":"r"}`)
	orders := must[wire.List[wire.Order]](h, by, "GET", "orders?cardId=5001", "").Items
	must[wire.Compromise](h, by, "POST", "compromises", `{"programId":1,"name":"shop","act":"lock",
		"reason":"r","numbers":["`+h.demoNumber()+`"]}`)
	return strings.NewReplacer("LOCK", orders[0].ID, "MONEY", hold, "FIRST", strconv.Itoa(first.ID), "EVE", strconv.Itoa(eve.ID),
		"OLD", strconv.Itoa(old.ID))
}

// requireFourEyes turns on four eyes everywhere.
func (h *signInWorld) requireFourEyesEverywhere() {
	h.t.Helper()
	err := h.kept.Update(h.t.Context(), func(tx store.Tx) error {
		p, err := tx.Programs().Find(1)
		p.FourEyes = true
		return errors.Join(err, tx.Programs().Put(p))
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.two = true
}

// TestPersonCannotApproveOwnRequest has one person request every guarded act by every means
// (sessions under two names, own tokens, tokens created by these tokens) and try to approve it by
// every other. All attempts fail, and another person's approval succeeds.
func TestPersonCannotApproveOwnRequest(t *testing.T) {
	h := newSignInWorld(t)
	before := h.signIn("u1", "mallory", operator.Administrator)
	own := h.makeToken(before, "own")
	tokens := h.makeToken(own, "own's own")
	third := h.makeToken(tokens, "own's own's own")
	other := h.signIn("u2", "bob", operator.Administrator)
	names := h.prepare(other)
	renamed := h.signIn("u1", "m. smith", operator.Administrator)
	if renamed.session.ID != before.session.ID || renamed.session.Name == before.session.Name {
		t.Fatalf("%+v was renamed to %+v", before.session, renamed.session)
	}
	all := []login{before, renamed, own, tokens, third}
	requests := 0
	for _, row := range h.desk.routes {
		if !row.FourEyes {
			continue
		}
		act, known := guardedActs[row.Method+" "+row.Path]
		if !known {
			t.Errorf("nothing asks for %s %s", row.Method, row.Path)
			continue
		}
		requests++
		h.requireFourEyesEverywhere()
		path := names.Replace(act.path)
		header := map[string]string{"Mintmark-Reason": "mine"}
		if row.Revision {
			header["If-Match"] = h.send(other, "GET", path, "", nil).Header().Get("ETag")
		}
		approval := ""
		for _, asker := range all {
			told := h.send(asker, row.Method, path, act.body, header)
			var problem wire.Problem
			err := json.Unmarshal(told.Body.Bytes(), &problem)
			if err != nil || problem.ApprovalID == 0 {
				t.Fatalf("%s asks for %s %s: %d %s", asker.name, row.Method, path, told.Code,
					told.Body)
			}
			approval = "approvals/" + strconv.Itoa(problem.ApprovalID)
			for _, approver := range all {
				answer := h.send(approver, "POST", approval+"/approve", `{"reason":"r"}`, nil)
				a := must[wire.Approval](h, approver, "GET", approval, "")
				if answer.Code != http.StatusForbidden || a.State != "waiting" ||
					a.MayEnd {
					t.Errorf("%s asks for %s %s, %s approves: %d %s, %+v", asker.name, row.Method,
						path, approver.name, answer.Code, answer.Body, a)
				}
			}
		}
		approved := must[wire.Approval](h, other, "POST", approval+"/approve", `{"reason":"r"}`)
		if approved.State != "done" || approved.ResultStatus >= 300 {
			t.Errorf("%s %s, which another person approves, is %+v", row.Method, path, approved)
		}
	}
	if requests != len(guardedActs) {
		t.Errorf("%d of %d guarded acts are rows", requests, len(guardedActs))
	}
}

// TestIdentitiesDiffer has a person and a token with the same ID send the same request with the
// same Idempotency-Key: each gets its own response, and the audit distinguishes them.
func TestIdentitiesDiffer(t *testing.T) {
	h := newSignInWorld(t)
	person := h.signIn("u1", "mallory", operator.Administrator)
	token := h.makeToken(person, "own")
	const body = `{"name":"q0","roles":["support"],"allBanks":true,"reason":"twice"}`
	once := map[string]string{"Idempotency-Key": "sk-0"}
	for i, by := range []login{person, token} {
		answer := h.send(by, "POST", "tokens", body, once)
		want := []int{http.StatusCreated, http.StatusConflict}[i] // the name is in use
		if answer.Code != want || answer.Header().Get("Idempotency-Replayed") != "" {
			t.Errorf("%s: %d %v %s", by.name, answer.Code, answer.Header(), answer.Body)
		}
	}
	page := must[wire.List[wire.Entry]](h, person, "GET", "audit", "")
	var got []string
	for _, e := range page.Items {
		if e.Reason == "twice" {
			got = append(got, fmt.Sprintf("%s %d %s: %s", e.Actor.Kind, e.Actor.ID, e.Actor.Name,
				e.Outcome))
		}
	}
	want := []string{"token 1 own: refused: conflict", "operator 1 mallory: created"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the audit (-want +got):\n%s", diff)
	}
	for query, count := range map[string]int{
		"operator:own": 0, "token:own": 1, "token:mallory": 0, "operator:mallory": 4,
	} {
		l := must[wire.List[wire.Entry]](h, person, "GET", "audit?actor="+query, "")
		if len(l.Items) != count {
			t.Errorf("%s has %d entries, want %d: %+v", query, len(l.Items), count, l.Items)
		}
	}
	me := must[wire.Me](h, token, "GET", "me", "")
	if me.ID != 1 || me.Kind != "token" {
		t.Errorf("the token is %+v", me)
	}
	mallory := wire.Actor{Kind: "operator", ID: 1, Name: "mallory"}
	listed := must[wire.List[wire.Token]](h, person, "GET", "tokens", "").Items
	for _, row := range listed {
		if row.Owner == nil || *row.Owner != mallory {
			t.Errorf("%s belongs to %+v", row.Name, row.Owner)
		}
	}
	if len(listed) != 2 {
		t.Errorf("%d tokens", len(listed))
	}
}

// TestNamesReadApart checks that no operator or token gets a name that looks like an existing one.
func TestNamesReadApart(t *testing.T) {
	h := newSignInWorld(t)
	ada := h.signIn("u1", "Ada", operator.Administrator)
	h.makeToken(ada, "nightly-1")
	for _, name := range []string{
		"Ada", "ada", "ADA", "\u0430\u0501\u0430", "\uff41\uff44\uff41", "nightly-1", "Nightly-l",
		"n\u0456ghtly-1", "ada\u202e", "a\u200dda", "a\u0000da", " ada",
	} {
		want := http.StatusConflict
		if strings.ContainsAny(name, "\u0456\u202e\u200d\u0000") || name[0] == ' ' {
			want = http.StatusUnprocessableEntity
		}
		text, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"tokens", "operators"} {
			answer := h.send(ada, "POST", path,
				`{"name":`+string(text)+`,"roles":["support"],"allBanks":true,"reason":"r"}`, nil)
			if answer.Code != want {
				t.Errorf("%s %q: %d %s", path, name, answer.Code, answer.Body)
			}
		}
		_, err = h.people.SignInClaimed(t.Context(), auth.Claimed{
			Issuer: "https://issuer.example", Subject: "u2", Name: name,
			Roles: operator.Roles{operator.Support}, Scope: operator.Scope{All: true},
		})
		if !errors.Is(err, auth.ErrSignIn) {
			t.Errorf("the provider calls somebody else %q: %v", name, err)
		}
	}
	h.signIn("u1", "ADA", operator.Administrator) // the owner of the name may change its spelling
	h.makeToken(ada, "\u043d\u043e\u0447\u044c")
}

// TestProviderWithdrawsInLists checks that the lists show when the provider no longer grants a
// person any role, and that this person's tokens are refused.
func TestProviderWithdrawsInLists(t *testing.T) {
	h := newSignInWorld(t)
	boss := h.signIn("u1", "boss", operator.Administrator)
	mallory := h.signIn("u2", "mallory", operator.Administrator)
	token := h.makeToken(mallory, "hers")
	_, err := h.people.SignInClaimed(t.Context(), auth.Claimed{
		Issuer: "https://issuer.example", Subject: "u2", Name: "mallory",
	})
	if !errors.Is(err, auth.ErrSignIn) {
		t.Fatalf("got %v", err)
	}
	for _, o := range must[wire.List[wire.Operator]](h, boss, "GET", "operators", "").Items {
		if want := map[string]string{"boss": "active", "mallory": "withdrawn"}[o.Name]; o.State !=
			want || (len(o.Roles) == 0) != (want == "withdrawn") {
			t.Errorf("%s is shown as %+v", o.Name, o)
		}
	}
	shown := must[wire.List[wire.Token]](h, boss, "GET", "tokens", "").Items
	if len(shown) != 1 || shown[0].State != "ended" {
		t.Errorf("the tokens are %+v", shown)
	}
	if answer := h.send(token, "GET", "me", "", nil); answer.Code != http.StatusUnauthorized {
		t.Errorf("the token is answered %d %s", answer.Code, answer.Body)
	}
}
