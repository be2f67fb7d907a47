package e2e

import (
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/oauth2-proxy/mockoidc"
	"github.com/pquerna/otp/totp"

	"mintmark/client/admin"
)

// visitor is a minimal browser: it stores cookies, and follows no redirects.
type visitor struct {
	*testing.T
	server  string
	cookies map[string]string
}

// inProduction serves from an empty database with additional settings, and returns the operators'
// address.
func inProduction(t *testing.T, config, more string) (program *process, adminURL string) {
	t.Helper()
	configure(t, config, filepath.Join(filepath.Dir(config), "data"), more)
	initialize(t, "--config", config)
	program = serve(t, command(t, "serve", "--config", config), "serves on")
	_, adminURL, _ = strings.Cut(strings.TrimSpace(program.opening), "for operators on ")
	return program, adminURL
}

// send sends a request with a form, nil for a GET, and stores the cookies of the response.
func (v *visitor) send(address string, form url.Values, header ...string) (*http.Response, string) {
	v.Helper()
	if strings.HasPrefix(address, "/") {
		address = v.server + address
	}
	method, body := http.MethodGet, ""
	if form != nil {
		method, body = http.MethodPost, form.Encode()
	}
	request, err := http.NewRequestWithContext(v.Context(), method, address,
		strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", v.server)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	for name, value := range v.cookies {
		request.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		v.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		v.Fatal(err)
	}
	for _, cookie := range response.Cookies() {
		v.cookies[cookie.Name] = cookie.Value
	}
	return response, string(text)
}

// wantStatus sends a request and checks the status of the response.
func (v *visitor) wantStatus(
	what, path string, form url.Values, want int, header ...string,
) string {
	v.Helper()
	response, text := v.send(path, form, header...)
	if response.StatusCode != want {
		v.Errorf("%s: the status is %d, want %d: %.200s", what, response.StatusCode, want, text)
	}
	return text
}

var (
	linkPrinted   = regexp.MustCompile(`https://console\.example\.com(/console/invitation/\S+)`)
	tokenPrinted  = regexp.MustCompile(`mmo_[^\s<]+`)
	secretPrinted = regexp.MustCompile(`<code>([A-Z2-7]{32})</code>`)
)

// TestFirstOperator creates the first operator and a token on the machine, sets up the sign-in with
// the invitation link, and signs in. The log of the server must contain no secret of these.
func TestFirstOperator(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "mintmark.yaml")
	program, server := inProduction(t, config, "consoleUrl: https://console.example.com/\n")
	printed, code := run(t, "operator", "create", "ada", "--role", "administrator",
		"--config", config)
	link := linkPrinted.FindStringSubmatch(printed)
	if code != 0 || link == nil {
		t.Fatalf("operator create: exit code %d: %s", code, printed)
	}
	v := &visitor{t, server, map[string]string{}}
	page := v.wantStatus("the link", link[1], nil, http.StatusOK)
	shared := secretPrinted.FindStringSubmatch(page)
	if shared == nil {
		t.Fatalf("the page shows no secret: %s", page)
	}
	number := func(after time.Duration) string {
		number, err := totp.GenerateCode(shared[1], time.Now().Add(after))
		if err != nil {
			t.Fatal(err)
		}
		return number
	}
	const password = "correct horse battery"
	v.wantStatus("a form of another site", link[1], url.Values{"password": {password}},
		http.StatusForbidden, "Origin", "https://evil.example.com")
	v.wantStatus("a short password", link[1],
		url.Values{"password": {"short"}, "code": {number(0)}}, http.StatusUnprocessableEntity)
	v.wantStatus("set up", link[1],
		url.Values{"password": {password}, "code": {number(0)}}, http.StatusSeeOther)
	if page := v.wantStatus("signed in", "/console/", nil, http.StatusOK); !strings.Contains(
		page, "ada") {
		t.Error("the page does not say who has signed in")
	}
	v.wantStatus("the interface takes no session", "/admin/v1/me", nil, http.StatusUnauthorized)
	v.wantStatus("out", "/console/sign-out", url.Values{}, http.StatusSeeOther)
	again := &visitor{t, server, map[string]string{}}
	again.wantStatus("the link again", link[1], nil, http.StatusNotFound)
	again.wantStatus("in", "/console/sign-in", url.Values{
		"name": {"ada"}, "password": {password}, "code": {number(30 * time.Second)},
	}, http.StatusSeeOther)
	again.wantStatus("signed in again", "/console/", nil, http.StatusOK)
	v.failures()

	printed, code = run(t, "token", "create", "ci", "--role", "auditor", "--config", config)
	token := tokenPrinted.FindString(printed)
	if code != 0 || token == "" {
		t.Fatalf("token create: exit code %d: %s", code, printed)
	}
	me, err := admin.Get[admin.Me](t.Context(), admin.New(server, token), "me")
	if err != nil || me.Name != "ci" || me.Environment != "production" {
		t.Errorf("the token is %+v, %v", me, err)
	}
	for what, text := range map[string]string{
		"password": password, "link": strings.TrimPrefix(link[1], "/console/invitation/"),
		"secret of the codes": shared[1], "token": token,
		"session": again.cookies["__Host-mintmark"],
	} {
		if text == "" || strings.Contains(program.log.String(), text) {
			t.Errorf("the log has the %s %q", what, text)
		}
	}
}

