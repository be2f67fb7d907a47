package standin

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/order"
	"mintmark/internal/processor"
	"mintmark/internal/processor/httpport"
	"mintmark/internal/processor/simulator"
	"mintmark/internal/testkit/testrun"
	"mintmark/internal/vault"
	"mintmark/internal/vault/signature"
)

const (
	number = "4000001234567899"
	pinned = "7391"
)

// keysMade is the directory created by sharedKeys.
var keysMade string

// sharedKeys is a directory of keys. Creating one is slow.
var sharedKeys = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "mintmark-standin-keys-*")
	keysMade = dir
	if err == nil {
		_, err = openKeys(dir)
	}
	if err != nil {
		panic(err)
	}
	return dir
})

// mintmark is the other side: it receives reports and records them.
type mintmark struct {
	*testing.T
	server *httptest.Server
	keys   *keys

	mu      sync.Mutex
	reports []order.Report // in the order of first arrival
	times   map[string]int
	bodies  map[string]string // the latest message of each path
	failing int               // the status of every response, or 0

	events testrun.Events // messages
}

func newMintmark(t *testing.T) *mintmark {
	t.Helper()
	opened, err := openKeys(sharedKeys())
	if err != nil {
		t.Fatal(err)
	}
	m := &mintmark{T: t, keys: opened, times: map[string]int{}, bodies: map[string]string{}}
	m.server = httptest.NewServer(m)
	t.Cleanup(m.server.Close)
	return m
}

func (m *mintmark) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the process was killed
	}
	defer m.events.Happened()
	m.mu.Lock()
	defer m.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, "/processor/v1/")
	if path == "jwks" {
		http.ServeFile(w, r, filepath.Join(sharedKeys(), PublicKeys))
		return
	}
	if signature.Verify(m.keys.reportSecrets, r.Header, body, time.Now()) != nil {
		m.Errorf("%s is not signed", path)
	}
	m.bodies[path] = string(body)
	if m.failing != 0 {
		w.WriteHeader(m.failing)
		return
	}
	if path != "reports" {
		answer(w, http.StatusOK, map[string]any{"approved": true})
		return
	}
	var reports []order.Report
	if err := json.Unmarshal(body, &reports); err != nil {
		m.Error(err)
	}
	results := []order.ReportResult{}
	for _, report := range reports {
		result := order.Repeated
		if m.times[report.ID] == 0 {
			result = order.Applied
			m.reports = append(m.reports, report)
		}
		m.times[report.ID]++
		results = append(results, order.ReportResult{ReportID: report.ID, Result: result})
	}
	answer(w, http.StatusOK, map[string]any{"results": results})
}

// kinds returns the received reports, in order.
func (m *mintmark) kinds() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var kinds []string
	for _, report := range m.reports {
		kinds = append(kinds, string(report.Kind))
	}
	return strings.Join(kinds, " ")
}

// open starts a stand-in in this process.
func open(t *testing.T, s Settings) *Standin {
	t.Helper()
	s.Listen, s.Log = "127.0.0.1:0", slog.New(slog.DiscardHandler)
	if s.Keys == "" {
		s.Keys = sharedKeys()
	}
	if s.Mode == "" {
		s.Mode = simulator.Instant
	}
	p, err := Open(s)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- p.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return p
}

// portTo returns a port to a stand-in.
func portTo(t *testing.T, url string) *httpport.Port {
	t.Helper()
	opened, err := openKeys(sharedKeys())
	if err != nil {
		t.Fatal(err)
	}
	port, err := httpport.Open(httpport.Settings{
		URL: url, JWKS: filepath.Join(sharedKeys(), PublicKeys), Secrets: opened.orderSecrets,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(port.Close)
	return port
}

// testOrder returns an order about card 5001.
func testOrder(t *testing.T, id string, sequence int, kind order.Kind) processor.Message {
	t.Helper()
	m := processor.Message{
		OrderID: id, Sequence: sequence, Kind: kind, CardID: 5001, ProgramID: 1,
		Created: time.Now(), Card: order.Snapshot{
			Accounts: &order.Accounts{PrimaryAccountID: 2001, Checking: []int{2001}},
		},
	}
	if kind == order.Make || kind == order.SetPin {
		parsed, err := pan.Parse(number)
		if err != nil {
			t.Fatal(err)
		}
		m.Secret = &processor.Secret{
			Number: parsed, ExpireMonth: 11, ExpireYear: 2031,
			Pin: &vault.Pin{Text: secret.New(pinned)},
		}
	}
	return m
}

// ask sends a command and returns the response.
func ask(t *testing.T, method, url, body string) (status int, text string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url,
		bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(read)
}

// await waits until the received reports satisfy a condition.
func (m *mintmark) await(what string, holds func() bool) {
	m.Helper()
	m.events.Until(m.T, what, holds)
}
