package app

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
)

// sandboxIn returns the settings of a sandbox with a data directory, on free ports.
func sandboxIn(dir string) Settings {
	return Settings{
		Sandbox: true, Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0", Data: dir,
	}
}

// keyFiles returns the files of a new sandbox's data directory, which are only its keys. Creating
// keys is slow, so the tests share them.
var keyFiles = sync.OnceValues(func() (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "app")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := installation.MarkDirectory(context.Background(), dir, store.Sandbox); err != nil {
		return nil, err
	}
	if _, err := installation.OpenVault(dir, true, nil); err != nil {
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

// request sends a request with the key example1 on a new connection, which it closes.
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

// TestNothingIsLeft checks that Close ends every goroutine and connection of an app, with a
// database in a file and in memory.
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

// TestNothingIsLeftOfAFailedStart checks the same for apps that fail to start.
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
	broken := sandboxIn(dataDir(t))
	noDatabase := []byte(strings.Repeat("This is no database. ", 1000))
	err = os.WriteFile(filepath.Join(broken.Data, installation.DatabaseFile), noDatabase, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	marked := sandboxIn(dataDir(t))
	stop(t, start(t, marked))
	marked.Sandbox = false
	for _, row := range []struct {
		settings Settings
		want     string
	}{
		{marked, "belongs to a sandbox"},
		{public, "listen on " + public.Listen},
		{admin, "listen on " + admin.AdminListen},
		{noTLS, "TLS needs a certificate and its key"},
		{broken, "file is not a database"},
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

// TestSecondStart checks that a sandbox retains its data, changed by callers and by the operator,
// across a restart.
func TestSecondStart(t *testing.T) {
	dir := dataDir(t)
	first := start(t, sandboxIn(dir))
	const lock = `{"customerId":1001,"cardId":5001,"lockReasonTypeCode":"TMP"}`
	if status, text := request(t, first, "/card/lock", lock); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	_, before := request(t, first, "/card/list/1001", "")
	stop(t, first)
	lockCustomer(t, dir, 1002)

	second := start(t, sandboxIn(dir))
	defer stop(t, second)
	_, after := request(t, second, "/card/list/1001", "")
	data := func(text string) string { cut, _, _ := strings.Cut(text, `,"errors"`); return cut }
	if data(before) != data(after) || strings.Count(after, `"cardId"`) != 8 {
		t.Errorf("before the second start\n%s\nand after\n%s", before, after)
	}

	if _, locked := request(t, second, "/card/list/1002", ""); !strings.Contains(locked, "60004") {
		t.Errorf("the customer that the operator has locked is answered %s", locked)
	}
}

// lockCustomer locks a customer in a data directory that is not in use.
func lockCustomer(t *testing.T, dir string, id int) {
	t.Helper()
	kept, err := installation.OpenStore(t.Context(), dir, installation.Database{})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	err = kept.Update(t.Context(), func(tx store.Tx) error {
		locked, err := tx.Customers().Find(1, id)
		if err != nil {
			return err
		}
		locked.IsLocked = true
		return tx.Customers().Put(locked)
	})
	if err != nil {
		t.Fatal(err)
	}
}