// failures tries to sign in until the server responds with a delay.
func (v *visitor) failures() {
	v.Helper()
	wrong := url.Values{"name": {"eve"}, "password": {"wrong"}, "code": {"123456"}}
	for range 5 {
		v.wantStatus("a wrong password", "/console/sign-in", wrong, http.StatusUnauthorized)
	}
	response, _ := v.send("/console/sign-in", wrong)
	if response.StatusCode != http.StatusTooManyRequests ||
		response.Header.Get("Retry-After") == "" {
		v.Errorf("after five failures the answer is %d", response.StatusCode)
	}
}

// TestProviderSignsIn signs in through an OpenID Connect provider, once with a role and once
// without.
func TestProviderSignsIn(t *testing.T) {
	t.Parallel()
	provider, err := mockoidc.Run()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = provider.Shutdown() })
	const console = "https://console.example.com"
	_, server := inProduction(t, filepath.Join(t.TempDir(), "mintmark.yaml"),
		"consoleUrl: "+console+"\nopenid:\n  issuer: "+provider.Issuer()+
			"\n  clientId: "+provider.ClientID+"\n  clientSecret: "+provider.ClientSecret+
			"\n  scopes: [profile, groups]\n  grants: [{value: desk, roles: [support]}]\n")
	v := &visitor{t, server, map[string]string{}}
	signIn := func(group string) (*http.Response, string) {
		provider.QueueUser(&mockoidc.MockUser{
			Subject: "7", PreferredUsername: "grace", Groups: []string{group},
		})
		there, _ := v.send("/console/sign-in/begin?to=/console/cards", nil)
		back, _ := v.send(there.Header.Get("Location"), nil)
		path, known := strings.CutPrefix(back.Header.Get("Location"), console)
		if !known {
			t.Fatalf("the provider sends back to %q", back.Header.Get("Location"))
		}
		return v.send(path, nil)
	}
	response, page := signIn("nobody")
	if response.StatusCode != http.StatusForbidden {
		t.Errorf("without a role: %d %.200s", response.StatusCode, page)
	}
	// A redirect would be followed without the session.
	response, page = signIn("desk")
	if response.StatusCode != http.StatusOK || !strings.Contains(page, "/console/cards") {
		t.Fatalf("with a role: %d %.200s", response.StatusCode, page)
	}
	page = v.wantStatus("signed in", "/console/cards", nil, http.StatusOK)
	if !strings.Contains(page, "grace") {
		t.Errorf("the page does not say who has signed in: %.300s", page)
	}
}
