package e2e

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mintmark/e2e/ledger"
	"mintmark/e2e/recording"
)

// production is a production installation with the demo data.
type production struct {
	*testing.T
	data, config string
}

func newProduction(t *testing.T) production {
	t.Helper()
	directory := t.TempDir()
	p := production{t, filepath.Join(directory, "data"), filepath.Join(directory, "mintmark.yaml")}
	configure(t, p.config, p.data, "")
	initialize(t, "--config", p.config)
	loadDemo(t, p.data)
	return p
}

// done runs a command that must succeed.
func (p production) done(args ...string) string {
	p.Helper()
	out, code := run(p.T, args...)
	if code != 0 {
		p.Fatalf("%q ends with %d: %s", args, code, out)
	}
	return out
}

// refused runs a command that must fail and print why.
func (p production) refused(why string, args ...string) {
	p.Helper()
	// A command that does not fail would serve forever.
	ctx, stop := context.WithTimeout(p.Context(), 30*time.Second)
	defer stop()
	program := exec.CommandContext(ctx, command(p.T).Path, args...)
	text, _ := program.CombinedOutput() // the exit code is checked
	out, code := string(text), program.ProcessState.ExitCode()
	if code != 1 || !regexp.MustCompile(why).MatchString(out) {
		p.Errorf("%q ends with %d and %q, want %q", args, code, out, why)
	}
}

// serve serves the installation.
func (p production) serve() *process {
	p.Helper()
	return serve(p.T, command(p.T, "serve", "--config", p.config), "serves on")
}

