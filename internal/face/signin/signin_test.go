package signin_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/oauth2-proxy/mockoidc"

	"mintmark/internal/base/clock"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/signin"
	"mintmark/internal/issuing/auth"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testworld"
)

// site is a console that only has sign-in, with a browser.
type site struct {
	t        *testing.T
	kept     store.Store
	clock    *clock.Clock
	people   *auth.Operators
	sessions *signin.Sessions
	openID   *signin.OpenID
	server   *httptest.Server
	browser  *http.Client
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, clock: clock.FrozenAt(testworld.Start)}
	s.kept = testworld.Memory(t, s.clock)
	s.people = auth.NewOperators(s.kept, testworld.Keys(t), "Mintmark")
	s.sessions = signin.NewSessions(s.people)
	hash, err := auth.HashPassword(secret.New("ada"), true)
	if err != nil {
		t.Fatal(err)
	}
	err = s.kept.Update(t.Context(), func(tx store.Tx) error {
		ada := operator.Person{
			Name: "ada", Roles: operator.Roles{operator.Support}, State: operator.Active,
			Scope: operator.Scope{All: true}, Created: tx.Now(),
		}
		return errors.Join(tx.Operators().Put(&ada),
			tx.Operators().PutCredential(operator.Credential{PersonID: 1, Password: hash}))
	})
	if err != nil {
		t.Fatal(err)
	}
	s.server = httptest.NewTLSServer(s.sessions.Handler(s.pages(), s.failed))
	t.Cleanup(s.server.Close)
	s.browser = s.newBrowser()
	return s
}

func (s *site) failed(_ http.ResponseWriter, _ *http.Request, err error) { s.t.Error(err) }

// newBrowser returns a browser without cookies.
func (s *site) newBrowser() *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return &http.Client{Transport: s.server.Client().Transport, Jar: jar}
}

