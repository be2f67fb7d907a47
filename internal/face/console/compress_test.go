package console

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

// TestCompressed checks that a page is sent as Brotli or gzip to browsers that accept it, and
// uncompressed to others.
func TestCompressed(t *testing.T) {
	w := newWorld(t, true, "administrator")
	plain := w.get("/console/cards").Body.String()
	for accepted, want := range map[string]string{
		"gzip, deflate, br": "br", "br;q=0, gzip;q=0.8": "gzip", "gzip": "gzip", "br": "br",
		"": "", "gzip;q=0": "", "gzip; q=0.0, br ;q=0": "", "zstd": "",
	} {
		r := httptest.NewRequest(http.MethodGet, "/console/cards", nil)
		r.Header.Set("Accept-Encoding", accepted)
		answer := httptest.NewRecorder()
		w.ServeHTTP(&deadlineRecorder{answer}, r)
		var body io.Reader = answer.Body
		if answer.Header().Get("Content-Encoding") != want {
			t.Errorf("%q is answered with %v", accepted, answer.Header())
			continue
		}
		switch want {
		case "br":
			body = brotli.NewReader(body)
		case "gzip":
			var err error
			body, err = gzip.NewReader(body)
			if err != nil {
				t.Fatal(err)
			}
		}
		text, err := io.ReadAll(body)
		if err != nil || string(text) != plain {
			t.Errorf("%q: %v, %d bytes, want %d", accepted, err, len(text), len(plain))
		}
		if answer.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: caches are told %q", accepted, answer.Header().Get("Vary"))
		}
	}
}

// TestIcon checks that the icon exists that every page links to.
func TestIcon(t *testing.T) {
	w := newWorld(t, false, "administrator")
	if !strings.Contains(w.get("/console/").Body.String(), `<link rel="icon" href="`+icon.Path+`"`) {
		t.Error("a page names no icon")
	}
	answer := w.get(icon.Path)
	if answer.Code != http.StatusOK || answer.Header().Get("Content-Type") != "image/svg+xml" {
		t.Errorf("answered %d with %v", answer.Code, answer.Header())
	}
}
