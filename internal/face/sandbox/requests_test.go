package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	wire "mintmark/client/sandbox"
	"mintmark/internal/face/web"
)

// answerFunc is a face that answers with a function.
type answerFunc struct {
	web.Problems
	answer func(x *web.Exchange) (web.Response, error)
}

func (a answerFunc) Answer(_ context.Context, x *web.Exchange) (web.Response, error) {
	return a.answer(x)
}

// recorded returns a ring that records the requests of a face, and the face's handler.
func recorded(
	url func() string, answer func(x *web.Exchange) (web.Response, error),
) (*Requests, http.Handler) {
	kept := NewRequests(url)
	host := web.NewHost(slog.New(slog.DiscardHandler), func() string { return "r-2" },
		web.Settings{})
	host.Record(kept)
	return kept, host.Handler(answerFunc{answer: answer})
}

// recordedServer is recorded over HTTP.
func recordedServer(
	t *testing.T, answer func(x *web.Exchange) (web.Response, error),
) (*Requests, *httptest.Server) {
	t.Helper()
	var server *httptest.Server
	kept, handler := recorded(func() string { return server.URL }, answer)
	server = httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return kept, server
}

// send sends a request with the key example1, and returns the body of the response.
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

// TestRequestsAreKept checks what is stored of a request and its response.
func TestRequestsAreKept(t *testing.T) {
	t.Parallel()
	const told = `{"errors":[{"code":150402,"message":"m"}],"requestId":"r-1","status":400}`
	kept, server := recordedServer(t, func(x *web.Exchange) (web.Response, error) {
		_, err := x.ReadBody()
		x.Rules = []string{"3", "7"}
		return web.Response{Status: http.StatusBadRequest, Body: []byte(told)}, err
	})
	got := send(t, "POST", server.URL+"/card/resetpin?x=4000000000000002",
		`{"cardId":5001,"newPin":"1234"}`, "Idempotency-Key", "it's", "Cookie", "canary",
		"Content-Type", "application/json")
	if got != told {
		t.Errorf("the caller is answered %s", got)
	}
	all := kept.After(0, maxRequests)
	if len(all) != 1 {
		t.Fatalf("kept are %+v", all)
	}
	request := all[0]
	if request.ID != 1 || request.Key != "example1" || request.Method != "POST" || request.Status != 400 ||
		request.Code != 150402 || request.RequestID != "r-1" || request.Answer != told || request.Fault != "7" ||
		request.Path != "/card/resetpin?x=************0002" || request.At.IsZero() || request.Took == "" ||
		request.Body != `{"cardId":5001,"newPin":"***"}` ||
		request.Headers["Authorization"] != hidden || request.Headers["Cookie"] != hidden ||
		request.Headers["Idempotency-Key"] != "it's" {
		t.Errorf("kept is %+v", request)
	}
	want := `curl -sS -i --path-as-is -X POST ` + quoted(server.URL+request.Path) +
		` -u example1:example1 -H 'Content-Type: application/json' ` +
		`-H 'Idempotency-Key: it'\''s' --data-raw '{"cardId":5001,"newPin":"***"}'`
	if request.Curl != want {
		t.Errorf("as a command it is\n%s, want\n%s", request.Curl, want)
	}
}

