package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// mounted is a running face with its log.
type mounted struct {
	*httptest.Server
	t   *testing.T
	log *bytes.Buffer
}

func mount(t *testing.T, face Face, settings Settings) *mounted {
	t.Helper()
	m := &mounted{t: t, log: &bytes.Buffer{}}
	handler := slog.NewJSONHandler(m.log, &slog.HandlerOptions{Level: slog.LevelDebug})
	host := NewHost(slog.New(handler), func() string { return newID }, settings)
	m.Server = httptest.NewServer(host.Handler(face))
	m.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	t.Cleanup(m.Close)
	return m
}

func (m *mounted) send(method, path, body string) (*http.Response, string, error) {
	m.t.Helper()
	request, err := http.NewRequestWithContext(m.t.Context(), method, m.URL+path,
		strings.NewReader(body))
	if err != nil {
		m.t.Fatal(err)
	}
	response, err := m.Client().Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response, string(text), err
}

// lines closes the server and returns the lines of its log.
func (m *mounted) lines() []map[string]any {
	m.t.Helper()
	m.Close()
	var entries []map[string]any
	for line := range strings.Lines(m.log.String()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			m.t.Fatalf("%v: %s", err, line)
		}
		entries = append(entries, entry)
	}
	return entries
}

// pages returns plain handlers, good and bad.
func pages() Pages {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "nothing can be written", http.StatusServiceUnavailable)
	})
	mux.HandleFunc("GET /silent", func(http.ResponseWriter, *http.Request) {})
	mux.Handle("GET /files/", http.FileServer(http.Dir(".")))
	mux.HandleFunc("GET /panic", func(http.ResponseWriter, *http.Request) { panic("no page") })
	mux.HandleFunc("GET /torn", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "half of ")
		panic("torn")
	})
	mux.HandleFunc("POST /aborted", func(http.ResponseWriter, *http.Request) {
		panic(http.ErrAbortHandler)
	})
	return Pages{Handler: mux}
}

// TestPages checks that responses of plain handlers are sent unchanged, and that a missing page is
// answered with a problem, which has the identifier of the log line.
func TestPages(t *testing.T) {
	t.Parallel()
	m := mount(t, pages(), Settings{})
	for _, row := range []struct {
		method, path string
		status       int
		text         string // of the handler; empty for a problem or an empty body
		problem      string
		detail       string
	}{
		{"GET", "/healthz", 204, "", "", ""},
		{"HEAD", "/healthz", 204, "", "", ""},
		{"GET", "/readyz", 503, "nothing can be written\n", "", ""},
		{"GET", "/silent", 200, "", "", ""},
		{"GET", "/nowhere", 404, "", "not-found", "There is nothing at /nowhere."},
		{"GET", "/files/nothing", 404, "", "not-found", "There is nothing at /files/nothing."},
		{"POST", "/healthz", 405, "", "method-not-allowed", "/healthz takes GET, HEAD."},
	} {
		got, text, err := m.send(row.method, row.path, "")
		if err != nil {
			t.Fatal(err)
		}
		want, media := row.text, got.Header.Get("Content-Type")
		if row.problem != "" {
			want = fmt.Sprintf(
				`{"type":"/problems/%s","title":%q,"status":%d,"detail":%q,"requestId":%q}`+"\n",
				row.problem, http.StatusText(row.status), row.status, row.detail, newID)
			if media != ProblemType {
				t.Errorf("%s %s is of type %s", row.method, row.path, media)
			}
		}
		if got.StatusCode != row.status || text != want {
			t.Errorf("%s %s: %d %q, want %d %q", row.method, row.path, got.StatusCode, text,
				row.status, want)
		}
		if allow := got.Header.Get("Allow"); (row.status == 405) != (allow == "GET, HEAD") {
			t.Errorf("%s %s allows %q", row.method, row.path, allow)
		}
	}
}

