package console

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"mintmark/internal/face/signin"
	"mintmark/internal/issuing/auth"
)

// fakeProvider is the way to a provider of OpenID Connect that needs no network.
type fakeProvider struct{ broken bool }

func (p fakeProvider) Begin(w http.ResponseWriter, r *http.Request, next string) error {
	if p.broken {
		return signin.ErrOpenID
	}
	http.Redirect(w, r, "https://provider.example/?next="+url.QueryEscape(next),
		http.StatusSeeOther)
	return nil
}

func (p fakeProvider) Finish(
	http.ResponseWriter, *http.Request, auth.From,
) (claimed auth.Claimed, next string, err error) {
	if p.broken {
		return auth.Claimed{}, "", signin.ErrOpenID
	}
	return auth.Claimed{Name: "maren"}, "https://evil.example/", nil
}

// TestProvider sends browsers to the provider and back. The page after that leads on by itself, and
// within the console only.
func TestProvider(t *testing.T) {
	w := newWorldWith(t, fakeProvider{}, false, "support")
	w.people.signedOut = true
	page := w.get("/console/sign-in?to=/console/cards").Body.String()
	link := "/console/sign-in/begin?to=%2fconsole%2fcards"
	if !strings.Contains(page, link) || !strings.Contains(page, "break-glass") {
		t.Errorf("the page does not lead to the provider: %s", page)
	}
	want := "https://provider.example/?next=%2Fconsole%2Fcards"
	if got := w.get(link).Header().Get("Location"); got != want {
		t.Errorf("led to %q, want %q", got, want)
	}
	back := w.get("/console/sign-in/openid?code=1").Body.String()
	if w.people.signedOut || !strings.Contains(back, `content="0; url=/console/"`) {
		t.Errorf("back from the provider: %s", back)
	}
}

// TestFormAfterTheSession holds that a form that comes too late is kept in the page to sign in on, and
// then shown again, filled in, to the operator who had signed in there. It is never carried out by that,
// and never holds a secret or a card number.
func TestFormAfterTheSession(t *testing.T) {
	t.Parallel()
	const path = "/console/cards/5001/lock?programId=1"
	form := url.Values{
		"reason": {"lost <by> post"}, "lockReasonTypeCode": {"STL"}, "revision": {"3"},
		"password": {"canary-7"}, "note": {"4111 1111 1111 1111"},
	}
	kept := func(w *world) (signedIn *httptest.ResponseRecorder) {
		t.Helper()
		w.people.signedOut = true
		answer := w.post(path, form)
		page := answer.Body.String()
		action := quotedAfter(page, `method="post" action="`)
		if answer.Code != http.StatusUnauthorized || !strings.Contains(page, "finds it filled in") ||
			strings.Contains(page, "canary-7") || strings.Contains(page, "4111") {
			t.Fatalf("answered %d: %s", answer.Code, page)
		}
		in := url.Values{"name": {"operator"}, "kept": {quotedAfter(page, `name="kept" value="`)}}
		page = w.post(action, in).Body.String() // without the password
		if quotedAfter(page, `name="kept" value="`) != in.Get("kept") {
			t.Errorf("a refused sign-in loses the form: %s", page)
		}
		in.Set("password", "operator")
		return w.post(action, in)
	}
	w := newWorld(t, false, "support")
	page := kept(w).Body.String()
	shown := url.Values{}
	for _, field := range regexp.MustCompile(`name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		shown.Add(field[1], html.UnescapeString(field[2]))
	}
	if to := quotedAfter(page, `method="post" action="`); to != path || len(shown) != 4 {
		t.Errorf("signed in, the page leads to %s with %v", to, shown)
	}
	page = w.post(path, shown).Body.String()
	for _, want := range []string{
		`value="STL" checked`, "lost &lt;by&gt; post</textarea>", `name="revision" value="3"`,
		"nothing of this form was carried out",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the form comes back without %s: %s", want, page)
		}
	}
	if len(w.asked) > 0 {
		t.Errorf("carried out: %v", w.asked)
	}
	w.people.stranger = true
	if got := kept(w).Header().Get("Location"); got != path {
		t.Errorf("another operator is led to %q", got)
	}
}

// quotedAfter is the text behind the beginning of an attribute of a page.
func quotedAfter(page, beginning string) string {
	_, text, _ := strings.Cut(page, beginning)
	text, _, _ = strings.Cut(text, `"`)
	return html.UnescapeString(text)
}

// TestFormLostWithTheSession holds that a form that cannot be shown again leads to a page to sign in on
// that says so, and from there to the page of the form, if it has one.
func TestFormLostWithTheSession(t *testing.T) {
	t.Parallel()
	const said = "Nothing of the form was carried out: fill it in again"
	w := newWorld(t, false, "support")
	w.people.signedOut = true
	for path, want := range map[string]string{
		"/console/search?programId=1": "/console/search?programId=1",
		"/console/approvals/7/result": "/console/",
	} {
		to := w.post(path, url.Values{"q": {"lost"}}).Header().Get("Location")
		if page := w.get(to).Body.String(); !strings.Contains(page, said) {
			t.Errorf("%s leads to %s: %s", path, to, page)
		}
		next := w.post(to, url.Values{"name": {"operator"}, "password": {"operator"}})
		if got := next.Header().Get("Location"); got != want {
			t.Errorf("after signing in again, %s leads to %q", path, got)
		}
		w.people.signedOut = true
	}
	for _, to := range []string{
		w.get("/console/cards").Header().Get("Location"),
		w.post("/console/sign-out", nil).Header().Get("Location"),
	} {
		if page := w.get(to).Body.String(); strings.Contains(page, said) {
			t.Errorf("%s: nothing was sent: %s", to, page)
		}
	}
	w = newWorldWith(t, fakeProvider{}, false, "support")
	w.people.signedOut = true
	if answer := w.post("/console/cards/5001/lock", nil); answer.Code != http.StatusSeeOther {
		t.Errorf("with a provider, a form answers %d", answer.Code)
	}
}

// TestBrokenProvider leaves the break-glass account.
func TestBrokenProvider(t *testing.T) {
	w := newWorldWith(t, fakeProvider{broken: true}, false, "support")
	w.people.signedOut = true
	for path, status := range map[string]int{
		"/console/sign-in/begin":  http.StatusServiceUnavailable,
		"/console/sign-in/openid": http.StatusBadGateway,
	} {
		answer := w.get(path)
		if answer.Code != status || !strings.Contains(answer.Body.String(), `name="password"`) {
			t.Errorf("%s answers %d", path, answer.Code)
		}
	}
	if !w.people.signedOut {
		t.Error("somebody is signed in")
	}
}

// TestInvitation sets up a sign-in once the code of the device is right.
func TestInvitation(t *testing.T) {
	w := newWorld(t, false, "support")
	w.people.signedOut = true
	picture := w.get("/console/invitation/welcome/code.png")
	if !strings.HasPrefix(picture.Body.String(), "\x89PNG") {
		t.Errorf("the picture is answered with %d", picture.Code)
	}
	form := url.Values{"password": {"correct horse battery"}, "code": {"000000"}}
	wrong := w.post("/console/invitation/welcome", form)
	if !strings.Contains(wrong.Body.String(), "The code is wrong") ||
		strings.Contains(wrong.Body.String(), "correct horse") || !w.people.signedOut {
		t.Errorf("a wrong code is answered %d", wrong.Code)
	}
	form.Set("code", "123456")
	right := w.post("/console/invitation/welcome", form)
	if got := right.Header().Get("Location"); got != "/console/" || w.people.signedOut {
		t.Errorf("the right code leads to %q", got)
	}
}