// pages returns the sign-in pages of a console.
func (s *site) pages() http.Handler {
	mux := http.NewServeMux()
	begin := func(w http.ResponseWriter, r *http.Request, who operator.Identity, err error) {
		if err == nil {
			err = s.sessions.Begin(r.Context(), who)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
		}
	}
	mux.HandleFunc("POST /console/sign-in", func(w http.ResponseWriter, r *http.Request) {
		who, err := s.people.SignIn(r.Context(), auth.SignInRequest{
			Name: r.FormValue("name"), Password: secret.New(r.FormValue("password")),
		})
		begin(w, r, who, err)
	})
	mux.HandleFunc("POST /console/sign-out", func(_ http.ResponseWriter, r *http.Request) {
		if err := s.sessions.End(r.Context(), auth.From{}); err != nil {
			s.t.Error(err)
		}
	})
	mux.HandleFunc("GET /console/sign-in/openid/begin",
		func(w http.ResponseWriter, r *http.Request) {
			if err := s.openID.Begin(w, r, r.FormValue("next")); err != nil {
				http.Error(w, err.Error(), http.StatusBadGateway)
			}
		})
	mux.HandleFunc("GET "+signin.CallbackPath, func(w http.ResponseWriter, r *http.Request) {
		claimed, next, err := s.openID.Finish(w, r, auth.From{})
		var who operator.Identity
		if err == nil {
			who, err = s.people.SignInClaimed(r.Context(), claimed)
		}
		begin(w, r, who, err)
		fmt.Fprint(w, "on to "+next)
	})
	mux.HandleFunc("GET /console/", func(w http.ResponseWriter, r *http.Request) {
		who, open, err := s.sessions.Who(r.Context())
		if err != nil {
			s.t.Error(err)
		}
		if !open {
			http.Error(w, "nobody", http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, who.Name, who.Roles, who.Scope.All, who.Scope.Banks)
	})
	return mux
}

func (s *site) get(path string) string { return s.answer(s.browser.Get(s.server.URL + path)) }

func (s *site) post(path string, form url.Values) string {
	return s.answer(s.browser.PostForm(s.server.URL+path, form))
}

func (s *site) answer(response *http.Response, err error) string {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

func (s *site) want(what, got, want string) {
	s.t.Helper()
	if got != want {
		s.t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

var asAda = url.Values{"name": {"ada"}, "password": {"ada"}}

const signedInAs = "ada[support] true []"

// TestSession follows a session from the form to its end, and checks the cookie.
func TestSession(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.want("before", s.get("/console/"), "nobody")
	response, err := s.browser.PostForm(s.server.URL+"/console/sign-in", asAda)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	sent := response.Header.Get("Set-Cookie")
	for _, part := range []string{
		"__Host-mintmark=", "; Path=/", "; HttpOnly", "; Secure", "; SameSite=Strict",
	} {
		if !strings.Contains(sent, part) {
			t.Errorf("the cookie lacks %s: %s", part, sent)
		}
	}
	if strings.Contains(sent, "Domain") || strings.Contains(sent, "Expires") {
		t.Errorf("the cookie is %s", sent)
	}
	s.want("after", s.get("/console/"), signedInAs)
	s.clock.Advance(operator.SessionIdle - time.Second)
	s.want("used", s.get("/console/"), signedInAs)
	s.clock.Advance(operator.SessionIdle - time.Second)
	s.want("used again", s.get("/console/"), signedInAs)
	s.clock.Advance(operator.SessionIdle)
	s.want("idle", s.get("/console/"), "nobody")

	s.post("/console/sign-in", asAda)
	thief := s.newBrowser()
	address, err := url.Parse(s.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	thief.Jar.SetCookies(address, s.browser.Jar.Cookies(address))
	s.want("in", s.get("/console/"), signedInAs)
	s.post("/console/sign-out", nil)
	s.want("out", s.get("/console/"), "nobody")
	s.browser = thief
	s.want("with the cookie of a session that has ended", s.get("/console/"), "nobody")
}

// TestSessionOfASandbox checks that sessions age by machine time, not by business time, which a
// sandbox moves.
func TestSessionOfASandbox(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	machine := clock.FrozenAt(s.clock.Now())
	s.people.AgeSessions(machine.Now)
	s.post("/console/sign-in", asAda)
	s.clock.Advance(48 * time.Hour)
	s.want("business time is moved", s.get("/console/"), signedInAs)
	machine.Advance(operator.SessionIdle - time.Second)
	s.clock.Advance(-96 * time.Hour)
	s.want("used", s.get("/console/"), signedInAs)
	machine.Advance(operator.SessionIdle)
	s.want("idle", s.get("/console/"), "nobody")
}

// TestPlantedSession checks that a session cookie from before the sign-in is worthless after it.
func TestPlantedSession(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.post("/console/sign-in", asAda)
	address, err := url.Parse(s.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	planted := s.browser.Jar.Cookies(address)
	s.post("/console/sign-in", asAda)
	s.want("the new one", s.get("/console/"), signedInAs)
	s.browser = s.newBrowser()
	s.browser.Jar.SetCookies(address, planted)
	s.want("the planted one", s.get("/console/"), "nobody")
}

// TestOpenID signs in through a provider, with claims that give roles and with claims that give
// none, and tries forged callbacks.
func TestOpenID(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	provider, err := mockoidc.Run()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = provider.Shutdown() })
	settings := signin.Settings{
		Issuer: provider.Issuer(), ClientID: provider.ClientID,
		ClientSecret: secret.New(provider.ClientSecret), ConsoleURL: s.server.URL,
		Scopes: []string{"profile", "email", "groups"},
		Grants: []signin.Grant{
			{"desk", operator.Roles{operator.Support}, operator.Scope{Banks: []int{2}}},
			{"desk2", operator.Roles{operator.Auditor}, operator.Scope{Banks: []int{2}}},
			{"all", operator.Roles{operator.Administrator}, operator.Scope{All: true}},
		},
	}
	s.openID = signin.NewOpenID(settings)
	as := func(groups ...string) {
		provider.QueueUser(&mockoidc.MockUser{
			Subject: "7", PreferredUsername: "grace", Groups: groups,
		})
	}
	in := func(next string) string {
		return s.get("/console/sign-in/openid/begin?next=" + url.QueryEscape(next))
	}
	as("desk", "desk2", "something else")
	s.want("in", in("/console/cards?q=1"), "on to /console/cards?q=1")
	s.want("who", s.get("/console/"), "grace[support auditor] false [2]")
	as("all", "desk")
	s.want("another scope", in("https://evil.example/console/"), "on to /console/")
	s.want("who", s.get("/console/"), "grace[support] false [2]")
	as("nothing")
	if got := in(""); !strings.Contains(got, "no claim gives a role") {
		t.Errorf("without a role: %q", got)
	}
	for what, path := range map[string]string{
		"no way":        signin.CallbackPath + "?code=x&state=y",
		"nothing":       signin.CallbackPath,
		"another state": signin.CallbackPath + "?state=y&code=x",
	} {
		s.browser = s.newBrowser()
		if got := s.get(path); !strings.Contains(got, "failed") {
			t.Errorf("%s: %q", what, got)
		}
		s.want(what, s.get("/console/"), "nobody")
	}
}

// withProvider sets up a provider, whose group desk has the role support.
func (s *site) withProvider() *mockoidc.MockOIDC {
	s.t.Helper()
	provider, err := mockoidc.Run()
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = provider.Shutdown() })
	s.openID = signin.NewOpenID(signin.Settings{
		Issuer: provider.Issuer(), ClientID: provider.ClientID,
		ClientSecret: secret.New(provider.ClientSecret), ConsoleURL: s.server.URL,
		Scopes: []string{"profile", "groups"},
		Grants: []signin.Grant{
			{"desk", operator.Roles{operator.Support}, operator.Scope{All: true}},
		},
	})
	return provider
}

// TestOpenIDRefusals checks that a callback that does not match its sign-in is refused.
func TestOpenIDRefusals(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	provider := s.withProvider()
	// stopped goes to the provider, stops before the callback and returns its address.
	stopped := func() *url.URL {
		t.Helper()
		s.browser = s.newBrowser()
		var back *url.URL
		s.browser.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
			if strings.HasPrefix(r.URL.Path, signin.CallbackPath) {
				back = r.URL
				return http.ErrUseLastResponse
			}
			return nil
		}
		provider.QueueUser(&mockoidc.MockUser{
			Subject: "7", PreferredUsername: "grace", Groups: []string{"desk"},
		})
		s.get("/console/sign-in/openid/begin")
		if back == nil {
			t.Fatal("the provider does not send the browser back")
		}
		return back
	}
	back := stopped()
	query := back.Query()
	query.Set("state", "another")
	got := s.get(signin.CallbackPath + "?" + query.Encode())
	if !strings.Contains(got, "started elsewhere") {
		t.Errorf("another state: %q", got)
	}
	// The first attempt used up the cookie.
	if got := s.get(back.RequestURI()); !strings.Contains(got, "started elsewhere") {
		t.Errorf("after a failed try: %q", got)
	}
	// An ID token issued for another sign-in.
	back = stopped()
	s.changeNonce()
	if got := s.get(back.RequestURI()); !strings.Contains(got, "another sign-in") {
		t.Errorf("another nonce: %q", got)
	}
	// A code from another sign-in, with the browser's own state.
	foreign := stopped().Query().Get("code")
	own := stopped()
	query = own.Query()
	query.Set("code", foreign)
	if got := s.get(signin.CallbackPath + "?" + query.Encode()); !strings.Contains(got, "failed") {
		t.Errorf("a foreign code: %q", got)
	}
	s.want("who", s.get("/console/"), "nobody")
}

// TestProviderHangs checks that a hanging provider delays no request beyond its own deadline.
func TestProviderHangs(t *testing.T) {
	t.Parallel()
	reached, release := make(chan struct{}), make(chan struct{})
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(reached)
		<-release
		http.Error(w, "later", http.StatusServiceUnavailable)
	}))
	defer provider.Close()
	o := signin.NewOpenID(signin.Settings{Issuer: provider.URL})
	begin := func(ctx context.Context) error {
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/console/sign-in/openid/begin", nil)
		return o.Begin(httptest.NewRecorder(), r, "/console/")
	}
	first := make(chan error)
	go func() { first <- begin(t.Context()) }()
	<-reached
	ended, end := context.WithCancel(t.Context())
	end()
	if err := begin(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("beside a request that waits for the provider: %v", err)
	}
	close(release)
	if err := <-first; !errors.Is(err, signin.ErrOpenID) {
		t.Errorf("the provider refuses: %v", err)
	}
}

