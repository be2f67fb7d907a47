package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mintmark/internal/app/sandboxed"
	"mintmark/internal/face/reference"
	"mintmark/internal/operate/installation"
	"mintmark/internal/testkit/testinstall"
	"mintmark/internal/testkit/testrun"
)

// TestDocsAreServed fetches the description from both listeners of a sandbox, and of a production
// installation without an API key.
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
			if status, _ := testrun.Fetch(t, "GET", running.URL()+path); status != public {
				t.Errorf("sandbox %v: %s is %d, want %d", sandbox, path, status, public)
			}
			if status, _ := testrun.Fetch(t, "HEAD", running.AdminURL()+path); status != http.StatusOK {
				t.Errorf("sandbox %v: %s for operators is %d", sandbox, path, status)
			}
		}
		_, text := testrun.Fetch(t, "GET", running.AdminURL()+"/openapi.yaml")
		if !strings.Contains(text, "servers:\n  - url: "+running.URL()+"\n") {
			t.Error("the operators' document does not say where the interface is")
		}
	}
}

// TestDocsNameTheCallersAddress checks that the forms on the operators' address send to the
// callers' address, and that the page's policy allows it.
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
		_, text := testrun.Fetch(t, "GET", running.AdminURL()+"/openapi.yaml")
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

// TestDocsOfASandbox checks what the page of a sandbox has in addition to that of production.
func TestDocsOfASandbox(t *testing.T) {
	t.Parallel()
	for _, sandbox := range []bool{true, false} {
		shown := reference.Page{Server: reference.SameOrigin, Tryable: sandbox}
		if sandbox {
			shown.Appendix = sandboxed.DemoAppendix()
		}
		served := httptest.NewServer(reference.Callers(shown))
		t.Cleanup(served.Close)
		_, page := testrun.Fetch(t, "GET", served.URL+"/docs/")
		_, document := testrun.Fetch(t, "GET", served.URL+"/openapi.yaml")
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
