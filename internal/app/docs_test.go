package app

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"mintmark/internal/base/version"
	"mintmark/internal/face/openapi"
	"mintmark/internal/operate/installation"
	"mintmark/internal/testkit/testinstall"
)

// TestDocsAreServed fetches the description from both listeners of a sandbox, and of a production
// without a key in its store.
func TestDocsAreServed(t *testing.T) {
	for _, sandbox := range []bool{true, false} {
		data := t.TempDir()
		if !sandbox {
			testinstall.Init(t, installation.Location{Data: data})
		}
		running, err := Start(t.Context(), Settings{
			Sandbox: sandbox, Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0", Data: data,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := running.Close(t.Context()); err != nil {
				t.Logf("stop: %v", err)
			}
		})
		public := http.StatusOK
		if !sandbox {
			// Without a key every path is forbidden, known or not.
			public = http.StatusForbidden
		}
		for _, path := range []string{"/openapi.yaml", "/docs", "/docs/", "/docs/swagger-ui.css",
			"/docs/errors", "/docs/errors.css", "/docs/reference.css"} {
			if status, _ := fetch(t, "GET", running.URL()+path); status != public {
				t.Errorf("sandbox %v: %s is %d, want %d", sandbox, path, status, public)
			}
			if status, _ := fetch(t, "HEAD", running.AdminURL()+path); status != http.StatusOK {
				t.Errorf("sandbox %v: %s for operators is %d", sandbox, path, status)
			}
		}
		_, text := fetch(t, "GET", running.AdminURL()+"/openapi.yaml")
		if !strings.Contains(text, "servers:\n  - url: "+running.URL()+"\n") {
			t.Error("the operators' document does not say where the interface is")
		}
	}
}

// TestDocsLetNothingElsePast holds that every other request meets the JSON face.
func TestDocsLetNothingElsePast(t *testing.T) {
	face := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	})
	served := serveForTest(t, withDocs(face, docs(reference{server: here, tryable: true})))
	version := version.Current().Version
	want := openapi.DocumentOf(openapi.Service{Version: version, URL: "/"})
	if _, text := fetch(t, "GET", served+"/openapi.yaml"); text != string(want) {
		t.Error("the document that is served is not the one in the repository")
	}
	for _, request := range []string{
		"POST /openapi.yaml", "DELETE /docs", "GET /openapi.yaml/", "GET /docsx",
		"GET /OpenAPI.yaml", "GET /card/docs", "GET /", "OPTIONS /docs",
	} {
		method, path, _ := strings.Cut(request, " ")
		if status, _ := fetch(t, method, served+path); status != http.StatusTeapot {
			t.Errorf("%s is %d", request, status)
		}
	}
}