// TestOpenIDParty checks that an ID token for several clients must name the authorized party.
func TestOpenIDParty(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	provider := s.withProvider()
	var claims map[string]any // replace the provider's own
	issue := provider.Server.Handler
	provider.Server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != mockoidc.TokenEndpoint {
			issue.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		issue.ServeHTTP(answer, r)
		body := answer.Body.Bytes()
		if answer.Code == http.StatusOK {
			body = withClaims(t, provider, body, claims)
		}
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		w.WriteHeader(answer.Code)
		_, _ = w.Write(body)
	})
	own := provider.ClientID
	for what, row := range map[string]struct {
		claims map[string]any
		in     bool
	}{
		"one audience":       {nil, true},
		"the party as well":  {map[string]any{"azp": own}, true},
		"another party":      {map[string]any{"azp": "wiki"}, false},
		"two audiences":      {map[string]any{"aud": []string{own, "wiki"}}, false},
		"two, and the party": {map[string]any{"aud": []string{own, "wiki"}, "azp": own}, true},
		"two, of another party": {
			map[string]any{"aud": []string{"wiki", own}, "azp": "wiki"}, false,
		},
		"no text as the party": {map[string]any{"azp": 1}, false},
	} {
		claims, s.browser = row.claims, s.newBrowser()
		provider.QueueUser(&mockoidc.MockUser{
			Subject: "7", PreferredUsername: "grace", Groups: []string{"desk"},
		})
		got := s.get("/console/sign-in/openid/begin")
		if in := strings.HasPrefix(got, "on to"); in != row.in ||
			!in && !strings.Contains(got, "another client") {
			t.Errorf("%s: %q", what, got)
		}
	}
}

