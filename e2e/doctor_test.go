package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mintmark/client"
	"mintmark/client/admin"
	"mintmark/e2e/ledger"
	"mintmark/internal/testkit/pgtest"
)

// examined returns the checks of doctor that did not result in ok, and the number of checks.
func examined(t *testing.T, data string) (bad map[string]string, checks int) {
	t.Helper()
	args := []string{"doctor", "--data", data, "--deep", "--output", "json"}
	if url := ledger.Database(t, data).URL; url != "" {
		args = append(args, "--database", url)
	}
	out, err := command(t, args...).Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	var report struct {
		Checks []struct{ Name, Result, Found string }
		Failed int
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if failed := err != nil; failed != (report.Failed > 0) {
		t.Errorf("with %d checks failed, the exit says %v", report.Failed, err)
	}
	bad = make(map[string]string)
	for _, check := range report.Checks {
		if check.Result != "ok" {
			bad[check.Name] = check.Found
		}
	}
	return bad, len(report.Checks)
}

// TestDoctorBesideAServer examines the installation of a running sandbox, and what the sandbox
// leaves behind. The test servers are not configured for durability, which doctor must find.
func TestDoctorBesideAServer(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	p := sandbox(t, "--data", data)
	api := client.New(p.url, "example1", "example1")
	if _, err := api.CardInitiate(t.Context(), newCard("examined")); err != nil {
		t.Fatal(err)
	}
	var expected []string
	checks := 27
	if ledger.On() == ledger.Postgres {
		expected = []string{"archiving", "fsync", "full_page_writes"}
		checks = 41
	}
	look := func(when string) {
		t.Helper()
		bad, e := examined(t, data)
		delete(bad, "disk space")     // of this machine
		delete(bad, "data_checksums") // depends on the version of the server
		got := slices.Sorted(maps.Keys(bad))
		if !slices.Equal(got, expected) || e != checks {
			t.Errorf("%s: %d checks were made, and these are not well: %v", when, e, bad)
		}
	}
	look("beside the server")
	if ledger.On() == ledger.Postgres {
		pgtest.Run(t, ledger.Database(t, data).URL,
			`ALTER TABLE cards ADD CONSTRAINT doubtful CHECK (card_id > 0) NOT VALID`)
		expected = slices.Insert(expected, 1, "constraints")
		look("with a constraint that was never checked")
	}
	if _, err := api.CardInitiate(t.Context(), newCard("afterwards")); err != nil {
		t.Errorf("the server has noticed: %v", err)
	}
	p.end(syscall.SIGKILL)
	look("after a crash")

	db := openDatabase(t, data, ledger.Database(t, data).URL)
	_, err := db.ExecContext(t.Context(), `UPDATE bins SET last_body = first_body WHERE bin_id = 1`)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	expected = append(expected, "card numbers")
	slices.Sort(expected)
	look("with a BIN that is used up")
}

// TestDoctorOfKeys examines a bank with a compromised key, while the clock stands still and nothing
// is re-encrypted, and again afterwards.
func TestDoctorOfKeys(t *testing.T) {
	t.Parallel()
	w := &rotating{T: t, data: filepath.Join(t.TempDir(), "data")}
	// Nothing was re-encrypted for as long as this clock is behind.
	w.process = sandbox(t, "--data", w.data, "--clock",
		time.Now().Add(-3*time.Hour).UTC().Format(time.RFC3339))
	w.operator = admin.New(w.process.adminURL(), "sandbox-administrator")
	first := w.rotate()
	w.order(8)
	_, err := admin.Do[admin.BankKey](w.Context(), w.operator, admin.Request{
		Method: http.MethodPost, Path: "banks/1/encryption-keys/1/rotate",
		Body: admin.NewBankKey{Compromised: true}, Reason: "a test",
	})
	if err != nil {
		t.Fatal(err)
	}
	bad, _ := examined(t, w.data)
	want := fmt.Sprintf("%d card numbers and PINs of bank 1 under key %d", w.under(first), first)
	if got := bad["compromised keys"]; got != want || w.under(first) < 8 {
		t.Errorf("of compromised keys is found %q, want %q", got, want)
	}
	if got := bad["re-sealing"]; !strings.Contains(got, "wait to be re-encrypted") {
		t.Errorf("of the re-sealing is found %q", got)
	}
	w.await()
	bad, _ = examined(t, w.data)
	for _, name := range []string{"compromised keys", "re-sealing"} {
		if problem, there := bad[name]; there {
			t.Errorf("after the re-encryption %s reports %q", name, problem)
		}
	}
}
