package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"mintmark/internal/testkit/testrun"
)

// hookSecret signs the events of the tests.
const hookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// told is an event as a subscriber receives it.
type told struct {
	ID       string `json:"id"`
	Sequence int    `json:"sequence"`
	Type     string `json:"type"`
	CardID   int    `json:"cardId"`
}

// subscriber receives events and verifies them with the verifier of the library.
type subscriber struct {
	*httptest.Server
	testrun.Events
	t      *testing.T
	mu     sync.Mutex
	got    []told
	bodies [][]byte
	busy   bool // rejects every third request
	count  int
}

func newSubscriber(t *testing.T) *subscriber {
	s := &subscriber{t: t}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *subscriber) ServeHTTP(out http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return // the program was killed
	}
	verifier, err := standardwebhooks.NewWebhook(hookSecret)
	if err == nil {
		err = verifier.Verify(body, request.Header)
	}
	if err != nil {
		s.t.Errorf("the signature of %s: %v", body, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	if s.busy && s.count%3 == 0 {
		http.Error(out, "busy", http.StatusServiceUnavailable)
		return
	}
	var e told
	if err := json.Unmarshal(body, &e); err != nil || e.ID != request.Header.Get("webhook-id") {
		s.t.Errorf("%s under the identifier %s: %v", body, request.Header.Get("webhook-id"), err)
	}
	s.got, s.bodies = append(s.got, e), append(s.bodies, body)
	s.Happened()
}

// subscribe loads a webhook into an installation.
func (s *subscriber) subscribe(p production) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "webhooks.yaml")
	text := fmt.Sprintf("programs: [{programId: 1, webhooks: [{url: '%s', secrets: [%s]}]}]\n",
		s.URL, hookSecret)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	p.done("load", "--config", p.config, file)
}

// await waits until the events meet a condition.
func (s *subscriber) await(what string, holds func([]told) bool) []told {
	s.t.Helper()
	var got []told
	s.Until(s.t, what+" arrives", func() bool {
		s.mu.Lock()
		got = s.got[:len(s.got):len(s.got)]
		s.mu.Unlock()
		return holds(got)
	})
	return got
}
