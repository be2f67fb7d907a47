package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"mintmark/client"
)

const (
	adasPassphrase   = "correct horse battery"
	gracesPassphrase = "staple of the nanosecond"
)

// passphrases creates the files of custodians, and the setting that names them.
func passphrases(t *testing.T, of map[string]string) (files map[string]string, setting string) {
	t.Helper()
	files = make(map[string]string)
	directory := t.TempDir()
	setting = "custody:\n  passphrases:\n"
	for name, text := range of {
		files[name] = filepath.Join(directory, name)
		if err := os.WriteFile(files[name], []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		setting += "    " + name + ": " + files[name] + "\n"
	}
	return files, setting
}

// newWrapped returns an installation whose keys two custodians wrap, with the demo data in it.
func newWrapped(t *testing.T) (p production, files map[string]string) {
	t.Helper()
	directory := t.TempDir()
	p = production{t, filepath.Join(directory, "data"), filepath.Join(directory, "mintmark.yaml")}
	files, setting := passphrases(t, map[string]string{
		"ada": adasPassphrase, "grace": gracesPassphrase,
	})
	configure(t, p.config, p.data, setting+"insecure: true\n")
	out := p.done("init", "--config", p.config)
	if !strings.Contains(out, "The key files are wrapped: passphrases ada and grace.") {
		t.Errorf("init says %q", out)
	}
	p.done("load", "--config", p.config, productionDemo(t, directory))
	return p, files
}

// wantWrapped checks that a data directory has no unwrapped keys.
func wantWrapped(t *testing.T, data string) {
	t.Helper()
	entries, err := os.ReadDir(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(data, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, mark := range []string{"PRIVATE KEY", "primaryKeyId", adasPassphrase} {
			if bytes.Contains(text, []byte(mark)) {
				t.Errorf("%s holds %q in the clear", entry.Name(), mark)
			}
		}
	}
}

// wantPinTaken checks that the program accepts a PIN under its public key.
func (p *process) wantPinTaken(pem string) {
	p.Helper()
	key, err := client.ParsePublicKey([]byte(pem))
	if err != nil {
		p.Fatal(err)
	}
	pin, err := client.EncryptPin(key, "4321")
	if err != nil {
		p.Fatal(err)
	}
	_, err = connect(p.T, p.url, "example1").CardResetPin(p.Context(), client.CardResetPinRequest{
		CustomerID: 1001, CardID: 5001, NewPin: pin,
	})
	if err != nil {
		p.Errorf("a PIN: %v", err)
	}
}

// TestCustodians serves with the passphrases of both custodians, and checks that a start with only
// one fails: nothing is opened, and the message names the missing one.
func TestCustodians(t *testing.T) {
	t.Parallel()
	p, files := newWrapped(t)
	wantWrapped(t, p.data)
	program := p.serve()
	program.wantPinTaken(program.probe("/pin-key.pem").body)
	same(t, "exit code", program.end(syscall.SIGTERM), 0)
	wantWrapped(t, p.data)
	if out, _ := run(t, "doctor", "--config", p.config); !strings.Contains(out,
		"the key files are wrapped by the passphrases of ada and grace") {
		t.Errorf("doctor says %s", out)
	}

	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(files[name], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	every := some([][]string{
		{"serve", "--config", p.config}, {"migrate", "--config", p.config},
		{"pin-key", "--config", p.config}, {"audit", "key", "--config", p.config},
		{"custody", "unwrap", "--config", p.config}, {"doctor", "--config", p.config},
	}, 1)
	refused := func(why string) {
		t.Helper()
		for _, command := range every {
			p.refused(why, command...)
		}
	}
	write("grace", "")
	refused(`the passphrase of grace: it is empty`)
	if err := os.Remove(files["grace"]); err != nil {
		t.Fatal(err)
	}
	refused(`the passphrase of grace: open .*grace: no such file`)
	out, _ := run(t, "serve", "--config", p.config)
	if strings.Contains(out, "passphrase of ada") || strings.Contains(out, adasPassphrase) {
		t.Errorf("serve says %s", out)
	}
	for _, wrong := range []string{adasPassphrase, "staple of the millisecond"} {
		write("grace", wrong)
		refused(`the passphrases of ada and grace do not open the keys together`)
	}
	write("grace", gracesPassphrase) // without a line ending
	if err := os.Chmod(files["grace"], 0o600); err != nil {
		t.Fatal(err)
	}
	// A copy of the directory alone opens nothing.
	p.refused(`the passphrase of ada: it is missing: .*\n?.*the passphrase of grace: it is missing`,
		append([]string{"migrate"}, on(t, p.data)...)...)
	same(t, "exit code", p.serve().end(syscall.SIGTERM), 0)
}

// TestCustodyChanges wraps unwrapped keys beside a server, rewraps them for another custodian, and
// unwraps them again. The audit log records the custody each time.
func TestCustodyChanges(t *testing.T) {
	t.Parallel()
	p := newProduction(t)
	serving := p.serve()
	_, setting := passphrases(t, map[string]string{
		"ada": adasPassphrase, "grace": gracesPassphrase,
	})
	configure(t, p.config, p.data, setting)
	p.refused("mintmark custody wrap", "init", "--config", p.config, "--custodians", "ada,grace")
	p.refused("are not wrapped", "custody", "unwrap", "--config", p.config)
	if out, _ := run(t, "doctor", "--config", p.config); !strings.Contains(out,
		"in the clear: keyset.json, pin-private.pem, processor-private.pem") {
		t.Errorf("doctor says %s", out)
	}
	p.done("custody", "wrap", "--config", p.config)
	wantWrapped(t, p.data)
	p.done("custody", "wrap", "--config", p.config) // there is nothing left to do
	serving.wantPinTaken(serving.probe("/pin-key.pem").body)
	same(t, "exit code", serving.end(syscall.SIGTERM), 0)

	_, next := passphrases(t, map[string]string{
		"ada": adasPassphrase, "linus": "just for fun, a hobby",
	})
	tomorrow := filepath.Join(t.TempDir(), "tomorrow.yaml")
	configure(t, tomorrow, p.data, next)
	p.done("custody", "rewrap", "--config", p.config, "--to", tomorrow)
	p.refused("the passphrase of linus: it is missing", "serve", "--config", p.config)
	p.config = tomorrow
	same(t, "exit code", p.serve().end(syscall.SIGTERM), 0)
	var state struct {
		Custody    string
		Custodians []string
		Files      []struct{ Name, State string }
	}
	out := p.done("custody", "status", "--config", p.config, "--output", "json")
	if err := json.Unmarshal([]byte(out), &state); err != nil {
		t.Fatal(err)
	}
	if state.Custody != "passphrases" || strings.Join(state.Custodians, " ") != "ada linus" ||
		len(state.Files) != 3 || state.Files[0].State != "wrapped" {
		t.Errorf("the state is %s", out)
	}
	p.done("custody", "unwrap", "--config", p.config)
	configure(t, p.config, p.data, "")
	same(t, "exit code", p.serve().end(syscall.SIGTERM), 0)
	for _, said := range []string{
		"keys wrapped by the passphrases of ada and grace",
		"keys wrapped by the passphrases of ada and linus", "keys in the clear",
	} {
		if query(t, p.data, `SELECT CAST(count(*) AS TEXT) FROM audit WHERE route = 'custody' AND
			outcome = '`+said+`'`) == "0" {
			t.Errorf("the audit does not say %q", said)
		}
	}
}

// TestPinKeysOverlap changes the PIN key: PINs under the old one are accepted until it is retired,
// and a node that lacks one of the two does not start.
func TestPinKeysOverlap(t *testing.T) {
	t.Parallel()
	p := newProduction(t)
	was := p.done("pin-key", "--config", p.config)
	oldID := query(t, p.data, `SELECT pin_key_fingerprint FROM installation`)
	out := p.done("pin-key", "rotate", "--config", p.config)
	newID := strings.Fields(out)[0]
	p.refused("there are already two PIN keys", "pin-key", "rotate", "--config", p.config)
	same(t, "the key before it is published", p.done("pin-key", "--config", p.config), was)

	program := p.serve()
	same(t, "the key that is given out", program.probe("/pin-key.pem").body, was)
	if ready := program.probe("/readyz?verbose"); ready.status != http.StatusOK ||
		!strings.Contains(ready.body, oldID) || !strings.Contains(ready.body, newID) {
		t.Errorf("readyz answers %s", ready.body)
	}
	p.refused("there is no such PIN key: 0123", "pin-key", "publish", "0123", "--config", p.config)
	p.refused("is published: publish the other", "pin-key", "retire", oldID, "--config", p.config)
	p.done("pin-key", "publish", newID, "--config", p.config)
	printed := p.done("pin-key", "print", "--config", p.config)
	if printed == was {
		t.Error("the old key is still published")
	}
	program.wantPinTaken(printed) // a node that was not restarted since
	same(t, "exit code", program.end(syscall.SIGTERM), 0)

	second := filepath.Join(p.data, "pin-private-new.pem")
	if err := os.Rename(second, second+".away"); err != nil {
		t.Fatal(err)
	}
	p.refused("remembers the PIN key "+newID+" and "+oldID+", and .* is "+oldID, "serve",
		"--config", p.config)
	if err := os.Rename(second+".away", second); err != nil {
		t.Fatal(err)
	}
	program = p.serve()
	same(t, "the key that is given out", program.probe("/pin-key.pem").body, printed)
	program.wantPinTaken(was)
	program.wantPinTaken(printed)
	same(t, "exit code", program.end(syscall.SIGTERM), 0)

	p.done("pin-key", "retire", oldID, "--config", p.config)
	same(t, "what the database remembers",
		query(t, p.data, `SELECT pin_key_fingerprint FROM installation`), newID)
	if _, err := os.Stat(second); err == nil {
		t.Error("there is still a second key file")
	}
	program = p.serve()
	program.wantPinTaken(printed)
	key, err := client.ParsePublicKey([]byte(was))
	if err != nil {
		t.Fatal(err)
	}
	pin, err := client.EncryptPin(key, "4321")
	if err != nil {
		t.Fatal(err)
	}
	_, err = connect(t, program.url, "example1").CardResetPin(t.Context(),
		client.CardResetPinRequest{CustomerID: 1001, CardID: 5001, NewPin: pin})
	if err == nil || !strings.Contains(err.Error(), "150901") {
		t.Errorf("a PIN under the retired key gives %v", err)
	}
	same(t, "exit code", program.end(syscall.SIGTERM), 0)
	if out := p.done("pin-key", "status", "--config", p.config); !strings.Contains(out,
		newID+"  published") || strings.Contains(out, oldID) {
		t.Errorf("status says %s", out)
	}
}

// transit is a key service with one key that answers like the transit engine of Vault. It encrypts
// by reversing the text.
type transit struct {
	*httptest.Server
	asked atomic.Int32
}

func newTransit(t *testing.T, token string) *transit {
	t.Helper()
	s := &transit{}
	answer := func(
		w http.ResponseWriter, r *http.Request, member string, make func(string) string,
	) {
		s.asked.Add(1)
		if r.Header.Get("X-Vault-Token") != token {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"errors":["permission denied"]}`)
			return
		}
		var body map[string]string
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"data": map[string]string{member: make(body["plaintext"] + body["ciphertext"])},
		})
	}
	turn := func(text string) string {
		letters := []byte(text)
		slices.Reverse(letters)
		return string(letters)
	}
	mux := http.NewServeMux()
	const path = "POST /v1/transit/"
	mux.HandleFunc(path+"encrypt/mintmark", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, "ciphertext", func(text string) string { return "vault:v1:" + turn(text) })
	})
	mux.HandleFunc(path+"decrypt/mintmark", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, "plaintext", func(text string) string {
			return turn(strings.TrimPrefix(text, "vault:v1:"))
		})
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// TestKeyService creates keys that a key service wraps, and keeps serving while it is away. A
// process that starts without the service cannot open the keys.
func TestKeyService(t *testing.T) {
	t.Parallel()
	const token = "s.key-service"
	service := newTransit(t, token)
	directory := t.TempDir()
	tokenFile := filepath.Join(directory, "token")
	if err := os.WriteFile(tokenFile, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	p := production{t, filepath.Join(directory, "data"), filepath.Join(directory, "mintmark.yaml")}
	configure(t, p.config, p.data, "insecure: true\ncustody:\n  transit: {address: '"+service.URL+
		"', key: mintmark, tokenFile: token}\n")
	if out := p.done("init", "--config", p.config); !strings.Contains(out,
		"The key files are wrapped: transit mintmark.") {
		t.Errorf("init says %q", out)
	}
	p.done("load", "--config", p.config, productionDemo(t, directory))
	wantWrapped(t, p.data)
	program := p.serve()
	requests := service.asked.Load()
	program.wantPinTaken(program.probe("/pin-key.pem").body)
	same(t, "requests while it serves", service.asked.Load(), requests)

	if err := os.WriteFile(tokenFile, []byte("s.wrong"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.refused("status 403: the token is wrong, has expired, or may not use the key", "serve",
		"--config", p.config)
	if err := os.WriteFile(tokenFile, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	service.Close()
	program.wantPinTaken(program.probe("/pin-key.pem").body)
	same(t, "exit code", program.end(syscall.SIGTERM), 0)
	const unreachable = 3
	out, code := run(t, "migrate", "--config", p.config)
	if code != unreachable || !strings.Contains(out, "cannot decrypt with the key mintmark") {
		t.Errorf("without the key service migrate ends with %d and %s", code, out)
	}
}