// TestDocsComeFromHere looks for external addresses that the page would load from.
func TestDocsComeFromHere(t *testing.T) {
	served := serveForTest(t, docs(reference{server: here, tryable: true}))
	_, page := fetch(t, "GET", served+"/docs")
	sources := regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(sources) < 3 {
		t.Errorf("the page loads only %q", sources)
	}
	for _, source := range sources {
		if !strings.HasPrefix(source[1], "/docs/") && source[1] != documentPath {
			t.Errorf("the page loads %s", source[1])
		}
		if status, _ := fetch(t, "GET", served+source[1]); status != http.StatusOK {
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

// TestDocsPolicyNamesTheInterface holds that the page may connect to the address that its forms
// send to.
func TestDocsPolicyNamesTheInterface(t *testing.T) {
	served := serveForTest(t, docs(reference{tryable: true, server: func(*http.Request) string {
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
	served, err := listen(serving{
		address: "127.0.0.1:0", handler: handler, limits: Limits{}.filled(),
		refuse: refuseOperator, log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := served.shutDown(t.Context()); err != nil {
			t.Logf("stop: %v", err)
		}
	})
	return served.url()
}

func fetch(t *testing.T, method, url string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// TestDocsNameTheCallersAddress holds that the forms on the operators' address send to the
// callers' address, and that in production there are no forms.
func TestDocsNameTheCallersAddress(t *testing.T) {
	everywhere := sandboxIn(dataDir(t))
	everywhere.Listen = "0.0.0.0:0"
	named := sandboxIn(dataDir(t))
	named.PublicURL = "https://cards.example"
	for _, settings := range []Settings{sandboxIn(dataDir(t)), everywhere, named} {
		running := start(t, settings)
		want := strings.Replace(running.URL(), "[::]", "127.0.0.1", 1)
		if settings.PublicURL != "" {
			want = settings.PublicURL
		}
		_, text := fetch(t, "GET", running.AdminURL()+"/openapi.yaml")
		if !strings.Contains(text, "servers:\n  - url: "+want+"\n") {
			t.Errorf("the document does not send to %s", want)
		}
		response, err := http.Get(running.AdminURL() + "/docs")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		policy := response.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "; connect-src 'self' "+want+";") {
			t.Errorf("the policy does not let the page send to %s: %s", want, policy)
		}
		stop(t, running)
	}
}

func TestDocsWithoutForms(t *testing.T) {
	t.Parallel()
	callers := func(*http.Request) string { return "https://cards.example" }
	for _, tryable := range []bool{true, false} {
		served := serveForTest(t, docs(reference{server: callers, tryable: tryable}))
		_, page := fetch(t, "GET", served+"/docs")
		_, document := fetch(t, "GET", served+"/openapi.yaml")
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

// TestDocsSayTheVersion checks the title and the heading.
func TestDocsSayTheVersion(t *testing.T) {
	t.Parallel()
	version := version.Current().Version
	served := serveForTest(t, docs(reference{server: here, tryable: true}))
	_, page := fetch(t, "GET", served+"/docs")
	if !strings.Contains(page, "<title>Mintmark "+version+"</title>") {
		t.Error("the tab does not say the version")
	}
	_, document := fetch(t, "GET", served+"/openapi.yaml")
	if !strings.Contains(document, "\n  title: Mintmark "+version+"\n") {
		t.Error("the heading does not say the version")
	}
}

// TestDocsOfASandbox holds what the page of a sandbox has beside that of production.
func TestDocsOfASandbox(t *testing.T) {
	t.Parallel()
	for _, sandbox := range []bool{true, false} {
		served := serveForTest(t, docs(reference{server: here, tryable: sandbox, sandbox: sandbox}))
		_, page := fetch(t, "GET", served+"/docs/")
		_, document := fetch(t, "GET", served+"/openapi.yaml")
		for text, in := range map[string]string{
			`<script src="/docs/sandbox.js"></script>`: page, "onComplete: signIn": page,
			"requestInterceptor: ownCard": page, "## Demo data": document,
			"| `example1:example1` | version 1, program 1 |": document,
			"| `5001` | Verified, of customer 1001,":         document,
		} {
			if strings.Contains(in, text) != sandbox {
				t.Errorf("sandbox %t: the page has %s: %t", sandbox, text, !sandbox)
			}
		}
	}
}

// TestBrowserAtTheRoot holds that a browser which opens the callers' address is led to its
// description, and that a program is answered as at any unknown path.
func TestBrowserAtTheRoot(t *testing.T) {
	t.Parallel()
	face := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) })
	served := withDocs(face, http.NotFoundHandler())
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
		leads := answer.Header().Get("Location") == docsPath
		if answer.Code != c.status || leads != (c.status == 302) {
			t.Errorf("%+v: %d %v", c, answer.Code, answer.Header())
		}
	}
}

// TestHostNeverReachesThePolicy sends Host headers that must not appear in the policy.
func TestHostNeverReachesThePolicy(t *testing.T) {
	everywhere := sandboxIn(dataDir(t))
	everywhere.Listen = "0.0.0.0:0"
	running := start(t, everywhere)
	defer stop(t, running)
	for _, host := range []string{"a;script-src", "a'", "a,b", "", "[::1", "a b"} {
		got := running.publicURL(&http.Request{Host: host})
		if got != running.URL() {
			t.Errorf("the host %q leads to %s", host, got)
		}
	}
}
