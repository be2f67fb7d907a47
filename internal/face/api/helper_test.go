package api

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/program"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/auth"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/testkit/testrun"
)

// hasher digests secrets.
type hasher struct{}

func (hasher) DigestSecret(secret string) []byte {
	digest := sha256.Sum256([]byte(secret))
	return digest[:]
}

// journal collects log lines.
type journal struct {
	mu     sync.Mutex
	text   bytes.Buffer
	events testrun.Events
}

func (j *journal) Write(p []byte) (int, error) {
	defer j.events.Happened()
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// entries waits until the log has `want` lines, and returns them: a line is written after its
// response.
func (j *journal) entries(t *testing.T, want int) []map[string]any {
	t.Helper()
	var lines []string
	j.events.Until(t, fmt.Sprint(want, " lines are logged"), func() bool {
		lines = strings.Split(strings.TrimSpace(j.String()), "\n")
		return len(lines) >= want
	})
	var entries []map[string]any
	for _, line := range lines {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		entries = append(entries, entry)
	}
	return entries
}

// newID is the identifier of requests that carry none.
const newID = "00000000-0000-4000-8000-000000000001"

// face is a running JSON face.
type face struct {
	*httptest.Server
	t       *testing.T
	log     *journal
	service *acts.Service
}

// newFace returns a face with the keys free, limited, elsewhere and second, whose secrets are their
// names. Its routes are those of the interface, unless own is given.
func newFace(t *testing.T, settings web.Settings, own ...route) *face {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mintmark.db")
	kept, _, err := cached.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kept.Close() })
	putKeys(t, kept)
	callers, err := auth.Open(t.Context(), kept, hasher{}, auth.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	f := &face{t: t, log: &journal{}}
	log := slog.New(slog.NewJSONHandler(f.log, nil))
	f.service = acts.New(kept, nil, issuing.Settings{})
	server := New(f.service, callers,
		web.NewHost(log, func() string { return newID }, settings))
	if own != nil {
		server.router = newRouter(own)
	}
	f.Server = httptest.NewServer(server.Handler())
	t.Cleanup(f.Close)
	return f
}

func putKeys(t *testing.T, kept store.Store) {
	t.Helper()
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	afar := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	err := kept.Update(context.Background(), func(tx store.Tx) error {
		if err := tx.Banks().Put(store.Bank{ID: 1}); err != nil {
			return err
		}
		err := tx.Programs().Put(program.Program{
			Issuing:  program.Issuing{ID: 1, BankID: 1, VerificationWindowDays: 90},
			Settings: program.Settings{Name: "Example1", TimeZone: "UTC"},
		})
		if err != nil {
			return err
		}
		for _, key := range []apikey.Key{
			{Name: "free", Version: 1, Allow: loopback},
			{Name: "limited", Version: 1, Allow: loopback, PerSecond: 0.5, Burst: 2},
			{Name: "elsewhere", Version: 1, Allow: afar},
			{Name: "second", Version: 2, Allow: loopback},
		} {
			key.ProgramID = 1
			key.Secrets = []apikey.Secret{{Digest: hasher{}.DigestSecret(key.Name)}}
			if err := tx.Keys().Put(key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// probe returns a route for a test. With a request type it is a POST with a body.
func probe(
	do func(context.Context, *call) (web.Response, error), request reflect.Type,
) route {
	method := http.MethodGet
	if request != nil {
		method = http.MethodPost
	}
	return route{
		Operation: Operation{Method: method, Path: "/test/probe", Request: request}, do: do,
	}
}

// answer is a response with its body.
type answer struct {
	*http.Response
	body string
}

// send sends a request with a key; headers alternates names and values.
func (f *face) send(method, path, key, body string, headers ...string) answer {
	f.t.Helper()
	request, err := http.NewRequestWithContext(f.t.Context(), method, f.URL+path,
		strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	if key != "" {
		request.SetBasicAuth(key, key)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := f.Client().Do(request)
	if err != nil {
		f.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return answer{response, string(text)}
}

// raw sends text unchanged, and reads the response within a timeout.
func (f *face) raw(text string, within time.Duration) (*http.Response, error) {
	f.t.Helper()
	conn, err := net.Dial("tcp", f.Listener.Addr().String())
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(within)); err != nil {
		f.t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		f.t.Fatal(err)
	}
	return http.ReadResponse(bufio.NewReader(conn), nil)
}

// want checks the status and the error code; code 0 stands for no error.
func (a answer) want(t *testing.T, status, code int) {
	t.Helper()
	var envelope struct {
		Errors    []Error
		RequestID string
		Status    int
	}
	if err := json.Unmarshal([]byte(a.body), &envelope); err != nil {
		t.Fatalf("no envelope: %v: %s", err, a.body)
	}
	got := 0
	if len(envelope.Errors) > 0 {
		got = envelope.Errors[0].Code
	}
	if a.StatusCode != status || envelope.Status != status || got != code {
		t.Errorf("HTTP %d, status %d, code %d, want %d and %d: %s",
			a.StatusCode, envelope.Status, got, status, code, a.body)
	}
}
