package app

import (
	"mintmark/internal/testkit/testrun"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// TestPinKeyIsGivenOut fetches the PIN key from the operators' address without credentials. On the
// callers' address the path is an unknown route.
func TestPinKeyIsGivenOut(t *testing.T) {
	running := start(t, sandboxIn(dataDir(t)))
	defer stop(t, running)
	want, err := os.ReadFile(filepath.Join(running.Data, "pin-public.pem"))
	if err != nil {
		t.Fatal(err)
	}
	status, text := testrun.Fetch(t, http.MethodGet, running.AdminURL()+"/pin-key.pem")
	if status != http.StatusOK || text != string(want) {
		t.Errorf("the answer is %d, %q, want %q", status, text, want)
	}
	if status, _ := request(t, running, "/pin-key.pem", ""); status != http.StatusNotFound {
		t.Errorf("callers are answered %d", status)
	}
	if status, _ := testrun.Fetch(t, http.MethodPost, running.AdminURL()+"/pin-key.pem"); status != 405 {
		t.Errorf("a POST is answered %d", status)
	}
}
