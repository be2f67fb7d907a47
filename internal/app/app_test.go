package app

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// sandboxIn returns the settings of a sandbox in a directory, on free ports.
func sandboxIn(dir string) Settings {
	return Settings{
		Sandbox: true, Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0", Data: dir,
	}
}

// keyFiles are the files of a data directory with nothing but the keys in it. To make them takes
// long, so that is done once.
var keyFiles = sync.OnceValues(func() (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "app")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if _, err := OpenVault(dir, true, nil); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	for _, entry := range entries {
		files[entry.Name()], err = os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
	}
	return files, nil
})

// dataDir returns a data directory for one test.
func dataDir(t *testing.T) string {
	t.Helper()
	files, err := keyFiles()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func start(t *testing.T, settings Settings) *App {
	t.Helper()
	running, err := Start(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	return running
}

func stop(t *testing.T, running *App) {
	t.Helper()
	if err := running.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// request makes a request of the key example1 on a connection of its own, so that none is left.
func request(t *testing.T, running *App, path, body string) (int, string) {
	t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(t.Context(), method, running.URL()+path,
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth("example1", "example1")
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// TestNothingIsLeft holds that nothing of an app goes on after it has ended, be its data in a
// file or in memory.
func TestNothingIsLeft(t *testing.T) {
	before := goleak.IgnoreCurrent()
	for _, dir := range []string{dataDir(t), ""} {
		running := start(t, sandboxIn(dir))
		if status, text := request(t, running, "/program/get", ""); status != 200 {
			t.Errorf("%d %s", status, text)
		}
		stop(t, running)
	}
	goleak.VerifyNone(t, before)
}

// TestNothingIsLeftOfAFailedStart holds the same of an app that cannot listen.
func TestNothingIsLeftOfAFailedStart(t *testing.T) {
	before := goleak.IgnoreCurrent()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	public := sandboxIn(dataDir(t))
	public.Listen = taken.Addr().String()
	admin := sandboxIn(dataDir(t))
	admin.AdminListen = taken.Addr().String()
	noTLS := sandboxIn(dataDir(t))
	noTLS.TLSCert = "certificate.pem"
	for _, row := range []struct {
		settings Settings
		want     string
	}{
		{public, "listen on " + public.Listen},
		{admin, "listen on " + admin.AdminListen},
		{noTLS, "TLS needs a certificate and its key"},
	} {
		running, err := Start(t.Context(), row.settings)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("the start gives %v, want %q", err, row.want)
		}
		if err == nil {
			stop(t, running)
		}
	}
	goleak.VerifyNone(t, before)
}

// TestSecondStart holds that a sandbox finds its data again as it was left.
func TestSecondStart(t *testing.T) {
	dir := dataDir(t)
	first := start(t, sandboxIn(dir))
	const lock = `{"customerId":1001,"cardId":5001,"lockReasonTypeCode":"TMP"}`
	if status, text := request(t, first, "/card/lock", lock); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	_, before := request(t, first, "/card/list/1001", "")
	stop(t, first)

	second := start(t, sandboxIn(dir))
	defer stop(t, second)
	_, after := request(t, second, "/card/list/1001", "")
	data := func(text string) string { cut, _, _ := strings.Cut(text, `,"errors"`); return cut }
	if data(before) != data(after) || strings.Count(after, `"cardId"`) != 8 {
		t.Errorf("before the second start\n%s\nand after\n%s", before, after)
	}
}

// inFlight begins a request that is at work until the rest of its body is sent.
func inFlight(t *testing.T, running *App) (conn net.Conn, rest string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(running.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	// The server asks for the body once the request has been admitted.
	_, err = io.WriteString(conn, "POST /card/unlock HTTP/1.1\r\nHost: a\r\n"+
		"Authorization: Basic ZXhhbXBsZTE6ZXhhbXBsZTE=\r\nContent-Length: 33\r\n"+
		"Expect: 100-continue\r\n\r\n")
	if err != nil {
		t.Fatal(err)
	}
	line := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
	if _, err := io.ReadFull(conn, line); err != nil {
		t.Fatal(err)
	}
	return conn, `{"customerId":1001,"cardId":5001}`
}

// TestCloseLetsRequestsFinish holds that a request that has begun is answered, and that no new
// one begins.
func TestCloseLetsRequestsFinish(t *testing.T) {
	running := start(t, sandboxIn(dataDir(t)))
	conn, rest := inFlight(t, running)
	closed := make(chan error, 1)
	go func() { closed <- running.Close(context.Background()) }()
	address := conn.RemoteAddr().String()
	for { // until nobody listens
		late, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		late.Close()
		time.Sleep(time.Millisecond)
	}
	select {
	case err := <-closed:
		t.Fatalf("closed with a request in flight: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	if _, err := io.WriteString(conn, rest); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		t.Errorf("the answer is %s", response.Status)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// TestCloseDoesNotWaitForEver holds that the end of the context ends what is in flight, whether
// its time is over or it was cancelled.
func TestCloseDoesNotWaitForEver(t *testing.T) {
	before := goleak.IgnoreCurrent()
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	over, stopClock := context.WithTimeout(context.Background(), time.Millisecond)
	defer stopClock()
	for _, ctx := range []context.Context{cancelled, over} {
		running := start(t, sandboxIn(dataDir(t)))
		conn, _ := inFlight(t, running)
		if err := running.Close(ctx); !errors.Is(err, context.Cause(ctx)) {
			t.Errorf("closing gives %v", err)
		}
		_, err := conn.Read(make([]byte, 1))
		if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the connection is open: %v", err)
		}
	}
	goleak.VerifyNone(t, before)
}

// TestSeed holds that a seed makes a sandbox repeatable, and that what is drawn for one purpose
// does not depend on what is drawn for another.
func TestSeed(t *testing.T) {
	draw := func(seed *uint64, purpose string) string {
		var drawn [16]byte
		if _, err := io.ReadFull(Settings{Seed: seed}.random(purpose), drawn[:]); err != nil {
			t.Fatal(err)
		}
		return string(drawn[:])
	}
	one, two := uint64(1), uint64(2)
	first, again := draw(&one, "a"), draw(&one, "a")
	if first != again {
		t.Error("the same seed gives something else")
	}
	for name, other := range map[string]string{
		"another seed": draw(&two, "a"), "another purpose": draw(&one, "b"),
		"no seed": draw(nil, "a"),
	} {
		if other == first {
			t.Errorf("%s gives the same", name)
		}
	}
}
