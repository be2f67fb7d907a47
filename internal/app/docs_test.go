package app

import (
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"mintmark/internal/openapi"
)

// TestDocsAreServed asks both listeners of a sandbox, and those of a production without a key in
// its store, for the description.
func TestDocsAreServed(t *testing.T) {
	for _, sandbox := range []bool{true, false} {
		running, err := Start(t.Context(), Settings{
			Sandbox: sandbox, Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0", Data: t.TempDir(),
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
			// Nobody is known here, so nothing is told, not even that there is no such route.
			public = http.StatusForbidden
		}
		for _, path := range []string{"/openapi.yaml", "/docs", "/docs/", "/docs/swagger-ui.css"} {
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

// TestDocsLetNothingElsePast holds that everything but reading the description meets the face.
func TestDocsLetNothingElsePast(t *testing.T) {
	face := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	})
	served := serveForTest(t, withDocs(face))
	if _, text := fetch(t, "GET", served+"/openapi.yaml"); text != string(openapi.Document()) {
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

// TestDocsComeFromHere looks for addresses that the page would load something from.
func TestDocsComeFromHere(t *testing.T) {
	served := serveForTest(t, docs("/"))
	_, page := fetch(t, "GET", served+"/docs")
	sources := regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(sources) < 3 {
		t.Errorf("the page loads only %q", sources)
	}
	for _, source := range sources {
		if !strings.HasPrefix(source[1], "/docs/") {
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
	if policy := response.Header.Get("Content-Security-Policy"); !strings.HasPrefix(
		policy, "default-src 'self';") || strings.Contains(policy, "//") {
		t.Errorf("the policy lets the page load from elsewhere: %q", policy)
	}
}

func serveForTest(t *testing.T, handler http.Handler) string {
	t.Helper()
	served, err := listen(serving{
		address: "127.0.0.1:0", handler: handler, limits: Limits{}.filled(),
		log: slog.New(slog.DiscardHandler),
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
