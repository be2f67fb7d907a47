package console

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// TestSignInRedirect checks that a visitor is redirected to the sign-in page, and from there to the
// requested page.
func TestSignInRedirect(t *testing.T) {
	w := newWorld(t, true, "administrator")
	w.people.signedOut = true
	answer := w.get("/console/cards?q=ada")
	want := "/console/sign-in?to=%2Fconsole%2Fcards%3Fq%3Dada"
	if got := answer.Header().Get("Location"); answer.Code != http.StatusSeeOther || got != want {
		t.Errorf("led to %q by %d, want %q", got, answer.Code, want)
	}
	signedIn := w.post(want, url.Values{"name": {"operator"}, "password": {"operator"}})
	if got := signedIn.Header().Get("Location"); got != "/console/cards?q=ada" {
		t.Errorf("led to %q", got)
	}
	if w.people.signedOut {
		t.Error("no session has begun")
	}
}

// TestPolicy checks that the content security policy allows only the scripts that the page loads,
// and none before the sign-in. In production, scripts send no requests.
func TestPolicy(t *testing.T) {
	for _, sandbox := range []bool{true, false} {
		w := newWorld(t, sandbox, "administrator")
		answer := w.get("/console/")
		want := contentPolicy + "; script-src"
		loaded := regexp.MustCompile(`<script src="([^"]+)"`).FindAllStringSubmatch(answer.Body.String(), -1)
		for _, match := range loaded {
			text := w.get(match[1]).Body.Bytes()
			sum := sha256.Sum256(text)
			want += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
			if asks := bytes.Contains(text, []byte("fetch(")); asks && !sandbox {
				t.Errorf("%s asks the server in production", match[1])
			}
		}
		scripts := 1
		if sandbox {
			scripts, want = 2, want+"; connect-src 'self'"
		}
		got := answer.Header().Get("Content-Security-Policy")
		if len(loaded) != scripts || got != want {
			t.Errorf("%d scripts under %q, want %q", len(loaded), got, want)
		}
		if got := w.get("/console/sign-in").Header().Get("Content-Security-Policy"); got != contentPolicy {
			t.Errorf("the page to sign in on has %q", got)
		}
	}
}

// TestRedirectStaysWithin checks that signing in never redirects to another site.
func TestRedirectStaysWithin(t *testing.T) {
	for address, want := range map[string]string{
		"/console/cards?q=1":         "/console/cards?q=1",
		"https://evil.example/":      "/console/",
		"//evil.example/console/":    "/console/",
		"/console/../admin":          "/console/",
		"javascript:alert(1)":        "/console/",
		"/console/sign-in?to=/":      "/console/",
		"\\\\evil.example/console/x": "/console/",
		"":                           "/console/",
	} {
		if got := within(address); got != want {
			t.Errorf("%q leads to %q, want %q", address, got, want)
		}
	}
}

// TestForeignForms checks that forms from another site or without a browser's headers are refused,
// whatever the session.
func TestForeignForms(t *testing.T) {
	w := newWorld(t, true, "administrator")
	for name, header := range map[string]http.Header{
		"nothing": {}, "cross-site": {"Sec-Fetch-Site": {"cross-site"}},
		"same-site": {"Sec-Fetch-Site": {"same-site"}},
		"origin":    {"Origin": {"https://evil.example"}},
	} {
		r := httptest.NewRequest(http.MethodPost, "/console/sign-out", nil)
		r.Header = header
		answer := httptest.NewRecorder()
		w.ServeHTTP(answer, r)
		if answer.Code != http.StatusForbidden || w.people.ended > 0 {
			t.Errorf("%s: answered %d, ended %d", name, answer.Code, w.people.ended)
		}
	}
	if w.post("/console/sign-out", nil); w.people.ended != 1 {
		t.Errorf("a form of the console ends %d", w.people.ended)
	}
}

// TestLargeForms checks that large forms are read only from signed-in operators.
func TestLargeForms(t *testing.T) {
	w := newWorld(t, true, "support")
	w.answers["cards/5001/lock"] = cardAnswer()
	large := url.Values{"reason": {strings.Repeat("x", 1<<20)}, "name": {"operator"}}
	answer := w.post("/console/sign-in", large)
	if answer.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("the sign-in answers %d", answer.Code)
	}
	if answer := w.post("/console/cards/5001/lock", large); answer.Code != http.StatusSeeOther {
		t.Errorf("an act answers %d", answer.Code)
	}
	w.people.signedOut = true
	answer = w.post("/console/cards/5001/lock", large)
	if !strings.HasPrefix(answer.Header().Get("Location"), signInPath) {
		t.Errorf("signed out, an act answers %d", answer.Code)
	}
}

// TestRefusedSignIn checks that a refused sign-in does not say what was wrong, and that the page
// has the name but not the password.
func TestRefusedSignIn(t *testing.T) {
	w := newWorld(t, false, "administrator")
	form := url.Values{"name": {"ada"}, "password": {"canary-7"}, "code": {"1"}}
	answer := w.post("/console/sign-in", form)
	page := answer.Body.String()
	if answer.Code != http.StatusUnauthorized || !strings.Contains(page, `value="ada"`) {
		t.Errorf("answered %d: %s", answer.Code, page)
	}
	if strings.Contains(page, "canary-7") {
		t.Error("the page holds the password")
	}
	answer = w.post("/console/sign-in", url.Values{"name": {"hasty"}, "password": {"x"}})
	if answer.Code != http.StatusTooManyRequests || answer.Header().Get("Retry-After") != "420" {
		t.Errorf("answered %d, again after %q", answer.Code, answer.Header().Get("Retry-After"))
	}
}
