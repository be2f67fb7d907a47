package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mintmark/internal/face/web"
	"mintmark/internal/operate/installation"
	"mintmark/internal/testkit/testrun"
	"mintmark/internal/vault/signature"
)

// TestReloadWhileServing changes every reloadable setting while callers send requests on old and
// new connections. No request may be refused, and no goroutine or connection may be left.
func TestReloadWhileServing(t *testing.T) {
	before := goleak.IgnoreCurrent()
	running := start(t, sandboxIn(dataDir(t)))
	ctx, done := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	for i := range 4 {
		callers.Go(func() {
			transport := &http.Transport{DisableKeepAlives: i%2 == 0}
			defer transport.CloseIdleConnections()
			for ctx.Err() == nil {
				ask(t, transport, running.URL())
			}
		})
	}
	settings := running.Settings
	for i := range 20 {
		settings.Nodes = i%3 + 1
		settings.PublicURL = "https://example.com/" + strings.Repeat("x", i%5)
		settings.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}[:i%2]
		settings.Limits.HeaderTimeout = time.Duration(i%2+1) * time.Second
		settings.Limits.BodyBytes = int64(i%2+1) << 10
		settings.Limits.Connections = 100 + i
		if err := running.Reload(settings); err != nil {
			t.Error(err)
		}
	}
	done()
	callers.Wait()
	stop(t, running)
	goleak.VerifyNone(t, before)
}

func ask(t *testing.T, by http.RoundTripper, url string) {
	request, err := http.NewRequestWithContext(context.Background(), "GET", url+"/program/get", nil)
	if err != nil {
		t.Error(err)
		return
	}
	request.SetBasicAuth("example1", "example1")
	response, err := by.RoundTrip(request)
	if err != nil {
		t.Error(err)
		return
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("a caller is answered %s", response.Status)
	}
}

// TestReloadSaysHowMuchHasChanged checks the log line, also when nothing has changed.
func TestReloadSaysHowMuchHasChanged(t *testing.T) {
	settings := sandboxIn(dataDir(t))
	logged := &lines{}
	settings.Log = slog.New(slog.NewJSONHandler(logged, nil))
	running := start(t, settings)
	defer stop(t, running)
	settings = running.Settings
	reload := func(want string) {
		t.Helper()
		if err := running.Reload(settings); err != nil {
			t.Fatal(err)
		}
		if _, line, _ := strings.Cut(logged.last(), `"msg":`); line != want {
			t.Errorf("the line is %s, want %s", line, want)
		}
	}
	reload(`"settings reloaded","changes":0}`)
	settings.Nodes = 3
	reload(`"settings reloaded","changes":1,"changed":{"nodes":"1 → 3"}}`)
	settings.Listen = "127.0.0.1:1"
	reload(`"settings reloaded","changes":0,"needsRestart":{"listen":"127.0.0.1:0 → 127.0.0.1:1"}}`)
	passphrase := filepath.Join(t.TempDir(), "ada")
	err := errors.Join(os.WriteFile(passphrase, nil, 0o600), os.Chmod(passphrase, 0o644))
	if err != nil {
		t.Fatal(err)
	}
	settings.Insecure, settings.Custody.Passphrases = true, map[string]string{"ada": passphrase}
	reload(`"insecure","what":"` + passphrase + ` can be accessed by users other than its owner"}`)
}

// lines is a log in memory.
type lines struct {
	mu   sync.Mutex
	text []string
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, strings.TrimSpace(string(line)))
	return len(line), nil
}

func (l *lines) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text[len(l.text)-1]
}

// requests returns the log lines of requests.
func (l *lines) requests() (all []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.text {
		if strings.Contains(line, `"msg":"request"`) {
			all = append(all, line)
		}
	}
	return all
}

