package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	neturl "net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mintmark/client"
	"mintmark/e2e/ledger"
	"mintmark/e2e/recording"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testrun"
)

// probed is a response from the operators' address.
type probed struct {
	status int
	body   string
}

// probe sends a request to the operators' address.
func (p *process) probe(path string) probed {
	p.Helper()
	answer, err := recording.Client(p.T).Get(p.adminURL() + path)
	if err != nil {
		p.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		p.Fatal(err)
	}
	return probed{answer.StatusCode, string(text)}
}

// awaitReady waits until /readyz responds with a status.
func (p *process) awaitReady(status int) probed {
	p.Helper()
	var got probed
	testrun.Within(p.T, fmt.Sprint("/readyz answers ", status), func() bool {
		got = p.probe("/readyz")
		return got.status == status
	}, func() any { return got })
	return got
}

// orderer orders one card after another, and records the acknowledged ones.
type orderer struct {
	*process
	api  *client.Client
	made map[string]int // by tag
	next int
}

func (o *orderer) order() error {
	o.next++
	card, err := o.api.CardInitiate(o.Context(), newCard(fmt.Sprint("card ", o.next)))
	if err == nil {
		o.made[card.Tag] = card.CardID
	}
	return err
}

// unready takes away the means to write from a running program, and gives them back. Meanwhile
// /readyz must report why it is not ready, writes must be rejected, and reads must succeed.
func unready(t *testing.T, p *process, take, giveBack func()) {
	t.Helper()
	o := &orderer{process: p, api: client.New(p.url, "example1", "example1"),
		made: make(map[string]int)}
	p.awaitReady(http.StatusNoContent)
	if err := o.order(); err != nil {
		t.Fatal(err)
	}
	take()
	// There may still be a little room: some writes still succeed.
	refused := 0
	testrun.Within(t, "ten writes are refused", func() bool {
		err := o.order()
		var failure *client.Failure
		if err != nil && (!errors.As(err, &failure) || !failure.Has(50503)) {
			t.Fatalf("a write is answered %v, want 50503", err)
		}
		if err != nil {
			refused++
		}
		return refused == 10
	})
	got := p.awaitReady(http.StatusServiceUnavailable)
	if !strings.HasPrefix(got.body, "nothing can be written: ") ||
		strings.Count(got.body, "\n") != 1 {
		t.Errorf("the reason is %q", got.body)
	}
	t.Logf("the reason: %s", got.body)
	if got := p.probe("/healthz"); got.status != http.StatusNoContent {
		t.Errorf("/healthz answers %d", got.status)
	}
	wantVerbose(t, p, http.StatusServiceUnavailable, false)
	if ledger.On() == ledger.SQLite {
		if _, err := o.api.CardList(t.Context(), customer); err != nil {
			t.Errorf("a read is answered %v", err)
		}
	}

	giveBack()
	p.awaitReady(http.StatusNoContent)
	wantVerbose(t, p, http.StatusOK, true)
	if err := o.order(); err != nil {
		t.Errorf("a write is still answered %v", err)
	}
	listed := listMade(t, o.api)
	for tag, id := range o.made {
		if listed[tag].CardID != id {
			t.Errorf("card %d of the tag %q is now %d", id, tag, listed[tag].CardID)
		}
	}
	same(t, "number of cards", len(listed), len(o.made))
	if code := p.end(syscall.SIGTERM); code != 0 {
		t.Errorf("the program ends with %d", code)
	}
}

func wantVerbose(t *testing.T, p *process, status int, ready bool) {
	t.Helper()
	got := p.probe("/readyz?verbose")
	var said struct {
		Ready                               bool
		Reason, Version, Store, Environment string
	}
	if err := json.Unmarshal([]byte(got.body), &said); err != nil {
		t.Errorf("%v: %s", err, got.body)
	}
	store := map[ledger.Engine]string{
		ledger.SQLite: "embedded", ledger.Postgres: "postgresql",
	}[ledger.On()]
	if got.status != status || said.Ready != ready || (said.Reason == "") != ready ||
		said.Version == "" || said.Store != store || said.Environment != "sandbox" {
		t.Errorf("/readyz?verbose answers %d %s", got.status, got.body)
	}
}

