package app

import (
	"net/http"
	"testing"
)

// TestDownloadsInTurn downloads a document more often than a key may at the same time: each
// response must free its slot.
func TestDownloadsInTurn(t *testing.T) {
	t.Parallel()
	running := start(t, sandboxIn(""))
	defer stop(t, running)
	for range 5 {
		status, text := request(t, running, "/bankdocument/download/en-US/80", "")
		if status != http.StatusOK {
			t.Fatalf("a download is answered %d, %s", status, text)
		}
	}
}