// TestReloadReachesEveryFace reloads the trusted proxies and the timeout of a body: all faces on
// both addresses must apply them from the next request on.
func TestReloadReachesEveryFace(t *testing.T) {
	t.Parallel()
	settings, logged := sandboxIn(dataDir(t)), &lines{}
	settings.Log = slog.New(slog.NewJSONHandler(logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	running := start(t, settings)
	t.Cleanup(func() { stop(t, running) })
	faces := []struct{ name, url, body string }{
		{"callers", running.URL() + "/card/lock", "{}"},
		{"operators", running.AdminURL() + "/admin/v1/cards/1/lock", "{}"},
		{"console", running.AdminURL() + "/console/sign-in", "name=a&password=b"},
		{"processor", running.AdminURL() + "/processor/v1/reports", "{}"},
		{"sandbox", running.AdminURL() + "/sandbox/v1/clock", "{}"},
		{"pages", running.AdminURL() + "/healthz", ""},
	}
	wantAddress := func(face, url, body, want string) {
		t.Helper()
		before := len(logged.requests())
		method := http.MethodPost
		if body == "" {
			method = http.MethodGet
		}
		r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Forwarded-For", "192.0.2.7")
		response, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		testrun.Within(t, "the request is logged",
			func() bool { return len(logged.requests()) > before })
		line := logged.requests()[before]
		if !strings.Contains(line, `"address":"`+want+`"`) {
			t.Errorf("%s: the address is not %s: %s", face, want, line)
		}
	}
	for _, of := range faces {
		wantAddress(of.name, of.url, of.body, "127.0.0.1")
	}
	settings = running.Settings
	settings.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	settings.Limits.BodyTimeout = 100 * time.Millisecond
	if err := running.Reload(settings); err != nil {
		t.Fatal(err)
	}
	for _, of := range faces {
		wantAddress(of.name, of.url, of.body, "192.0.2.7")
		if of.body != "" {
			before := len(logged.requests())
			wantBodyTimeout(t, of.name, of.url)
			testrun.Within(t, "the request is logged",
				func() bool { return len(logged.requests()) > before })
		}
	}
}

// wantBodyTimeout begins a body that never ends, and expects the connection to be closed long
// before the default timeout of a body.
func wantBodyTimeout(t *testing.T, face, address string) {
	t.Helper()
	server, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nOrigin: http://%[2]s\r\n"+
		"Authorization: Basic ZXhhbXBsZTE6ZXhhbXBsZTE=\r\nContent-Length: 9\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\n\r\n", server.Path, server.Host)
	err = errors.Join(err, conn.SetReadDeadline(time.Now().Add(web.DefaultBodyTimeout/2)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(conn); err != nil {
		t.Errorf("%s waits for a body: %v", face, err)
	}
}

// TestReloadListsEverySetting checks that every changed setting is logged.
func TestReloadListsEverySetting(t *testing.T) {
	empty := Settings{}.list()
	signing, err := signature.NewSecret([]byte("secretsecretsecretsecret"))
	if err != nil {
		t.Fatal(err)
	}
	full := Settings{
		Processor: Processor{
			Kind: "g", URL: "h", JWKS: "i", Folder: "j", Secrets: []signature.Secret{signing},
		},
		ReportSecrets: []signature.Secret{signing},
		Listen:        "a", AdminListen: "b", Data: "c", TLSCert: "d", TLSKey: "e", PublicURL: "f",
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, Nodes: 2,
		WebhooksAllow: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
		FourEyes:      true, TokensApprove: true, Insecure: true, Traces: "http://k",
		Retention: Retention{
			Answers: 1, Deliveries: 2, Orders: 3, Approvals: 4,
			Reconciliations: 6,
		},
		Archives: Archives{Keep: 5, Directory: "n"},
		Database: installation.Database{URL: "postgres://secret@db/m", ReadCache: 1},
		Limits:   Limits{1, 2, 3, 4, 5, 6, 7, 8}, ConsoleURL: "k",
		OpenID:  OpenID{Issuer: "l", ClientSecret: "secret"},
		Custody: installation.Custody{Passphrases: map[string]string{"ada": "m"}},
	}.list()
	for i, was := range empty {
		if was.value == full[i].value {
			t.Errorf("%s does not show in the list", was.name)
		}
		line := was.change(full[i]).Value.String()
		if strings.Contains(line, "secret") || strings.Contains(line, "c2Vjcm") {
			t.Errorf("%s shows its value", line)
		}
	}
}
