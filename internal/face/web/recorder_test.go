package web

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// bodies is a face whose response depends on the path.
type bodies struct{ Problems }

func (bodies) Answer(_ context.Context, x *Exchange) (Response, error) {
	if x.Request.Method == http.MethodPost {
		if _, err := x.ReadBody(); err != nil {
			return Response{}, err
		}
	}
	switch x.Request.URL.Path {
	case "/closed":
		return Response{}, ErrHangUp
	case "/panics":
		panic("on purpose")
	case "/stream":
		return Response{Status: http.StatusOK, Stream: func(to io.Writer) {
			_, _ = io.WriteString(to, "first, ")
			_, _ = io.WriteString(to, "second")
		}}, nil
	case "/empty":
		return Response{Status: http.StatusOK, Stream: func(io.Writer) {}}, nil
	case "/unknown":
		return Response{}, NotFound()
	}
	return JSONText(http.StatusCreated, []byte("{}")), nil
}

// recording is a recorder that also is the response writer of the current request.
type recording struct {
	http.ResponseWriter
	mu    sync.Mutex
	sent  int // bytes of the body
	noted []record
}

// record is what a recorder received, and how much of the response had been sent by then.
type record struct {
	request, body, answer string
	status, sent          int
}

func (r *recording) Record(x *Exchange, status int, body []byte) {
	answer, _, _ := strings.Cut(string(body), `,"requestId"`)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.noted = append(r.noted, record{
		x.Request.Method + " " + x.Request.URL.Path, string(x.Body), answer, status, r.sent,
	})
}

func (r *recording) begin(on http.ResponseWriter) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ResponseWriter, r.sent = on, 0
}

func (r *recording) Write(body []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent += len(body)
	return r.ResponseWriter.Write(body)
}

func (r *recording) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recording) all() []record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.noted)
}

// problemStart returns the beginning of a problem.
func problemStart(name, title, status, detail string) string {
	return `{"type":"/problems/` + name + `","title":"` + title + `","status":` + status +
		`,"detail":"` + detail + `"`
}

// TestRecorder checks that a recorder receives each response once, before any of it is sent.
func TestRecorder(t *testing.T) {
	t.Parallel()
	host := NewHost(slog.New(slog.DiscardHandler), func() string { return newID },
		Settings{BodyLimit: 10})
	of := &recording{}
	host.Record(of)
	face := bodies{}
	served := host.Handler(face)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		of.begin(w)
		if r.URL.Path == "/refused" {
			host.Refuse(face, of, r, TooMany("Too soon.", 0))
			return
		}
		served.ServeHTTP(of, r)
	}))
	defer server.Close()
	want := []record{
		{request: "GET /", answer: "{}\n", status: 201},
		{request: "HEAD /", answer: "{}\n", status: 201},
		{request: "POST /", body: "0123456789", answer: "{}\n", status: 201},
		{
			request: "POST /", status: 413,
			answer: problemStart("too-large", "Request Entity Too Large", "413",
				"The body has more than 10 bytes."),
		},
		{request: "GET /closed"},
		{
			request: "GET /panics", status: 500,
			answer: problemStart("internal", "Internal Server Error", "500",
				"The service has failed. Its log has the reason, under the requestId."),
		},
		{request: "GET /stream", answer: "first, ", status: 200},
		{request: "GET /empty", status: 200},
		{
			request: "GET /unknown", status: 404,
			answer: problemStart("not-found", "Not Found", "404",
				"There is nothing at /unknown."),
		},
		{
			request: "GET /refused", status: 429,
			answer: problemStart("too-many", "Too Many Requests", "429", "Too soon."),
		},
	}
	transport := &http.Transport{DisableKeepAlives: true}
	for i, r := range want {
		method, path, _ := strings.Cut(r.request, " ")
		body := r.body
		if r.status == http.StatusRequestEntityTooLarge {
			body = "more than ten bytes"
		}
		request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path,
			strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		response, err := transport.RoundTrip(request)
		if r.status == 0 {
			if !errors.Is(err, io.EOF) {
				t.Errorf("%s: answered %v, %v", r.request, response, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		// The response is recorded before the client reads it.
		if noted := len(of.all()); noted != i+1 || response.StatusCode != r.status {
			t.Errorf("%s: %d, and %d are noted", r.request, response.StatusCode, noted)
		}
		text, err := io.ReadAll(response.Body)
		if err != nil || path == "/stream" && string(text) != "first, second" {
			t.Errorf("%s: %s, %v", r.request, text, err)
		}
		response.Body.Close()
	}
	if noted := of.all(); !slices.Equal(noted, want) {
		t.Errorf("noted are\n%+v, want\n%+v", noted, want)
	}
}
