package rows

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mintmark/internal/app/demo"
	"mintmark/internal/domain/card"
	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testinstall"
)

// TestMovedProgram moves a program from a database server to an embedded database with the
// functions of the commands: through an encrypted file, with the audit in a separate file. A failed
// export leaves no file, and a new fence must exist for some time before an export.
func TestMovedProgram(t *testing.T) {
	settled = time.Second
	from, to := testinstall.New(t, pgtest.URL(t)), testinstall.New(t, "")
	keys, kept, err := from.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data, err := demo.Read()
	if err == nil {
		err = kept.Update(t.Context(), func(tx store.Tx) error {
			return data.Write(tx, keys, rand.Reader, card.SandboxEnding)
		})
	}
	if err := errors.Join(err, kept.Close()); err != nil {
		t.Fatal(err)
	}
	recipient, err := installation.Recipient(t.Context(), to.Location)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	leaving := ProgramExport{
		Location: from.Location, Program: 2, Recipients: []string{recipient},
		Out: filepath.Join(dir, "program.age"), Fence: true,
	}
	waited := 0
	leaving.Waiting = func(time.Time) { waited++ }
	for name, change := range map[string]func(*ProgramExport){
		"there is no program 99": func(l *ProgramExport) { l.Program = 99 },
		`the recipient "age1x"`:  func(l *ProgramExport) { l.Recipients = []string{"age1x"} },
	} {
		wrong := leaving
		change(&wrong)
		_, err := ExportProgram(t.Context(), wrong)
		from.WantRefused(name, err, name)
	}
	if waited > 0 {
		t.Error("a mistake has fenced a program")
	}
	began := time.Now()
	for range 2 { // the second fails, because the file exists
		tallies, err := ExportProgram(t.Context(), leaving)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil || tallies["card"].Count == 0 && tallies["customer"].Count == 0 {
			t.Fatalf("exported are %v, %v", tallies, err)
		}
	}
	if waited != 1 || time.Since(began) < settled/2 {
		t.Errorf("the export has waited %d times, for %v", waited, time.Since(began))
	}
	if got := names(t, dir); got != "program.age" {
		t.Errorf("the directory holds %q", got)
	}
	text, err := os.ReadFile(leaving.Out)
	if err != nil || !strings.HasPrefix(string(text), "age-encryption.org/v1\n") {
		t.Errorf("the file is not encrypted, %v", err)
	}
	arriving := ProgramImport{Location: to.Location, File: leaving.Out}
	if _, err := ImportProgram(t.Context(), ProgramImport{Location: from.Location, File: leaving.Out}); err == nil {
		t.Error("the file opens for another installation")
	}
	arriving.Audit = leaving.Out
	if _, err := ImportProgram(t.Context(), arriving); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the audit would replace a file: %v", err)
	}
	arriving.Audit = filepath.Join(dir, "audit.jsonl")
	to.Exec("CREATE TRIGGER broken BEFORE INSERT ON programs BEGIN SELECT RAISE(ABORT, 'broken'); END")
	if _, err := ImportProgram(t.Context(), arriving); err == nil {
		t.Error("a program is imported that cannot be kept")
	}
	if got := names(t, dir); got != "program.age" {
		t.Errorf("the directory holds %q", got)
	}
	to.Exec("DROP TRIGGER broken")
	report, err := ImportProgram(t.Context(), arriving)
	if err != nil || report.Program != 2 {
		t.Fatalf("imported is %+v, %v", report, err)
	}
	arriving.Audit = filepath.Join(dir, "again.jsonl")
	if _, err := ImportProgram(t.Context(), arriving); err == nil {
		t.Error("the program is imported twice")
	}
	if got := names(t, dir); got != "audit.jsonl program.age" {
		t.Errorf("the directory holds %q", got)
	}
	for _, want := range []bool{true, false} {
		lifted, err := LiftFence(t.Context(), leaving)
		if err != nil || lifted != want {
			t.Errorf("the fence is lifted: %t, %v, want %t", lifted, err, want)
		}
	}
}