// TestReady takes away the means to write from a running program in every way that its database
// has.
func TestReady(t *testing.T) {
	t.Parallel()
	if ledger.On() == ledger.Postgres {
		readyOnAServerThatOnlyReads(t)
		return
	}
	readyOnAFullDisk(t)
}

// readyOnAFullDisk fills the very small disk of a running program to the last byte. If no disk can
// be mounted, the test logs that and ends.
func readyOnAFullDisk(t *testing.T) {
	disk := t.TempDir()
	mount := exec.Command("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", disk)
	out, err := mount.CombinedOutput()
	if err != nil {
		t.Logf("no disk can be mounted: %v: %s", err, out)
		return
	}
	t.Cleanup(func() {
		out, err := exec.Command("umount", "--lazy", disk).CombinedOutput()
		if err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	filler := filepath.Join(disk, "filler")
	p := sandbox(t, "--data", filepath.Join(disk, "data"))
	unready(t, p,
		func() {
			file, err := os.Create(filler)
			if err != nil {
				t.Fatal(err)
			}
			for size := 1 << 20; size > 0; {
				_, err := file.Write(make([]byte, size))
				if err != nil {
					size /= 2
				}
			}
			if err := file.Close(); err != nil {
				t.Fatal(err)
			}
		},
		func() {
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
		})
}

// TestFileThatCannotGrow lowers the file size limit of a running program. Unlike on a full disk,
// the commit outcome of the failed write is unknown, and the next start determines it.
func TestFileThatCannotGrow(t *testing.T) {
	t.Parallel()
	if ledger.On() != ledger.SQLite {
		return // the files of a database server are the server's
	}
	data := filepath.Join(t.TempDir(), "data")
	program := command(t)
	// The signal that a too long file causes would end the program.
	program = exec.Command("env", "--block-signal=XFSZ", program.Path)
	p := serveSandbox(t, program, "--data", data)
	o := &orderer{process: p, api: client.New(p.url, "example1", "example1"),
		made: make(map[string]int)}
	log, err := os.Stat(filepath.Join(data, logFile))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("prlimit", "--pid", fmt.Sprint(p.command.Process.Pid),
		fmt.Sprintf("--fsize=%d:", log.Size())).CombinedOutput()
	if err != nil {
		t.Fatalf("prlimit: %v: %s", err, out)
	}
	for err == nil {
		err = o.order()
	}
	// A job may have met the failure first. Then the connection is closed, or no transaction
	// begins.
	var failure *client.Failure
	if errors.As(err, &failure) && !failure.Has(50504) && !failure.Has(50503) {
		t.Errorf("a write is answered %v", err)
	}
	same(t, "the exit code", p.wait(), 1)
	o.process = sandbox(t, "--data", data)
	o.api = client.New(o.process.url, "example1", "example1")
	if err := o.order(); err != nil {
		t.Errorf("the next start refuses a write: %v", err)
	}
	for tag, cardID := range o.made {
		card, err := o.api.CardGetByTag(t.Context(), customer, tag)
		if err != nil || card.CardID != cardID {
			t.Errorf("card %d is answered %d, %v", cardID, card.CardID, err)
		}
	}
}

// readyOnAServerThatOnlyReads makes the database read-only, like a standby.
func readyOnAServerThatOnlyReads(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	url := ledger.Database(t, data).URL
	p := sandbox(t, "--data", data)
	// The change back needs permission to write.
	parsed, err := neturl.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	query := parsed.Query()
	query.Set("default_transaction_read_only", "off")
	parsed.RawQuery = query.Encode()
	set := func(how string) {
		t.Helper()
		pgtest.Run(t, parsed.String(), `DO $$ BEGIN
			EXECUTE format('ALTER DATABASE %I `+how+`', current_database());
			PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid();
		END $$`)
	}
	unready(t, p,
		func() { set("SET default_transaction_read_only = on") },
		func() {
			set("RESET default_transaction_read_only")
		})
}
