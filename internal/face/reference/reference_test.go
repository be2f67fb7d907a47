package reference

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"mintmark/internal/base/version"
	"mintmark/internal/face/openapi"
	"mintmark/internal/testkit/testrun"
)

// TestDocsLetNothingElsePast checks that all other requests reach the JSON face.
func TestDocsLetNothingElsePast(t *testing.T) {
	face := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	})
	served := serveForTest(t, WithDescription(face, Callers(Page{Server: SameOrigin, Tryable: true})))
	version := version.Current().Version
	want := openapi.DocumentOf(openapi.Service{Version: version, URL: "/"})
	if _, text := testrun.Fetch(t, "GET", served+"/openapi.yaml"); text != string(want) {
		t.Error("the document that is served is not the one in the repository")
	}
	for _, request := range []string{
		"POST /openapi.yaml", "DELETE /docs", "GET /openapi.yaml/", "GET /docsx",
		"GET /OpenAPI.yaml", "GET /card/docs", "GET /", "OPTIONS /docs",
	} {
		method, path, _ := strings.Cut(request, " ")
		if status, _ := testrun.Fetch(t, method, served+path); status != http.StatusTeapot {
			t.Errorf("%s is %d", request, status)
		}
	}
}

// TestDocsComeFromHere checks that the page loads nothing from other servers.
func TestDocsComeFromHere(t *testing.T) {
	served := serveForTest(t, Callers(Page{Server: SameOrigin, Tryable: true}))
	_, page := testrun.Fetch(t, "GET", served+"/docs")
	sources := regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(sources) < 3 {
		t.Errorf("the page loads only %q", sources)
	}
	for _, source := range sources {
		if !strings.HasPrefix(source[1], "/docs/") && source[1] != DocumentPath {
			t.Errorf("the page loads %s", source[1])
		}
		if status, _ := testrun.Fetch(t, "GET", served+source[1]); status != http.StatusOK {
			t.Errorf("%s is %d", source[1], status)
		}
	}
	response, err := http.Get(served + "/docs")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	policy := response.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") ||
		!strings.HasSuffix(policy, "; frame-ancestors 'none'") {
		t.Errorf("the policy lets the page do too much: %q", policy)
	}
	for name, want := range map[string]string{
		"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff",
		"Referrer-Policy": "no-referrer",
	} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// TestDocsPolicyNamesTheInterface checks that the page may connect to the address to which its
// forms send requests.
func TestDocsPolicyNamesTheInterface(t *testing.T) {
	served := serveForTest(t, Callers(Page{Tryable: true, Server: func(*http.Request) string {
		return "https://cards.example:8443/base"
	}}))
	response, err := http.Get(served + "/docs")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	policy := response.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "; connect-src 'self' https://cards.example:8443;") {
		t.Errorf("the policy is %q", policy)
	}
}

func serveForTest(t *testing.T, handler http.Handler) string {
	t.Helper()
	served := httptest.NewServer(handler)
	t.Cleanup(served.Close)
	return served.URL
}

func TestDocsWithoutForms(t *testing.T) {
	t.Parallel()
	callers := func(*http.Request) string { return "https://cards.example" }
	for _, tryable := range []bool{true, false} {
		served := serveForTest(t, Callers(Page{Server: callers, Tryable: tryable}))
		_, page := testrun.Fetch(t, "GET", served+"/docs")
		_, document := testrun.Fetch(t, "GET", served+"/openapi.yaml")
		formless := strings.Contains(page, "supportedSubmitMethods: []")
		explained := strings.Contains(document, "No request can be sent from this page")
		askless := strings.Contains(page, `href="/docs/formless.css"`)
		if formless == tryable || explained == tryable || askless == tryable {
			t.Errorf("tryable %v: formless %v, explained %v, no credentials asked for %v",
				tryable, formless, explained, askless)
		}
		if !strings.Contains(document, "url: https://cards.example\n") {
			t.Error("the document does not say where the interface is")
		}
	}
}

// TestDocsSayTheVersion checks the version in the title and in the heading.
func TestDocsSayTheVersion(t *testing.T) {
	t.Parallel()
	version := version.Current().Version
	served := serveForTest(t, Callers(Page{Server: SameOrigin, Tryable: true}))
	_, page := testrun.Fetch(t, "GET", served+"/docs")
	if !strings.Contains(page, "<title>Mintmark "+version+"</title>") {
		t.Error("the tab does not say the version")
	}
	_, document := testrun.Fetch(t, "GET", served+"/openapi.yaml")
	if !strings.Contains(document, "\n  title: Mintmark "+version+"\n") {
		t.Error("the heading does not say the version")
	}
}

// TestBrowserAtTheRoot checks that a browser at the root of the callers' address is redirected to
// the reference, and that a program gets the response for any unknown path.
func TestBrowserAtTheRoot(t *testing.T) {
	t.Parallel()
	face := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) })
	served := WithDescription(face, http.NotFoundHandler())
	for _, c := range []struct {
		method, path, accept string
		status               int
	}{
		{"GET", "/", "text/html,*/*;q=0.8", 302}, {"GET", "/", "*/*", 401}, {"GET", "/", "", 401},
		{"POST", "/", "text/html", 401}, {"GET", "/program/get", "text/html", 401},
	} {
		answer := httptest.NewRecorder()
		request := httptest.NewRequest(c.method, c.path, http.NoBody)
		request.Header.Set("Accept", c.accept)
		served.ServeHTTP(answer, request)
		leads := answer.Header().Get("Location") == DocsPath
		if answer.Code != c.status || leads != (c.status == 302) {
			t.Errorf("%+v: %d %v", c, answer.Code, answer.Header())
		}
	}
}
