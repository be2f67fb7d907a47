package rows

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"mintmark/internal/app/demo"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testinstall"
)

// TestExportToAFile exports into a file that only its owner can read. A failed export leaves
// nothing behind, and an existing file unchanged.
func TestExportToAFile(t *testing.T) {
	t.Parallel()
	testinstall.OnBothDatabases(t, func(w testinstall.Installation) {
		w.Parallel()
		keys, kept, err := w.Open(w.Context())
		if err != nil {
			w.Fatal(err)
		}
		data, err := demo.Read()
		if err == nil {
			err = kept.Update(w.Context(), func(tx store.Tx) error {
				return data.Write(tx, keys, rand.Reader, card.SandboxEnding)
			})
		}
		if err := errors.Join(err, kept.Close()); err != nil {
			w.Fatal(err)
		}
		exporting := ExportOptions{Location: w.Location, Source: "core", Program: 1}
		var want bytes.Buffer
		err = Export(w.Context(), exporting, "standard output", &want)
		if err != nil || want.Len() < 8<<10 {
			w.Fatalf("%d bytes are exported, %v", want.Len(), err)
		}
		dir := w.TempDir()
		file := filepath.Join(dir, "ndjson")
		if err := ExportTo(w.Context(), exporting, file); err != nil {
			w.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil || info.Mode() != 0o600 {
			w.Errorf("the file has the mode %v, %v", info.Mode(), err)
		}
		holds(w, file, want.String())
		checkExportEntries(w, want.Bytes())

		exporting.Source = "another"
		if err := ExportTo(w.Context(), exporting, file); !errors.Is(err, fs.ErrExist) {
			w.Errorf("a file that is there: %v", err)
		}
		holds(w, file, want.String())
		checkFailedExports(w, exporting, dir, len(want.String()))
		if got := names(w.T, dir); got != "ndjson" {
			w.Errorf("the directory holds %q", got)
		}
	})
}

// checkExportEntries checks that the audit has an entry with counts for each export of a text, to
// standard output and to a file.
func checkExportEntries(w testinstall.Installation, text []byte) {
	w.Helper()
	_, kept, err := w.Open(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	defer kept.Close()
	sum := sha256.Sum256(text)
	digest := hex.EncodeToString(sum[:])
	entries, err := store.ViewOf(w.Context(), kept, func(r store.Tx) ([]store.LogEntry, error) {
		return r.Trail().List(store.TrailQuery{
			Subject: audit.Subject{Kind: audit.LoadedFile, ID: digest}, Limit: 10,
		})
	})
	counts := fmt.Sprintf(" sha256:%s customers %d, accounts %d, access %d", digest,
		bytes.Count(text, []byte(`"kind":"customer"`)),
		bytes.Count(text, []byte(`"kind":"account"`)),
		bytes.Count(text, []byte(`"kind":"access"`)))
	if err != nil || len(entries) != 2 || entries[0].Outcome != "ndjson"+counts ||
		entries[1].Outcome != "standard output"+counts || entries[0].ProgramID != 1 {
		w.Errorf("the entries are %+v, %v", entries, err)
	}
	begun, err := store.ViewOf(w.Context(), kept, func(r store.Tx) ([]store.LogEntry, error) {
		return r.Trail().List(store.TrailQuery{Subject: audit.Of(audit.Program, 1), Limit: 10})
	})
	begun = slices.DeleteFunc(begun, func(e store.LogEntry) bool { return e.Act != exportAct })
	if err != nil || len(begun) != 2 || begun[0].Outcome != "begun" {
		w.Errorf("%d exports have begun, %v", len(begun), err)
	}
}

func holds(w testinstall.Installation, file, want string) {
	w.Helper()
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		w.Errorf("%s has %d bytes, want %d, error %v", file, len(got), len(want), err)
	}
}

// checkFailedExports has exports fail in every way, and checks that nothing is left.
func checkFailedExports(w testinstall.Installation, exporting ExportOptions, dir string, length int) {
	w.Helper()
	file := filepath.Join(dir, "other.ndjson")
	unknown := exporting
	unknown.Program = 99
	w.WantRefused("a program that is not there", ExportTo(w.Context(), unknown, file),
		"there is no program 99")
	gone, cancel := context.WithCancel(w.Context())
	cancel()
	if err := ExportTo(gone, exporting, file); !errors.Is(err, context.Canceled) {
		w.Errorf("an export that was stopped: %v", err)
	}
	if err := ExportTo(w.Context(), exporting, filepath.Join(dir, "nowhere", "rows")); !errors.Is(
		err, fs.ErrNotExist) {
		w.Errorf("a directory that is not there: %v", err)
	}
	small := w.TempDir()
	out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", small).
		CombinedOutput()
	if err != nil {
		w.Logf("the full disk is left out, because none can be mounted: %v: %s", err, out)
		return
	}
	defer func() { _ = exec.Command("umount", "--lazy", small).Run() }()
	if length <= 4<<10 {
		w.Fatalf("%d bytes fill no disk", length)
	}
	err = ExportTo(w.Context(), exporting, filepath.Join(small, "rows"))
	if !errors.Is(err, syscall.ENOSPC) || names(w.T, small) != "" {
		w.Errorf("a full disk holds %q: %v", names(w.T, small), err)
	}
}
