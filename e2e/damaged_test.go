package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mintmark/e2e/ledger"
)

// The files of the embedded database in a data directory.
const (
	databaseFile = "mintmark.db"
	logFile      = "mintmark.db-wal"
)

// TestDamagedDatabase kills the program and damages its database. The next start rejects it and
// tells the operator what to do. A command beside the server does not change that.
func TestDamagedDatabase(t *testing.T) {
	t.Parallel()
	if ledger.On() != ledger.SQLite {
		return // the files of a database server are the server's
	}
	data := filepath.Join(t.TempDir(), "data")
	users := func(want string) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(data, databaseFile+"-users"))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "number of users", strings.TrimSpace(string(text)), want)
	}
	for _, end := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		program := sandbox(t, "--data", data)
		users("1")
		out, code := run(t, "migrate", "--data", data)
		same(t, "exit code of a command beside it: "+out, code, 0)
		users("1")
		program.end(end)
	}
	users("1")
	damage(t, filepath.Join(data, databaseFile))
	for range 2 {
		out, code := run(t, "migrate", "--data", data)
		same(t, "exit code", code, 1)
		for _, word := range []string{"database is damaged", "restore it from a backup", "doctor"} {
			if !strings.Contains(out, word) {
				t.Errorf("the program does not say %q: %s", word, out)
			}
		}
	}
}

// damage overwrites all index pages in the database file. Pages that are also in the log would be
// repaired by it.
func damage(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page, index = 4096, 10
	for at := page; at < len(content); at += page {
		if content[at] == index {
			copy(content[at:], bytes.Repeat([]byte{0xee}, page))
		}
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
