package app

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"mintmark/internal/face/web"
)

// TestAdminProblems checks that the operators' address answers unknown paths and methods with a
// problem, and still serves the docs and probes.
func TestAdminProblems(t *testing.T) {
	running := start(t, sandboxIn(dataDir(t)))
	defer stop(t, running)
	for _, row := range []struct {
		method, path string
		status       int
		kind         string
	}{
		{"GET", "/nowhere", 404, "/problems/not-found"},
		{"GET", "/docs/nowhere", 404, "/problems/not-found"},
		{"POST", "/healthz", 405, "/problems/method-not-allowed"},
		{"GET", "/healthz", 204, ""},
		{"GET", "/docs/errors", 200, ""},
		{"GET", "/admin/openapi.yaml", 200, ""},
		{"GET", "/admin/docs", 200, ""},
		{"GET", "/admin/docs/reference.css", 404, "/problems/not-found"},
		{"GET", "/", 302, ""},
		{"GET", "/admin/v1/me", 401, "/problems/not-signed-in"},
		{"GET", "/admin/v1/nowhere", 401, "/problems/not-signed-in"},
		{"POST", "/admin/v1/cards/5001/lock", 401, "/problems/not-signed-in"},
	} {
		request, err := http.NewRequestWithContext(t.Context(), row.method,
			running.AdminURL()+row.path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		got, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(got.Body)
		got.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if got.StatusCode != row.status {
			t.Errorf("%s %s is answered %d, want %d", row.method, row.path, got.StatusCode,
				row.status)
		}
		if row.kind == "" {
			continue
		}
		var problem web.Problem
		if err := json.Unmarshal(text, &problem); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if problem.Type != row.kind || problem.Status != row.status || problem.RequestID == "" ||
			got.Header.Get("Content-Type") != web.ProblemType {
			t.Errorf("%s %s: %s with %v", row.method, row.path, text, got.Header)
		}
	}
}