// withClaims adds claims to the ID token of a response, and signs it again.
func withClaims(
	t *testing.T, provider *mockoidc.MockOIDC, answer []byte, claims map[string]any,
) []byte {
	t.Helper()
	var issued map[string]any
	if err := json.Unmarshal(answer, &issued); err != nil {
		t.Fatal(err)
	}
	text, _ := issued["id_token"].(string)
	token, err := jose.ParseSignedCompact(text, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	err = json.Unmarshal(token.UnsafePayloadWithoutVerification(), &all)
	maps.Copy(all, claims)
	payload, also := json.Marshal(all)
	signer, third := jose.NewSigner(jose.SigningKey{
		Algorithm: jose.RS256, Key: provider.Keypair.PrivateKey,
	}, (&jose.SignerOptions{}).WithHeader("kid", token.Signatures[0].Header.KeyID))
	if err := errors.Join(err, also, third); err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	issued["id_token"], err = signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	answer, err = json.Marshal(issued)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// changeNonce changes the nonce in the cookie of a pending sign-in.
func (s *site) changeNonce() {
	s.t.Helper()
	address, err := url.Parse(s.server.URL)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, c := range s.browser.Jar.Cookies(address) {
		value, err := base64.RawURLEncoding.DecodeString(c.Value)
		if err != nil {
			s.t.Fatal(err)
		}
		other := strings.Replace(string(value), `"nonce":"`, `"nonce":"x`, 1)
		s.browser.Jar.SetCookies(address, []*http.Cookie{{
			Name: c.Name, Path: "/", Secure: true,
			Value: base64.RawURLEncoding.EncodeToString([]byte(other)),
		}})
	}
}