// TestCommandsSendTheSame runs the curl command of a request, and compares the request that it
// sends.
func TestCommandsSendTheSame(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("there is no curl; CONTRIBUTING.md says what the tests need")
	}
	kept, server := recordedServer(t, func(x *web.Exchange) (web.Response, error) {
		body, err := x.ReadBody()
		return web.Response{Status: http.StatusOK, Body: body}, err
	})
	for _, request := range [][3]string{
		{"GET", "/card/getbytag/1001/it's%20%22mine%22?x=$HOME", ""},
		{"POST", "/card/lock", `{"tag":"it's","n":"$HOME ` + "`id`" + `\n"}`},
		{"DELETE", "/a/../b", ""}, {"POST", "/card/lock", "@/etc/hostname"},
	} {
		send(t, request[0], server.URL+request[1], request[2], "Content-Type", "application/json")
		first := kept.After(0, maxRequests)[0]
		output, err := exec.CommandContext(t.Context(), "sh", "-c", first.Curl).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", first.Curl, err, output)
		}
		again := kept.After(0, maxRequests)[0]
		if again.ID != first.ID+1 || again.Method != first.Method || again.Path != first.Path ||
			again.Body != first.Body || again.Key != first.Key || again.Curl != first.Curl {
			t.Errorf("%s sends %+v, not %+v", first.Curl, again, first)
		}
	}
}

// TestClosedConnections checks that a request without a response is stored, too.
func TestClosedConnections(t *testing.T) {
	t.Parallel()
	kept, server := recordedServer(t, func(*web.Exchange) (web.Response, error) {
		return web.Response{Status: http.StatusOK, Body: []byte("never sent")}, web.ErrHangUp
	})
	if got := send(t, "GET", server.URL+"/card/list/1001", ""); got != "" {
		t.Errorf("answered %s", got)
	}
	if request := kept.After(0, maxRequests)[0]; request.Status != 0 || request.Answer != "" {
		t.Errorf("kept is %+v", request)
	}
}

func answersNothing(*web.Exchange) (web.Response, error) {
	return web.Response{Status: http.StatusOK}, nil
}

// TestTheLastRequestsStay sends more requests than are stored, many of them concurrently.
func TestTheLastRequestsStay(t *testing.T) {
	t.Parallel()
	kept, handler := recorded(func() string { return "" }, answersNothing)
	ask := func(path string) {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
	}
	if got := kept.After(0, maxRequests); got == nil || len(got) != 0 {
		t.Errorf("at first there are %v", got)
	}
	var all sync.WaitGroup
	for range maxRequests {
		all.Go(func() { ask("/old") })
	}
	all.Wait()
	for i := range 50 {
		ask(fmt.Sprint("/", i))
	}
	got := kept.After(0, maxRequests)
	if len(got) != maxRequests || got[0].Path != "/49" || got[49].Path != "/0" ||
		got[50].Path != "/old" || got[0].ID != maxRequests+50 {
		t.Errorf("kept are %d from %d, %s", len(got), got[0].ID, got[0].Path)
	}
	ordered := slices.IsSortedFunc(got, func(a, b wire.Request) int { return int(b.ID - a.ID) })
	if !ordered {
		t.Error("the order is not that of the identifiers")
	}
	if newer := kept.After(maxRequests+48, maxRequests); len(newer) != 2 || newer[1].Path != "/48" {
		t.Errorf("newer are %+v", newer)
	}
	for id, want := range map[int64]bool{
		-1: false, 0: false, 50: false, 51: true, maxRequests + 50: true, maxRequests + 51: false,
		1 << 62: false,
	} {
		request, known := kept.Find(id)
		if known != want || known && request.ID != id {
			t.Errorf("request %d is found: %t %d", id, known, request.ID)
		}
	}
	if newer := kept.After(1<<62, maxRequests); len(newer) != 0 {
		t.Errorf("behind the last are %d", len(newer))
	}
}

