package app

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"mintmark/internal/app/sandboxed"
	"mintmark/internal/vault/signature"
)

// TestIdleConnections opens thousands of connections to the operators' address and leaves them
// idle. Health checks must still be answered, and a report of the card processor accepted.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	running := start(t, sandboxIn(dataDir(t)))
	defer stop(t, running)
	idle := func(count int) {
		for range count {
			conn, err := net.Dial("tcp", strings.TrimPrefix(running.AdminURL(), "http://"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { conn.Close() })
		}
	}
	idle(4000)
	const checks = 100
	for i := range checks {
		idle(1000 / checks)
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		answer, err := client.Get(running.AdminURL() + "/readyz")
		if err != nil {
			t.Fatalf("check %d: %v", i, err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusNoContent {
			t.Fatalf("check %d is answered %d", i, answer.StatusCode)
		}
	}
	body := fmt.Sprintf(`[{"reportId":"r-1","cardId":5001,"kind":"delivered","at":%q}]`,
		time.Now().UTC().Format(time.RFC3339))
	signed, err := signature.Headers([]signature.Secret{sandboxed.ReportSecret}, "m-1", time.Now(),
		[]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		running.AdminURL()+"/processor/v1/reports", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range signed {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("a report is answered %d", answer.StatusCode)
	}
}
