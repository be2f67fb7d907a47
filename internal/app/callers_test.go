package app_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/app"
)

// journal collects the log.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

// logged is a running sandbox and its log.
type logged struct {
	*app.App
	t   testing.TB
	log *journal
}

func startLogged(t testing.TB) *logged {
	t.Helper()
	s := &logged{t: t, log: &journal{}}
	var err error
	s.App, err = app.Start(t.Context(), app.Settings{
		Sandbox: true, Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0",
		Log: slog.New(slog.NewJSONHandler(s.log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stop ends the sandbox and returns its log.
func (s *logged) stop() string {
	s.t.Helper()
	if err := s.Close(context.Background()); err != nil {
		s.t.Error(err)
	}
	return s.log.text.String()
}

// send sends a request; a body makes it a POST. headers alternates names and values.
func (s *logged) send(path, secret, body string, headers ...string) (*http.Response, string) {
	s.t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.URL()+path,
		strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.SetBasicAuth("example1", secret)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response, string(text)
}

const orderBody = `{"customerId":1001,"cardHolderCustomerId":1001,"vendorTypeCode":"VS",` +
	`"primaryAccountId":2001,"firstName":"Grace","lastName":"Unlogged","nickName":"quiet card",` +
	`"tag":"quiet-tag","newPin":"MDQyMA=="}`

// byChance matches parts of a line that may contain any four digits: times, random ids, durations,
// ports.
var byChance = regexp.MustCompile(`"time":"[^"]*"|"requestId":"[0-9a-f-]{36}"|"micros":\d+|` +
	`127\.0\.0\.1:\d+`)

// TestLogHoldsNoSecret checks that credentials, bodies and tags never reach the log, whatever the
// outcome of the request.
func TestLogHoldsNoSecret(t *testing.T) {
	t.Parallel()
	s := startLogged(t)
	s.send("/card/initiate", "example1", orderBody)
	s.send("/card/initiate", "example1", orderBody) // its tag is in use
	s.send("/card/initiate", "wr0ng-secret", orderBody)
	s.send("/card/initiate", "example1", strings.TrimSuffix(orderBody, "}"))
	s.send("/card/verify", "example1", `{"customerId":1001,"cardId":10001,`+
		`"birthDate":"1985-03-14","cardNumberMasked":"987654321"}`)
	s.send("/card/resetpin", "example1", `{"customerId":1001,"cardId":5001,"newPin":"MDQyMA=="}`)
	s.send("/card/resetpin", "example1", `{"customerId":1001,"cardId":5001,"newPin":"MDAwMA=="}`)
	s.send("/card/getbytag/1001/quiet-tag", "example1", "")
	s.send("/card/getbytag/1001?tag=quiet-tag", "example1", "")
	s.send("/nowhere/quiet-tag", "example1", "")
	text := s.stop()
	if lines := strings.Count(text, `"msg":"request"`); lines != 10 {
		t.Errorf("the log has %d lines about requests, want 10", lines)
	}
	text = byChance.ReplaceAllString(text, "")
	for _, secret := range []string{
		"Basic", base64.StdEncoding.EncodeToString([]byte("example1:example1")), "wr0ng-secret",
		"MDQyMA", "MDAwMA", "0420", "1985", "987654321", "quiet", "Unlogged", "UNLOGGED",
		"firstName",
	} {
		if strings.Contains(text, secret) {
			t.Errorf("the log holds %q:\n%s", secret, text)
		}
	}
}

// TestLogLine checks the log line of a request.
func TestLogLine(t *testing.T) {
	t.Parallel()
	const id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
	s := startLogged(t)
	s.send("/CARD/get/1001/7", "example1", "", "X-Request-Id", id)
	text := s.stop()
	var entry map[string]any
	for line := range strings.Lines(text) {
		if !strings.Contains(line, `"msg":"request"`) {
			continue
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	if micros, _ := entry["micros"].(float64); micros <= 0 {
		t.Errorf("the time taken is %v", entry["micros"])
	}
	delete(entry, "micros")
	delete(entry, "time")
	want := map[string]any{
		"level": "INFO", "msg": "request", "requestId": id,
		"route": "/card/get/{customerId}/{cardId}", "status": 400.0, "codes": []any{154101.0},
		"key": "example1", "address": "127.0.0.1",
	}
	if diff := cmp.Diff(want, entry); diff != "" {
		t.Errorf("the line (-want +got):\n%s", diff)
	}
}

// TestRepeatedRequest checks that the second response to a request with an idempotency key equals
// the first, byte for byte, and has the header that marks it as a replay.
func TestRepeatedRequest(t *testing.T) {
	t.Parallel()
	s := startLogged(t)
	defer s.stop()
	first, firstBody := s.send("/card/initiate", "example1", orderBody, "Idempotency-Key", "one")
	again, againBody := s.send("/card/initiate", "example1", orderBody, "Idempotency-Key", "one")
	if first.StatusCode != 200 || again.StatusCode != 200 || firstBody != againBody {
		t.Errorf("the answers are %s\n%s and %s\n%s", first.Status, firstBody, again.Status,
			againBody)
	}
	if first.Header.Get("Idempotency-Replayed") != "" ||
		again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the headers are %v and %v", first.Header, again.Header)
	}
	for _, row := range []struct{ key, body string }{{"one", orderBody + " "}, {"a b", orderBody}} {
		other, body := s.send("/card/initiate", "example1", row.body, "Idempotency-Key", row.key)
		if other.StatusCode != 400 || !strings.Contains(body, `"code":59956`) ||
			!strings.Contains(body, "Idempotency-Key") {
			t.Errorf("%q: %s %s", row.key, other.Status, body)
		}
	}
}

// TestAnswersOfTheSandbox checks a few responses as a caller reads them.
func TestAnswersOfTheSandbox(t *testing.T) {
	t.Parallel()
	s := startLogged(t)
	defer s.stop()
	// The response has no data for an archived card, and an empty list for no cards.
	_, archived := s.send("/card/archive", "example1", `{"customerId":1001,"cardId":5001}`)
	if strings.Contains(archived, `"data"`) || !strings.HasPrefix(archived, `{"errors":[],`) {
		t.Errorf("the answer to an archiving is %s", archived)
	}
	_, none := s.send("/card/list/1001?status=Expired&status=Denied", "example1", "")
	if !strings.Contains(none, `"code":59956`) {
		t.Errorf("the answer to two statuses is %s", none)
	}
	_, empty := s.send("/card/list/1010", "example1", "")
	if !strings.HasPrefix(empty, `{"data":[],"errors":[],`) {
		t.Errorf("the answer to an empty list is %s", empty)
	}
	// The sixth PIN within an hour gets a Retry-After.
	pin := `{"customerId":1001,"cardId":5002,"newPin":"MDQyMA=="}`
	for range 5 {
		s.send("/card/resetpin", "example1", pin)
	}
	refused, _ := s.send("/card/resetpin", "example1", pin)
	after, err := strconv.Atoi(refused.Header.Get("Retry-After"))
	if refused.StatusCode != 429 || err != nil || after > 3600 || after < 3000 {
		t.Errorf("the sixth PIN: %s, Retry-After %d, error %v", refused.Status, after, err)
	}
}
