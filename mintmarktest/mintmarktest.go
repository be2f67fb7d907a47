// Package mintmarktest starts a Mintmark sandbox inside a Go test: in this process, in memory, on
// free ports, with the demo data, and with a clock that stands still until the test moves it. Such
// a sandbox begins the same way every time, down to card numbers, request identifiers and secrets,
// so a test may compare whole answers. Tests in parallel each start their own.
//
//	sandbox := mintmarktest.Start(t)
//	card, err := sandbox.Client("example1").CardGet(t.Context(), 1001, 5001)
//
// Methods that fail end the test. docs/sandbox.md describes the controls of a sandbox; package
// client/sandbox has its types.
package mintmarktest

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"mintmark/client"
	"mintmark/client/admin"
	"mintmark/client/sandbox"
	"mintmark/internal/app"
	"mintmark/internal/base/clock"
)

// Moment is the time on the clock of a sandbox at the start, unless At sets another.
var Moment = time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)

// defaultSeed is the seed of a sandbox unless Seed sets another.
const defaultSeed = 1

// closeTime limits how long requests in progress may take at the end of a test.
const closeTime = 10 * time.Second

// Sandbox is a running sandbox. It stops at the end of its test. Its methods may be called only
// from the goroutine of the test; URL, AdminURL and clients may be used from any.
type Sandbox struct {
	URL      string // of the interface of calling programs, such as http://127.0.0.1:40123
	AdminURL string // of operators, of the console, and of the controls of the sandbox

	t         T
	transport *http.Transport
	controls  *sandbox.Client
}

// T is the part of *testing.T, *testing.B and *testing.F that a sandbox needs.
type T interface {
	Helper()
	Context() context.Context
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Option changes how a sandbox starts; see Start.
type Option func(*app.Settings)

// At sets the time on the clock at the start, instead of Moment.
func At(moment time.Time) Option {
	return func(s *app.Settings) { s.Clock = clock.FrozenAt(moment) }
}

// Seed changes the card numbers, identifiers and secrets. The PIN key of a seed takes up to a
// second to compute, once in a process; that of the default seed, 1, is built in.
func Seed(seed uint64) Option { return func(s *app.Settings) { s.Seed = &seed } }

// Log makes the sandbox write its log to log; by default it is discarded.
func Log(log *slog.Logger) Option { return func(s *app.Settings) { s.Log = log } }

// Start starts a sandbox with the demo data, and stops it when the test and its subtests have
// ended.
func Start(t T, options ...Option) *Sandbox {
	t.Helper()
	seed := uint64(defaultSeed)
	settings := app.Settings{
		Sandbox: true, Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0",
		Seed: &seed, Clock: clock.FrozenAt(Moment),
	}
	for _, option := range options {
		option(&settings)
	}
	running, err := app.Start(t.Context(), settings)
	if err != nil {
		t.Fatalf("mintmarktest: start a sandbox: %v", err)
	}
	s := &Sandbox{
		URL: running.URL(), AdminURL: running.AdminURL(), t: t, transport: newTransport(),
	}
	s.controls = sandbox.Over(s.transport, s.AdminURL)
	t.Cleanup(func() {
		s.transport.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), closeTime)
		defer cancel()
		if err := running.Close(ctx); err != nil {
			t.Errorf("mintmarktest: stop the sandbox: %v", err)
		}
	})
	return s
}

// newTransport returns the transport of a sandbox, whose connections end with it. The interface
// speaks HTTP/1.1 only.
func newTransport() *http.Transport {
	transport := &http.Transport{Protocols: new(http.Protocols), MaxIdleConnsPerHost: 16}
	transport.Protocols.SetHTTP1(true)
	return transport
}

// Client returns a client of a calling program with a key of the demo data, such as "example1",
// whose secret is its name. The options are those of client.New.
func (s *Sandbox) Client(key string, options ...client.Option) *client.Client {
	connections := client.HTTPClient(&http.Client{Transport: s.transport})
	return client.New(s.URL, key, key, append([]client.Option{connections}, options...)...)
}

// Admin returns a client of the operators' interface with a token of the demo data, such as
// "sandbox-administrator".
func (s *Sandbox) Admin(token string) *admin.Client {
	return admin.Over(s.transport, s.AdminURL, token)
}

// Controls returns a client of the sandbox controls, docs/sandbox.md.
func (s *Sandbox) Controls() *sandbox.Client { return s.controls }

// do sends a request to the controls, and ends the test unless it succeeds.
func do[T any](s *Sandbox, method, path string, body any) T {
	s.t.Helper()
	answer, err := sandbox.Do[T](s.t.Context(), s.controls, method, path, body)
	if err != nil {
		s.t.Fatalf("mintmarktest: %s %s: %v", method, path, err)
	}
	return answer
}