// TestOneServer starts a second server on an embedded database, which fails and names the first.
// Commands work beside a server, and the lock of a killed server is gone. Any number of servers can
// share a database on a server.
func TestOneServer(t *testing.T) {
	t.Parallel()
	p := newProduction(t)
	first := p.serve()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if ledger.On() == ledger.Postgres {
		same(t, "exit code", p.serve().end(syscall.SIGTERM), 0)
	} else {
		p.refused("is already served by mintmark serve, process "+
			strconv.Itoa(first.command.Process.Pid)+" on "+regexp.QuoteMeta(host)+
			` since \d{4}-\d\d-\d\dT`, "serve", "--config", p.config)
		pid := strconv.Itoa(first.command.Process.Pid)
		out := p.done("doctor", "--config", p.config)
		if !strings.Contains(out, "served by mintmark serve, process "+pid+" on ") {
			t.Errorf("doctor does not name the serving process: %s", out)
		}
	}
	p.done("migrate", "--config", p.config)
	loadDemo(t, p.data)
	p.done("pin-key", "--config", p.config)
	if out := p.done("init", "--config", p.config); !strings.Contains(out, "nothing was changed") {
		t.Errorf("init beside a server says %q", out)
	}
	first.end(syscall.SIGKILL)
	second := p.serve()
	same(t, "exit code", second.end(syscall.SIGTERM), 0)

	sandboxed := filepath.Join(t.TempDir(), "data")
	running := sandbox(t, "--data", sandboxed)
	args := append([]string{"sandbox", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"},
		on(t, sandboxed)...)
	if ledger.On() == ledger.SQLite {
		p.refused("is already served by mintmark sandbox, process ", args...)
	}
	same(t, "exit code", running.end(syscall.SIGTERM), 0)
}

// TestEnvironmentsStayApart starts a sandbox on the database of production, and production on that
// of a sandbox.
func TestEnvironmentsStayApart(t *testing.T) {
	t.Parallel()
	p := newProduction(t)
	sandboxed := filepath.Join(t.TempDir(), "data")
	same(t, "exit code", sandbox(t, "--data", sandboxed).end(syscall.SIGTERM), 0)
	p.refused("data belongs to production", append([]string{"sandbox"}, on(t, p.data)...)...)
	config := filepath.Join(t.TempDir(), "mintmark.yaml")
	configure(t, config, sandboxed, "")
	p.refused("belongs to a sandbox", "serve", "--config", config)
	p.refused("belongs to a sandbox", "init", "--config", config)
	if ledger.On() == ledger.SQLite {
		// The mark in the database works without the one in the directory.
		if err := os.Remove(filepath.Join(sandboxed, "sandbox")); err != nil {
			t.Fatal(err)
		}
		p.refused("belongs to a sandbox installation", "serve", "--config", config)
		p.refused("belongs to a sandbox", "init", "--config", config)
		return
	}
	fresh := filepath.Join(t.TempDir(), "data")
	url := ledger.Database(t, p.data).URL
	p.refused("database on the server belongs to a production installation",
		"sandbox", "--data", fresh, "--database", url)
	p.refused("database on the server belongs to a production installation",
		"sandbox", "--data", sandboxed, "--database", url)
	p.refused("database on the server belongs to a sandbox",
		"init", "--data", filepath.Join(t.TempDir(), "data"),
		"--database", ledger.Database(t, sandboxed).URL)
	p.refused("database on the server belongs to a sandbox installation",
		"load", "--data", p.data, "--database", ledger.Database(t, sandboxed).URL,
		"../internal/app/demo/demo.yaml")
}

// TestEnvironmentsRace initializes production and starts a sandbox at the same place at the same
// time. One of them gets the place, and the other one reports the owner.
func TestEnvironmentsRace(t *testing.T) {
	t.Parallel()
	for range some(make([]struct{}, 4), 2) {
		data := filepath.Join(t.TempDir(), "data")
		// On a server they meet only at the database.
		other := data
		if ledger.On() == ledger.Postgres {
			other = filepath.Join(t.TempDir(), "data")
		}
		url := ledger.Database(t, data).URL
		var created int
		var out string
		var both sync.WaitGroup
		both.Go(func() {
			out, created = run(t, "init", "--data", data, "--database", url)
		})
		tried := command(t, "sandbox", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0",
			"--data", other, "--database", url)
		log := new(logText)
		tried.Stderr, tried.Stdout = log, log
		if err := tried.Start(); err != nil {
			t.Fatal(err)
		}
		both.Wait()
		if created == 0 {
			err := tried.Wait()
			// It may come when the tables exist but do not say yet what they are for.
			refused := regexp.MustCompile("production|does not belong to a sandbox")
			if err == nil || !refused.MatchString(log.String()) {
				t.Errorf("init has made the database, and the sandbox ends with %v: %s", err, log)
			}
			continue
		}
		if !strings.Contains(out, "sandbox") {
			t.Errorf("init says %q", out)
		}
		log.awaitText(t, "/card/getbytag/")
		_ = tried.Process.Kill()
		_ = tried.Wait()
		same(t, "environment", query(t, data, `SELECT environment FROM installation`), "sandbox")
	}
}

var forOperators = regexp.MustCompile(`for operators on (\S+)`)

// TestFingerprintsAreShown asks a server which keys it uses, and checks the lines that it logs at
// its start and its end.
func TestFingerprintsAreShown(t *testing.T) {
	t.Parallel()
	p := newProduction(t)
	program := p.serve()
	response, err := recording.Client(t).Get(
		forOperators.FindStringSubmatch(program.opening)[1] + "/readyz?verbose")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var shown map[string]any
	if err := json.Unmarshal(text, &shown); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	same(t, "status", response.StatusCode, http.StatusOK)
	same(t, "keyset", shown["keyset"],
		any(query(t, p.data, `SELECT keyset_fingerprint FROM installation`)))
	same(t, "PIN key", shown["pinKey"],
		any(query(t, p.data, `SELECT pin_key_fingerprint FROM installation`)))
	same(t, "exit code", program.end(syscall.SIGTERM), 0)

	store := map[ledger.Engine]string{ledger.SQLite: "embedded", ledger.Postgres: "postgresql"}
	for _, want := range []string{
		`"level":"INFO","msg":"started","version":"`, `"listen":"` + program.url + `"`,
		`"store":"` + store[ledger.On()] + `"`, `"environment":"production"`,
		`"level":"INFO","msg":"stopping"`, `"level":"INFO","msg":"stopped"`,
	} {
		if !strings.Contains(program.log.String(), want) {
			t.Errorf("the log does not say %s:\n%s", want, program.log)
		}
	}
}

// TestInsecureIsSaid serves with insecure settings that are accepted explicitly, and checks the
// warning about each.
func TestInsecureIsSaid(t *testing.T) {
	t.Parallel()
	p := newProduction(t)
	keyset := filepath.Join(p.data, "keyset.json")
	if err := os.Chmod(keyset, 0o644); err != nil {
		t.Fatal(err)
	}
	configure(t, p.config, p.data, "adminListen: 0.0.0.0:0\n")
	p.refused("adminListen: 0.0.0.0:0 can be reached from other machines",
		"serve", "--config", p.config)
	configure(t, p.config, p.data, "")
	p.refused("keyset.json has mode 0644", "serve", "--config", p.config)
	configure(t, p.config, p.data, "adminListen: 0.0.0.0:0\ninsecure: true\n")
	program := p.serve()
	same(t, "exit code", program.end(syscall.SIGTERM), 0)
	for _, want := range []string{
		`"level":"WARN","msg":"insecure","what":"adminListen: 0.0.0.0:0 can be reached`,
		`"level":"WARN","msg":"insecure","what":"` + keyset + ` can be accessed by users`,
	} {
		if !strings.Contains(program.log.String(), want) {
			t.Errorf("the log does not say %s:\n%s", want, program.log)
		}
	}
}
