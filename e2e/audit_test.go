package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"mintmark/client"
	"mintmark/e2e/ledger"
	"mintmark/internal/testkit/testrun"
)

var sealedEntries = regexp.MustCompile(`^(\d+) entries are as they were sealed`)

// verifyAudit verifies the audit log of a data directory and returns the number of sealed entries.
func verifyAudit(t *testing.T, data string, more ...string) int {
	t.Helper()
	args := append([]string{"audit", "verify"}, on(t, data)...)
	out, code := run(t, append(args, more...)...)
	match := sealedEntries.FindStringSubmatch(out)
	if code != 0 || match == nil {
		t.Fatalf("audit verify ends with %d: %s", code, out)
	}
	entries, err := strconv.Atoi(match[1])
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// TestAuditLog follows the instructions for auditors in docs/audit.md: key, checkpoint,
// verification beside a running server, export. Then it tampers with a row, which must be detected.
func TestAuditLog(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	program := sandbox(t, "--data", data)
	api := client.New(program.url, "example1", "example1")
	for _, lock := range []bool{true, false, true} {
		var err error
		if lock {
			_, err = api.CardLock(t.Context(), client.CardLockRequest{
				CustomerID: customer, CardID: 5001, LockReasonTypeCode: "TMP",
			})
		} else {
			_, err = api.CardUnlock(t.Context(), client.CardRequest{
				CustomerID: customer, CardID: 5001,
			})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	// The entries are sealed while the server runs.
	const whole = 33
	testrun.Within(t, "the entries are sealed", func() bool { return verifyAudit(t, data) >= whole })
	files := make(map[string]string)
	for name, command := range map[string]string{
		"key": "key", "note": "checkpoint", "export": "export",
	} {
		out, code := run(t, append([]string{"audit", command}, on(t, data)...)...)
		if code != 0 {
			t.Fatalf("audit %s ends with %d: %s", command, code, out)
		}
		files[name] = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(files[name], []byte(out), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The entry about the export is sealed, too.
	if entries := verifyAudit(t, data, "--checkpoint", files["note"]); entries < whole {
		t.Errorf("%d entries are verified, want %d", entries, whole)
	}
	out, code := run(t, "audit", "verify", "--export", files["export"], "--key", files["key"])
	if code != 0 || !strings.HasPrefix(out, "33 entries are as they were sealed.") {
		t.Errorf("the export: %d, %s", code, out)
	}
	same(t, "exit code", program.end(syscall.SIGTERM), 0)

	db := ledger.Open(t, data)
	_, err := db.ExecContext(t.Context(),
		`UPDATE audit SET key_name = 'somebody else' WHERE route = '/card/unlock'`)
	if err != nil {
		t.Fatal(err)
	}
	out, code = run(t, append([]string{"audit", "verify"}, on(t, data)...)...)
	if code != 1 || !strings.Contains(out, "entry 32 (audit row 32): was changed") {
		t.Errorf("a row was changed, and audit verify ends with %d: %s", code, out)
	}
}