// TestHowMuchIsKept checks that more of a body is stored while an operator views the requests, and
// that this is limited, too.
func TestHowMuchIsKept(t *testing.T) {
	t.Parallel()
	long := []byte(`["` + strings.Repeat("x", maxLooked) + `"]`)
	kept, handler := recorded(func() string { return "" },
		func(x *web.Exchange) (web.Response, error) {
			_, err := x.ReadBody()
			return web.Response{Status: http.StatusOK, Body: long}, err
		})
	ask := func() (body, answer int) {
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(long))
		handler.ServeHTTP(deadlines{httptest.NewRecorder()}, r)
		of := kept.ring[kept.last%maxRequests]
		if !of.body.isCut || !of.answer.isCut {
			t.Error("a text is whole")
		}
		return len(of.body.kept), len(of.answer.kept)
	}
	if body, answer := ask(); body != maxText || answer != maxText {
		t.Errorf("%d and %d bytes are kept while nobody looks", body, answer)
	}
	kept.After(0, maxRequests)
	if body, answer := ask(); body != maxLooked || answer != maxLooked {
		t.Errorf("%d and %d bytes are kept while somebody looks", body, answer)
	}
	kept.looked = kept.looked.Add(-lookTime)
	if body, answer := ask(); body != maxText || answer != maxText {
		t.Errorf("%d and %d bytes are kept when nobody looks any more", body, answer)
	}
	shown, _ := kept.Find(3)
	if shown.Body != "[…" || shown.Answer != "[…" || shown.RequestID != "r-2" {
		t.Errorf("shown is %+v", shown)
	}
}

// deadlines is a recorder that accepts deadlines.
type deadlines struct{ *httptest.ResponseRecorder }

func (deadlines) SetReadDeadline(time.Time) error { return nil }

// TestSlotsKeepTheirMemory checks that a full ring allocates nothing for bodies.
func TestSlotsKeepTheirMemory(t *testing.T) {
	kept := NewRequests(func() string { return "" })
	text := make([]byte, maxText)
	x := &web.Exchange{Request: httptest.NewRequest(http.MethodGet, "/card/list/1001", nil)}
	x.Body = text
	record := func() { kept.Record(x, http.StatusOK, text) }
	for range maxRequests {
		record()
	}
	// The one allocation is the path.
	if most := testing.AllocsPerRun(100, record); most > 1 {
		t.Errorf("a request takes memory %v times", most)
	}
}

// TestWipe checks that a wiped ring retains nothing, not even in its memory, and that identifiers
// continue.
func TestWipe(t *testing.T) {
	t.Parallel()
	kept := NewRequests(func() string { return "" })
	x := &web.Exchange{Request: httptest.NewRequest(http.MethodGet, "/canary", nil)}
	x.Body = []byte("canary")
	for range maxRequests + 1 {
		kept.Record(x, http.StatusOK, []byte("canary"))
	}
	before := kept.ring
	kept.Wipe()
	for _, of := range before {
		memory := string(of.body.kept) + string(of.answer.kept)
		if strings.Trim(memory, "\x00") != "" {
			t.Fatalf("the memory holds %q", memory)
		}
	}
	if got := kept.After(0, maxRequests); len(got) != 0 {
		t.Errorf("kept are %+v", got)
	}
	if _, known := kept.Find(maxRequests + 1); known {
		t.Error("a request can be found that was wiped")
	}
	kept.Record(x, http.StatusOK, nil)
	if got := kept.After(maxRequests+1, maxRequests); len(got) != 1 || got[0].ID != maxRequests+2 {
		t.Errorf("then there are %+v", got)
	}
}

// TestCredentialsAreNotKept checks that the ring contains no secret of a request.
func TestCredentialsAreNotKept(t *testing.T) {
	t.Parallel()
	kept := NewRequests(func() string { return "" })
	r := httptest.NewRequest(http.MethodGet, "http://user:canary@localhost/card", nil)
	r.SetBasicAuth("name", "canary")
	r.Header.Set("Cookie", "canary")
	kept.Record(&web.Exchange{Request: r}, http.StatusOK, nil)
	held := fmt.Sprintf("%+v", kept.ring[1])
	if strings.Contains(held, "canary") || !strings.Contains(held, "name") ||
		strings.Contains(held, r.Header.Get("Authorization")) {
		t.Errorf("the ring holds %s", held)
	}
	if got := kept.After(0, maxRequests)[0]; got.Path != "/card" || !strings.Contains(got.Curl, "name:***") {
		t.Errorf("shown is %+v", got)
	}
}
