package main

import (
	"bytes"
	"context"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mintmark/internal/app"
)

// command runs a command and returns its output and exit code.
func command(t *testing.T, args ...string) (out, errOut string, code int) {
	t.Helper()
	var printed, failed bytes.Buffer
	code = run(t.Context(), args, &printed, &failed)
	return printed.String(), failed.String(), code
}

// file runs a command that must succeed, writes its output to a file and returns the file's path.
func file(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, errOut, code := command(t, args...)
	if code != 0 {
		t.Fatalf("mintmark %s: code %d: %s", strings.Join(args, " "), code, errOut)
	}
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// wantOut runs a command that must succeed, and checks that its output contains say.
func wantOut(t *testing.T, say string, args ...string) {
	t.Helper()
	out, errOut, code := command(t, args...)
	if code != 0 || !strings.Contains(out, say) {
		t.Errorf("mintmark %s: code %d, %s%s; want %q",
			strings.Join(args, " "), code, out, errOut, say)
	}
}

// wantFailure runs a command that must fail with exit code 1, and checks that its error output
// contains say.
func wantFailure(t *testing.T, say string, args ...string) {
	t.Helper()
	_, errOut, code := command(t, args...)
	if code != 1 || !strings.Contains(errOut, say) {
		t.Errorf("mintmark %s: code %d, %s; want %q", strings.Join(args, " "), code, errOut, say)
	}
}

// TestAudit seals the acts of a sandbox, and runs every audit command on the log: complete,
// archived and tampered with.
func TestAudit(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	running, err := app.Start(t.Context(), app.Settings{
		Sandbox: true, Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0", Data: data,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := running.Close(context.Background()); err != nil { // seals the last entries
		t.Fatal(err)
	}
	key := file(t, "key", "audit", "key", "--data", data)
	note := file(t, "note", "audit", "checkpoint", "--data", data)
	export := file(t, "export", "audit", "export", "--data", data)
	wantNothingHidden(t, data)
	const whole = "30 entries are as they were sealed."
	verify := []string{"audit", "verify", "--data", data}
	wantOut(t, whole, verify...)
	wantOut(t, "2 more wait to be sealed", verify...) // the start and the end of the export
	wantOut(t, whole, append(verify, "--checkpoint", note)...)
	wantOut(t, whole, "audit", "verify", "--export", export, "--key", key, "--checkpoint", note)
	wantOut(t, `"act": "init"`, "audit", "proof", "--data", data, "1")
	proof := file(t, "proof", "audit", "proof", "--data", data, "1")
	wantOut(t, "1 of a part of the log", "audit", "verify", "--export", proof, "--key", key)
	wantFailure(t, "entry 31: store: not found", "audit", "proof", "--data", data, "31")
	wantFailure(t, "needs --key", "audit", "verify", "--export", export)
	wantFailure(t, "one of --data and --config is needed", "audit", "verify")

	archive := filepath.Join(t.TempDir(), "archive")
	move := []string{"audit", "archive", "--data", data, "--out", archive, "--before"}
	wantFailure(t, "is neither a date", append(move, "soon")...)
	wantFailure(t, "no entries to archive", append(move, "2026-01-01")...)
	wantOut(t, "Entries 1 to 30 are in", append(move,
		time.Now().Add(time.Hour).UTC().Format(time.RFC3339))...)
	wantFailure(t, "exists", append(move, "2026-01-01")...)
	wantOut(t, "30 of them are archived", verify...)
	wantOut(t, "3 more wait to be sealed", verify...) // the archiving, too
	wantOut(t, whole, append(verify, "--archive", archive)...)
	wantOut(t, whole, "audit", "verify", "--export", archive, "--key", key)

	db, err := sql.Open("sqlite", filepath.Join(data, "mintmark.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.ExecContext(t.Context(), `UPDATE audit SET key_name = 'somebody else'`)
	if err != nil {
		t.Fatal(err)
	}
	wantFailure(t, "audit row 31, not sealed: was changed or made up", verify...)
	text, err := os.ReadFile(export)
	if err != nil {
		t.Fatal(err)
	}
	bad := strings.Replace(string(text), `"sequence":7,`, `"sequence":7,"event":1,`, 1)
	if err := os.WriteFile(export, []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	wantFailure(t, "entry 7: was changed", "audit", "verify", "--export", export, "--key", key)
}

// wantNothingHidden checks that a command fails if it is stopped, or if its output cannot be
// written.
func wantNothingHidden(t *testing.T, data string) {
	t.Helper()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	full, err := os.Create(filepath.Join(t.TempDir(), "full"))
	if err != nil {
		t.Fatal(err)
	}
	full.Close()
	for _, test := range []struct {
		ctx  context.Context
		out  io.Writer
		say  string
		args string
	}{
		{stopped, io.Discard, "stopped", "audit verify"},
		{stopped, io.Discard, "stopped", "audit export"},
		{stopped, io.Discard, "stopped", "backup --out " + full.Name() + ".backup"},
		{t.Context(), full, "closed", "audit checkpoint"},
		{t.Context(), full, "closed", "audit key"},
		{t.Context(), full, "closed", "key-file recipient"},
	} {
		var failed bytes.Buffer
		args := append(strings.Fields(test.args), "--data", data)
		code := run(test.ctx, args, test.out, &failed)
		if code != 1 || !strings.Contains(failed.String(), test.say) {
			t.Errorf("mintmark %s: code %d, %s; want %q", test.args, code, &failed, test.say)
		}
	}
}
