package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mintmark/client"
	"mintmark/e2e/ledger"
	"mintmark/internal/testkit/testrun"
)

// load loads a file that names a bank into the database of a running server.
func load(t *testing.T, data, name string) {
	t.Helper()
	file := bankFile(t, name)
	began := time.Now()
	if out, code := loadFile(t, data, file); code != 0 {
		t.Errorf("after %v: %s", time.Since(began), out)
	}
	t.Logf("%s was loaded after %v", name, time.Since(began))
	same(t, "bank", query(t, data, `SELECT name FROM banks WHERE bank_id = 77`), name)
}

// bankFile writes a file that names a bank.
func bankFile(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bank.yaml")
	text := fmt.Appendf(nil, "banks:\n  - {bankId: 77, name: %s}\n", name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// loadFile loads a file into the database of a data directory.
func loadFile(t *testing.T, data, file string) (out string, code int) {
	t.Helper()
	args := []string{"load", "--data", data, file}
	if ledger.On() == ledger.Postgres {
		args = append(args, "--database", ledger.Database(t, data).URL)
	}
	return run(t, args...)
}

// manyCustomers writes a file of the given number of customers, each with an account.
func manyCustomers(t *testing.T, count int) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("customers:\n")
	for i := range count {
		fmt.Fprintf(&text, "  - {customerId: %d, programId: 1, status: Verified, "+
			"access: FULL, birthDate: 1985-03-14, firstName: Jane, lastName: Sample}\n",
			500_000+i)
	}
	text.WriteString("accounts:\n")
	for i := range count {
		fmt.Fprintf(&text, "  - {accountId: %d, programId: 1, customerId: %d, type: Checking, "+
			"status: Open, name: Everyday, accountNumber: \"%08d\"}\n", 500_000+i, 500_000+i, i)
	}
	file := filepath.Join(t.TempDir(), "customers.yaml")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestLoadBesideServer loads files while callers keep the server writing without a pause. Each file
// gets its turn, and so does each chunk of a large one, and no caller is rejected. MINTMARK_LOADS
// sets the number of files.
func TestLoadBesideServer(t *testing.T) {
	t.Parallel()
	const callers = 16
	data := filepath.Join(t.TempDir(), "data")
	program := sandbox(t, "--data", data)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var working sync.WaitGroup
	written := new(counter)
	for i := range callers {
		w := newWriter(i, written)
		w.api = client.New(program.url, "example1", "example1")
		working.Go(func() {
			for going := w.order(ctx); ctx.Err() == nil; going = w.turn(ctx) {
				if !going {
					t.Errorf("%s was refused", w.name)
					return
				}
			}
		})
	}
	for round := range setting(t, "MINTMARK_LOADS", 3) {
		load(t, data, fmt.Sprintf("Bank %d", round))
	}
	const customers = 2000
	file := manyCustomers(t, customers)
	for _, want := range []string{"2000 added, 0 changed", "0 added, 0 changed, 2000 unchanged"} {
		began := time.Now()
		out, code := loadFile(t, data, file)
		if code != 0 || !strings.Contains(out, "customers "+want) {
			t.Errorf("exit code %d: %s", code, out)
		}
		t.Logf("%d customers were loaded after %v", customers, time.Since(began))
	}
	stop()
	working.Wait()
	t.Logf("beside %d writes", written.count.Load())
	if written.count.Load() == 0 {
		t.Error("there was no write")
	}
}

// TestLoadWaits holds the write lock for longer than a single wait for it. The file is loaded once
// the lock is free.
func TestLoadWaits(t *testing.T) {
	t.Parallel()
	const held = 7 * time.Second
	data := filepath.Join(t.TempDir(), "data")
	initialize(t, on(t, data)...)
	load(t, data, "Early")
	release := holdBanks(t, data)
	released := make(chan struct{})
	time.AfterFunc(held, func() {
		release()
		close(released)
	})
	load(t, data, "Late")
	<-released
}

// holdBanks holds the lock that a load needs until release is called.
func holdBanks(t *testing.T, data string) (release func()) {
	t.Helper()
	other := ledger.Open(t, data)
	begin, end := `BEGIN IMMEDIATE`, `ROLLBACK`
	if ledger.On() == ledger.Postgres {
		begin = `BEGIN; LOCK TABLE banks`
	}
	act := func(statement string) {
		if _, err := other.ExecContext(context.Background(), statement); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
	act(begin)
	return func() { act(end) }
}

// TestKeyRevokedByFile revokes a key by a file while a caller uses it. From then on the caller gets
// the same response as a caller without a key, and the file from before is rejected.
func TestKeyRevokedByFile(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	program := sandbox(t, "--data", data)
	caller, nobody := connect(t, program.url, "example2"), connect(t, program.url, "nobody")
	if _, err := caller.ProgramGet(t.Context()); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "revoke.yaml")
	text := []byte("keys:\n  - {name: example2, state: revoked}\n")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := loadFile(t, data, file); code != 0 {
		t.Fatal(out)
	}
	err := untilRefused(t, caller)
	refused(t, err, 50401)
	_, of := nobody.ProgramGet(t.Context())
	said, _, _ := strings.Cut(fmt.Sprint(err), "(request")
	saidToNobody, _, _ := strings.Cut(fmt.Sprint(of), "(request")
	same(t, "what is said", said, saidToNobody)
	_, err = connect(t, program.url, "example1").ProgramGet(t.Context())
	if err != nil {
		t.Errorf("another key: %v", err)
	}
	out, code := loadFile(t, data, "../internal/app/demo/demo.yaml")
	if code == 0 || !strings.Contains(out, "secret: was taken from a key or revoked") {
		t.Errorf("the file from before: exit code %d: %s", code, out)
	}
}

// untilRefused calls with a key until the call is rejected, and returns the error. Nodes poll for
// changed keys several times a second, without announcing the result.
func untilRefused(t *testing.T, caller *client.Client) error {
	t.Helper()
	var refusal error
	testrun.Within(t, "the key is refused", func() bool {
		_, refusal = caller.ProgramGet(t.Context())
		return refusal != nil
	})
	return refusal
}