// TestPagesInTheLog checks the log line of a page, and that probes are logged at level debug only.
func TestPagesInTheLog(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		path, level, route string
		status             float64
	}{
		{"/healthz", "DEBUG", "GET /healthz", 204},
		{"/readyz", "DEBUG", "GET /readyz", 503},
		{"/nowhere", "INFO", "", 404},
		{"/panic", "ERROR", "", 500},
	} {
		m := mount(t, pages(), Settings{})
		if _, _, err := m.send("GET", row.path, ""); err != nil {
			t.Fatal(err)
		}
		lines := m.lines()
		got := lines[len(lines)-1]
		if got["msg"] != "request" || got["level"] != row.level || got["route"] != row.route ||
			got["status"] != row.status || got["requestId"] != newID ||
			got["address"] != "127.0.0.1" {
			t.Errorf("%s: the line is %v", row.path, got)
		}
	}
}

// TestPanicOfAPage checks that a panic is answered with a problem that reveals nothing about it,
// and that a response already begun is cut off, so that no client takes a part for the whole.
func TestPanicOfAPage(t *testing.T) {
	t.Parallel()
	m := mount(t, pages(), Settings{})
	got, text, err := m.send("GET", "/panic", "")
	if err != nil || got.StatusCode != 500 || !strings.Contains(text, `"/problems/internal"`) ||
		strings.Contains(text, "no page") {
		t.Errorf("the answer is %q (%v)", text, err)
	}
	if _, text, err := m.send("GET", "/torn", ""); err == nil {
		t.Errorf("half an answer arrives whole: %q", text)
	}
	causes := 0
	for _, line := range m.lines() {
		stack, _ := line["stack"].(string)
		if line["msg"] == "panic" && strings.Contains(stack, "pages_test.go") {
			causes++
		}
	}
	if causes < 2 { // the client of package http retries after a cut response
		t.Errorf("the log has %d causes, want one for each panic:\n%s", causes, m.log)
	}
}

// TestAbortedPage checks that a request whose handler closes the connection is logged once, without
// a stack.
func TestAbortedPage(t *testing.T) {
	t.Parallel()
	m := mount(t, pages(), Settings{})
	if _, text, err := m.send("POST", "/aborted", ""); err == nil {
		t.Errorf("the answer is %q", text)
	}
	lines := m.lines()
	if len(lines) != 1 || lines[0]["msg"] != "request" || lines[0]["status"] != 0.0 {
		t.Errorf("the log holds %v", lines)
	}
}

// echo is a face as a new one would be written: it reads bodies and answers in JSON.
type echo struct{ Problems }

func (echo) Answer(ctx context.Context, x *Exchange) (Response, error) {
	x.FindClient()
	x.Route, x.Actor = "/echo", slog.String("operator", "ada")
	body, err := x.ReadBody()
	switch {
	case errors.Is(err, ErrBodyTooLarge):
		return Response{}, &Problem{Type: "/problems/body", Title: "Too large", Status: 413}
	case err != nil:
		return Response{}, err
	case string(body) == "wait":
		<-ctx.Done()
		return Response{}, ctx.Err()
	}
	return Response{Status: 200, ContentType: "application/json", Body: body}, nil
}

// TestFace checks that a face of a few lines has everything that all faces share.
func TestFace(t *testing.T) {
	t.Parallel()
	m := mount(t, echo{}, Settings{BodyLimit: 10, AnswerTimeout: 20 * time.Millisecond})
	for _, row := range []struct {
		body   string
		status int
		text   string
	}{
		{`{"a":1}`, 200, `{"a":1}`},
		{strings.Repeat(" ", 11), 413, `"title":"Too large"`},
		{"wait", 500, `"/problems/internal"`},
	} {
		got, text, err := m.send("POST", "/", row.body)
		if err != nil || got.StatusCode != row.status || !strings.Contains(text, row.text) ||
			got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%q is answered %+v %s (%v)", row.body, got, text, err)
		}
	}
	lines := m.lines()
	for i, want := range []string{"INFO", "INFO", "ERROR"} {
		line := lines[i]
		if line["level"] != want || line["route"] != "/echo" || line["operator"] != "ada" ||
			line["address"] != "127.0.0.1" {
			t.Errorf("line %d is %v", i, line)
		}
	}
}
