package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mintmark/client"
	"mintmark/e2e/ledger"
)

// load has an operator load a file that names a bank, into the database of a server that runs.
func load(t *testing.T, data, name string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bank.yaml")
	text := fmt.Appendf(nil, "banks:\n  - {bankId: 77, name: %s}\n", name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"load", "--data", data, file}
	if ledger.On() == ledger.Postgres {
		args = append(args, "--database", ledger.Database(t, data).URL)
	}
	began := time.Now()
	if out, code := run(t, args...); code != 0 {
		t.Errorf("after %v: %s", time.Since(began), out)
	}
	t.Logf("%s was loaded after %v", name, time.Since(began))
	same(t, "bank", query(t, data, `SELECT name FROM banks WHERE bank_id = 77`), name)
}

// TestLoadBesideServer has an operator load files while callers keep the server writing without a
// pause. Each file gets its turn, and no caller is refused. MINTMARK_LOADS says how many files.
func TestLoadBesideServer(t *testing.T) {
	t.Parallel()
	const callers = 16
	data := filepath.Join(t.TempDir(), "data")
	program := sandbox(t, "--data", data)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var working sync.WaitGroup
	var written atomic.Int64
	for i := range callers {
		w := newWriter(i, &written)
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
	for round := range number(t, "MINTMARK_LOADS", 3) {
		load(t, data, fmt.Sprintf("Bank %d", round))
	}
	stop()
	working.Wait()
	t.Logf("beside %d writes", written.Load())
	if written.Load() == 0 {
		t.Error("nobody has written")
	}
}

// TestLoadWaits has somebody else write for longer than one wait for the turn to write takes. The
// file is loaded when that is over.
func TestLoadWaits(t *testing.T) {
	t.Parallel()
	const held = 7 * time.Second
	data := filepath.Join(t.TempDir(), "data")
	load(t, data, "Early")
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
	released := time.AfterFunc(held, func() { act(end) })
	defer released.Stop()
	load(t, data, "Late")
}
