package console

import (
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	wire "mintmark/client/admin"
	"mintmark/internal/base/pan"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/signin"
	"mintmark/internal/issuing/auth"
)

// fakeProvider is an OpenID Connect provider that needs no network.
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

// TestProvider checks that browsers are sent to the provider and back. The page after that
// redirects within the console only.
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

// TestFormAfterTheSession checks that a form sent after the end of its session is retained in the
// sign-in page, and then shown again, filled in, to the same operator. Signing in does not submit
// it, and it never contains a secret or a card number (PAN).
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
	if to := quotedAfter(page, `method="post" action="`); to != path || len(shown) != 5 {
		t.Errorf("signed in, the page leads to %s with %v", to, shown)
	}
	page = w.post(path, shown).Body.String()
	for _, want := range []string{
		`value="STL" checked`, "lost &lt;by&gt; post</textarea>", `name="revision" value="3"`,
		"nothing of this form was carried out", "what you entered in: Note; Password.",
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

// afterSession sends a form after the end of its session, signs in, and returns the page with the
// form.
func afterSession(w *world, path string, form url.Values) (page string) {
	w.people.signedOut = true
	signIn := w.post(path, form).Body.String()
	in := url.Values{
		"name": {"operator"}, "password": {"operator"},
		"kept": {quotedAfter(signIn, `name="kept" value="`)},
	}
	shown, _ := formOf(w.post(quotedAfter(signIn, `method="post" action="`), in).Body.String())
	return w.post(path, shown).Body.String()
}

// TestUnkeptFieldStays checks that a field that may contain a card number (PAN) returns after the
// sign-in with its saved value and is named, so that a form about something else does not clear it.
// If the form is stale, the page still knows which value the operator saw.
func TestUnkeptFieldStays(t *testing.T) {
	t.Parallel()
	const path = "/console/customers/1001/edit"
	w := newSetupWorld(t, "support")
	customer := ada()
	customer.MobilePhone = "+491511234567"
	for digit := '0'; !pan.MayContain(customer.MobilePhone); digit++ {
		customer.MobilePhone = "+491511234567" + string(digit)
	}
	w.answers["customers/1001"] = customer
	form, _ := formOf(w.get(path).Body.String())
	form.Set("firstName", "Ida")
	form.Set("lastName", "4111 1111 1111 1111")
	page := afterSession(w, path, form)
	if want := "Fill in again what you entered in: Last name; Mobile phone."; !strings.Contains(page, want) {
		t.Errorf("the page does not say %q: %s", want, page)
	}
	form, _ = formOf(page)
	was, err := url.ParseQuery(form.Get("was"))
	if err != nil || form.Get("mobilePhone") != customer.MobilePhone ||
		was.Get("mobilePhone") != customer.MobilePhone || was.Get("lastName") != "Merrill" {
		t.Errorf("the form comes back as %v, error %v", form, err)
	}
	w.post(path, form)
	if want := []string{`PATCH customers/1001 "2" {"firstName":"Ida"}`}; !slices.Equal(w.asked, want) {
		t.Errorf("asked %q, want %q", w.asked, want)
	}
	customer.LastName = "Stone"
	w.answers["customers/1001"] = customer
	w.refuse = problemOf(http.StatusPreconditionFailed, wire.Stale, "", "")
	page = w.post(path, form).Body.String()
	if !strings.Contains(page, "Last name: now “Stone”") || strings.Contains(page, "Mobile phone: ") {
		t.Errorf("of a stale form, the page says %s", page)
	}
}

// soundsSecret matches names of members that are probably secrets.
var soundsSecret = regexp.MustCompile(`(?i)secret|passw|passphrase|token$|^pin$|otp|^link$|^numbers$`)

// TestSecretsAreNotKept checks that each member that sounds like a secret is marked as one, and
// that no form retained after its session contains one.
func TestSecretsAreNotKept(t *testing.T) {
	t.Parallel()
	form := url.Values{"reason": {"lost"}}
	for _, r := range admin.Resources() {
		secrets := secretNames([]*admin.Resource{r})
		for _, op := range r.Ops() {
			names := slices.Clone(op.Once)
			if op.Request != nil {
				names = slices.AppendSeq(names, maps.Keys(strictjson.Fields(op.Request)))
			}
			for _, name := range names {
				if soundsSecret.MatchString(name) && !slices.Contains(secrets, name) {
					t.Errorf("%s %s: the member %s is not marked as a secret", r.Noun, op.Name, name)
				}
			}
		}
		for _, name := range secrets {
			form.Set(name, "canary-7")
		}
	}
	w := newSetupWorld(t, "support")
	w.people.signedOut = true
	for i, row := range New(Settings{}).rows {
		if !row.again {
			continue
		}
		path := Prefix + regexp.MustCompile(`{[^}]+}`).ReplaceAllString(row.path, "1")
		page := w.post(path, form).Body.String()
		if !strings.Contains(page, "finds it filled in") || strings.Contains(page, "canary-7") {
			t.Errorf("row %d: after the session, %s leads to %s", i, path, page)
		}
	}
}

// quotedAfter returns the quoted text after the beginning of an attribute.
func quotedAfter(page, beginning string) string {
	_, text, _ := strings.Cut(page, beginning)
	text, _, _ = strings.Cut(text, `"`)
	return html.UnescapeString(text)
}

// TestFormLostWithTheSession checks that a form that cannot be shown again redirects to a sign-in
// page that says so, and from there to the page of the form, if there is one.
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

// TestBrokenProvider checks that the sign-in page offers the break-glass account if the provider
// fails.
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

// TestInvitation checks that an invitation sets up a sign-in only with the correct code of the
// device.
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
