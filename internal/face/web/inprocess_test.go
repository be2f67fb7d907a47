package web

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// recorded has a handler answer as those of the console are.
func recorded(t *testing.T, handler http.HandlerFunc) *http.Response {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	a := newHeldAnswer()
	go a.record(handler, request)
	response, err := a.response(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// TestAnswersInProcess reads a short answer whole, and a long one while it is written.
func TestAnswersInProcess(t *testing.T) {
	t.Parallel()
	short := recorded(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"1"`)
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, "text")
	})
	text, err := io.ReadAll(short.Body)
	if err != nil || string(text) != "text" || short.StatusCode != http.StatusCreated ||
		short.ContentLength != 4 || short.Header.Get("ETag") != `"1"` {
		t.Errorf("%+v, %s, %v", short, text, err)
	}

	piece := strings.Repeat("x", mostKept/2+1)
	seen := make(chan struct{})
	long := recorded(t, func(w http.ResponseWriter, _ *http.Request) {
		for range 2 {
			_, _ = io.WriteString(w, piece)
		}
		<-seen // the reader has what was written so far
		_, _ = io.WriteString(w, "end")
	})
	begin := make([]byte, 2*len(piece))
	if _, err := io.ReadFull(long.Body, begin); err != nil {
		t.Fatal(err)
	}
	close(seen)
	rest, err := io.ReadAll(long.Body)
	if err != nil || string(rest) != "end" || long.ContentLength != -1 {
		t.Errorf("the rest is %q, %v", rest, err)
	}
}

// TestBrokenAnswersInProcess breaks an answer off on either side.
func TestBrokenAnswersInProcess(t *testing.T) {
	t.Parallel()
	much := strings.Repeat("x", mostKept+1)
	broken := recorded(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, much)
		panic(http.ErrAbortHandler)
	})
	if _, err := io.ReadAll(broken.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the error of an answer that was broken off is %v", err)
	}
	failed := make(chan error, 1)
	left := recorded(t, func(w http.ResponseWriter, _ *http.Request) {
		_, err := io.WriteString(w, much)
		failed <- err
	})
	if err := left.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; err == nil {
		t.Error("the handler writes on although its reader has gone")
	}
	defer func() {
		if cause := recover(); cause != http.ErrAbortHandler {
			t.Errorf("the panic is %v", cause)
		}
	}()
	recorded(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
}
