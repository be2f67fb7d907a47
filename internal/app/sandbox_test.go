package app

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	wire "mintmark/client/sandbox"
	"mintmark/internal/app/sandboxed"
	"mintmark/internal/base/clock"
	"mintmark/internal/operate/installation"
	"mintmark/internal/testkit/testinstall"
)

// raw sends bytes on a new connection, and returns the whole response.
func raw(t *testing.T, address, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

// TestEnvironmentIsNamed checks that every response of a sandbox names its environment, on both
// addresses and also below HTTP, and that no response of production does.
func TestEnvironmentIsNamed(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	testinstall.Init(t, installation.Location{Data: data})
	production := sandboxIn(data)
	production.Sandbox = false
	for _, settings := range []Settings{sandboxIn(""), production} {
		running := start(t, settings)
		defer stop(t, running)
		for _, text := range []string{
			"GET /program/get HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
			"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
			"GET /docs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
			"GET /console/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
			"GET /admin/v1/me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
			"GET /nowhere HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n",
			"GET /healthz HTTP/1.0\r\n\r\n",
			"GET / HTTP/1.1\r\nno header\r\n\r\n",
			"GET / HTTP/9.9\r\n\r\n",
			"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n" +
				"Transfer-Encoding: chunked\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: localhost\r\nExpect: a miracle\r\nConnection: close\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: localhost\r\nLong: " + strings.Repeat("a", 40_000) +
				"\r\n\r\n",
			"\x16\x03\x01 nonsense\r\n\r\n",
		} {
			for _, address := range []string{running.URL(), running.AdminURL()} {
				head, _, _ := strings.Cut(raw(t, address, text), "\r\n\r\n")
				named := strings.Count(head, "\r\nMintmark-Environment: sandbox")
				if settings.Sandbox != (named == 1) {
					t.Errorf("sandbox %v, %.60q is answered\n%s", settings.Sandbox, text, head)
				}
			}
		}
		if settings.Sandbox {
			continue
		}
		for _, path := range []string{"world", "clock", "reset", "cards/5001/number", ""} {
			answer := raw(t, running.AdminURL(), "GET /sandbox/v1/"+path+
				" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
			if !strings.HasPrefix(answer, "HTTP/1.1 404 ") {
				t.Errorf("production answers %s with\n%s", path, answer)
			}
		}
	}
}

// TestNamedRaw checks the position of the header in a response below HTTP.
func TestNamedRaw(t *testing.T) {
	t.Parallel()
	refuse := sandboxed.NamedRaw(func(int, net.Addr) []byte {
		return []byte("HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\n\r\n{}")
	})
	const want = "HTTP/1.1 426 Upgrade Required\r\nMintmark-Environment: sandbox\r\n" +
		"Connection: close\r\n\r\n{}"
	if got := string(refuse(426, nil)); got != want {
		t.Errorf("the refusal is %q", got)
	}
}

// TestControlsWantAHost sends requests to the controls as a web page would, and as one that hides
// behind HTTP/1.0, which needs no Host.
func TestControlsWantAHost(t *testing.T) {
	t.Parallel()
	settings := sandboxIn("")
	settings.SandboxHosts = []string{"cards.test"}
	running := start(t, settings)
	defer stop(t, running)
	for text, want := range map[string]string{
		"POST /sandbox/v1/cards/5001/lock HTTP/1.1\r\nHost: localhost\r\n":                 "200",
		"POST /sandbox/v1/cards/5001/lock HTTP/1.1\r\nHost: [::1]:9\r\n":                   "200",
		"POST /sandbox/v1/cards/5001/lock HTTP/1.1\r\nHost: Cards.Test\r\n":                "200",
		"POST /sandbox/v1/cards/5001/lock HTTP/1.0\r\nHost: localhost\r\n":                 "200",
		"POST /sandbox/v1/cards/5001/lock HTTP/1.1\r\nHost: evil.test\r\n":                 "403",
		"POST /sandbox/v1/cards/5001/lock HTTP/1.0\r\n":                                    "403",
		"POST http://localhost/sandbox/v1/cards/5001/lock HTTP/1.1\r\nHost: x\r\n":         "200",
		"POST http://evil.test/sandbox/v1/cards/5001/lock HTTP/1.1\r\nHost: localhost\r\n": "403",
		"POST /sandbox/v1/cards/5001/lock HTTP/1.0\r\nHost: evil.test\r\n":                 "403",
		"POST /sandbox/v1/cards/5001/lock HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\n": "403",
		"POST /sandbox/v1/cards/5001/lock HTTP/1.1\r\nHost: localhost\r\n" +
			"Origin: http://evil.test\r\n": "403",
		"POST /sandbox/v1/cards/5001/lock HTTP/1.0\r\nOrigin: http://evil.test\r\n": "403",
		"POST /sandbox/v1/cards/5001/lock HTTP/1.1\r\nHost: localhost\r\n" +
			"Origin: http://localhost:1\r\n": "403",
		"POST /sandbox/v1/cards/5001/lock HTTP/1.1\r\nHost: localhost\r\n" +
			"Sec-Fetch-Site: cross-site\r\n": "403",
		"GET /sandbox/v1/world HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n" +
			"Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n": "403",
	} {
		const body = `{"lockReasonTypeCode":"ADM"}`
		answer := raw(t, running.AdminURL(), text+
			"Connection: close\r\nContent-Length: 28\r\n\r\n"+body)
		if _, after, _ := strings.Cut(answer, " "); !strings.HasPrefix(after, want) {
			t.Errorf("%q is answered %.200s, want %s", text, answer, want)
		}
		if strings.Contains(answer, "Access-Control-Allow") {
			t.Errorf("%q: another page may read %s", text, answer)
		}
	}
}

// TestReady compares the ready document of a sandbox with the sandbox, and with docs/sandbox.md.
func TestReady(t *testing.T) {
	t.Parallel()
	settings := sandboxIn("")
	settings.Clock = clock.FrozenAt(time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC))
	running := start(t, settings)
	defer stop(t, running)
	text, err := json.Marshal(running.Ready())
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```json ready\n(.*?)```").FindSubmatch(page)
	for _, text := range [][]byte{text, shown[1]} {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		var read wire.Ready
		if err := decoder.Decode(&read); err != nil || read.URL == "" || read.AdminURL == "" ||
			read.PID == 0 || read.Keys["example1"] != "example1" ||
			!strings.HasPrefix(read.PinKey, "-----BEGIN PUBLIC KEY-----\n") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for name, secret := range running.Ready().Keys {
		r, err := http.NewRequestWithContext(t.Context(), "GET", running.URL()+"/program/get", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth(name, secret)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		opens := name != "expired" && name != "elsewhere"
		if opens != (response.StatusCode == http.StatusOK) {
			t.Errorf("%s is answered %d", name, response.StatusCode)
		}
	}
	notes := map[string]string{}
	for _, key := range control[wire.World](t, running, "GET", "world", nil).Keys {
		notes[key.Name] = key.Note
	}
	if notes["expired"] == "" || notes["limited"] != "2 requests a second" ||
		notes["elsewhere"] != "only from 192.0.2.0/24" || notes["example1"] != "" {
		t.Errorf("the notes are %q", notes)
	}
}
