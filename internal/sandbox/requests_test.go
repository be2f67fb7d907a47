package sandbox

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	wire "mintmark/client/sandbox"
)

// served answers requests with a handler and records them.
func served(t *testing.T, answer http.HandlerFunc) (*Requests, *httptest.Server) {
	t.Helper()
	var server *httptest.Server
	kept := NewRequests(func() string { return server.URL })
	server = httptest.NewServer(kept.Handler(answer))
	t.Cleanup(server.Close)
	return kept, server
}

// send sends a request of the key example1.
func send(t *testing.T, method, url, body string, header ...string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth("example1", "example1")
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if errors.Is(err, io.EOF) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRequestsAreKept holds what is kept of a request and of its answer.
func TestRequestsAreKept(t *testing.T) {
	t.Parallel()
	const told = `{"errors":[{"code":150402,"message":"m"}],"requestId":"r-1","status":400}`
	kept, server := served(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		NoteFault(r.Context(), "7")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, told)
	})
	got := send(t, "POST", server.URL+"/card/resetpin?x=4000000000000002",
		`{"cardId":5001,"newPin":"1234"}`, "Idempotency-Key", "it's", "Cookie", "canary",
		"Content-Type", "application/json")
	if got != told {
		t.Errorf("the caller is answered %s", got)
	}
	all := kept.After(0)
	if len(all) != 1 {
		t.Fatalf("kept are %+v", all)
	}
	one := all[0]
	if one.ID != 1 || one.Key != "example1" || one.Method != "POST" || one.Status != 400 ||
		one.Code != 150402 || one.RequestID != "r-1" || one.Answer != told || one.Fault != "7" ||
		one.Path != "/card/resetpin?x=************0002" || one.At.IsZero() || one.Took == "" ||
		one.Body != `{"cardId":5001,"newPin":"***"}` ||
		one.Headers["Authorization"] != hidden || one.Headers["Cookie"] != hidden ||
		one.Headers["Idempotency-Key"] != "it's" {
		t.Errorf("kept is %+v", one)
	}
	want := `curl -sS -i --path-as-is -X POST ` + quoted(server.URL+one.Path) +
		` -u example1:example1 -H 'Content-Type: application/json' ` +
		`-H 'Idempotency-Key: it'\''s' --data-raw '{"cardId":5001,"newPin":"***"}'`
	if one.Curl != want {
		t.Errorf("as a command it is\n%s, want\n%s", one.Curl, want)
	}
}

// TestCommandsSendTheSame runs the command of a request, and compares what arrives.
func TestCommandsSendTheSame(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("there is no curl; CONTRIBUTING.md says what the tests need")
	}
	kept, server := served(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	})
	for _, request := range [][3]string{
		{"GET", "/card/getbytag/1001/it's%20%22mine%22?x=$HOME", ""},
		{"POST", "/card/lock", `{"tag":"it's","n":"$HOME ` + "`id`" + `\n"}`},
		{"DELETE", "/a/../b", ""}, {"POST", "/card/lock", "@/etc/hostname"},
	} {
		send(t, request[0], server.URL+request[1], request[2], "Content-Type", "application/json")
		first := kept.After(0)[0]
		output, err := exec.CommandContext(t.Context(), "sh", "-c", first.Curl).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", first.Curl, err, output)
		}
		again := kept.After(0)[0]
		if again.ID != first.ID+1 || again.Method != first.Method || again.Path != first.Path ||
			again.Body != first.Body || again.Key != first.Key || again.Curl != first.Curl {
			t.Errorf("%s sends %+v, not %+v", first.Curl, again, first)
		}
	}
}

// TestClosedConnections holds that a request without an answer is kept, too.
func TestClosedConnections(t *testing.T) {
	t.Parallel()
	kept, server := served(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "never sent")
		panic(http.ErrAbortHandler)
	})
	if got := send(t, "GET", server.URL+"/card/list/1001", ""); got != "" {
		t.Errorf("answered %s", got)
	}
	if one := kept.After(0)[0]; one.Status != 0 || one.Answer != "" {
		t.Errorf("kept is %+v", one)
	}
}

// TestTheLastRequestsStay sends more than are kept, many at a time.
func TestTheLastRequestsStay(t *testing.T) {
	t.Parallel()
	kept := NewRequests(func() string { return "" })
	handler := kept.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	ask := func(path string) {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
	}
	if got := kept.After(0); len(got) != 0 {
		t.Errorf("at first there are %d", len(got))
	}
	var all sync.WaitGroup
	for range mostRequests {
		all.Go(func() { ask("/old") })
	}
	all.Wait()
	for i := range 50 {
		ask(fmt.Sprint("/", i))
	}
	got := kept.After(0)
	if len(got) != mostRequests || got[0].Path != "/49" || got[49].Path != "/0" ||
		got[50].Path != "/old" || got[0].ID != mostRequests+50 {
		t.Errorf("kept are %d from %d, %s", len(got), got[0].ID, got[0].Path)
	}
	ordered := slices.IsSortedFunc(got, func(a, b wire.Request) int { return int(b.ID - a.ID) })
	if !ordered {
		t.Error("the order is not that of the identifiers")
	}
	if newer := kept.After(mostRequests + 48); len(newer) != 2 || newer[1].Path != "/48" {
		t.Errorf("newer are %+v", newer)
	}
	for id, want := range map[int64]bool{
		-1: false, 0: false, 50: false, 51: true, mostRequests + 50: true, mostRequests + 51: false,
		1 << 62: false,
	} {
		found, known := kept.Find(id)
		if known != want || known && found.ID != id {
			t.Errorf("request %d is found: %t %d", id, known, found.ID)
		}
	}
	if newer := kept.After(1 << 62); len(newer) != 0 {
		t.Errorf("behind the last are %d", len(newer))
	}
}
