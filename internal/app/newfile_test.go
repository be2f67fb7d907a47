package app

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mintmark/internal/store"
)

// names are the files of a directory.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return strings.Join(all, " ")
}

// TestExportToAFile exports into a file that only its owner can read. Where that fails nothing is
// left, and a file that is there already stays what it is.
func TestExportToAFile(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(w rotating) {
		w.Parallel()
		keys, kept, err := w.Open(w.Context())
		if err != nil {
			w.Fatal(err)
		}
		write, err := demoData(keys, rand.Reader)
		if err == nil {
			err = kept.Update(w.Context(), func(tx store.Tx) error { return write(tx) })
		}
		if err := errors.Join(err, kept.Close()); err != nil {
			w.Fatal(err)
		}
		asked := Exporting{Place: w.Place, Source: "core", Program: 1}
		var want bytes.Buffer
		if err := Export(w.Context(), asked, &want); err != nil || want.Len() < 8<<10 {
			w.Fatalf("%d bytes are exported, %v", want.Len(), err)
		}
		dir := w.TempDir()
		file := filepath.Join(dir, "rows.ndjson")
		if err := ExportTo(w.Context(), asked, file); err != nil {
			w.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil || info.Mode() != 0o600 {
			w.Errorf("the file has the mode %v, %v", info.Mode(), err)
		}
		w.holds(file, want.String())

		asked.Source = "another"
		if err := ExportTo(w.Context(), asked, file); !errors.Is(err, fs.ErrExist) {
			w.Errorf("a file that is there: %v", err)
		}
		w.holds(file, want.String())
		w.failsWithNothingLeft(asked, dir, len(want.String()))
		if got := names(w.T, dir); got != "rows.ndjson" {
			w.Errorf("the directory holds %q", got)
		}
	})
}

func (w rotating) holds(file, want string) {
	w.Helper()
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		w.Errorf("%s has %d bytes, want %d, error %v", file, len(got), len(want), err)
	}
}

// failsWithNothingLeft has exports fail in every way.
func (w rotating) failsWithNothingLeft(asked Exporting, dir string, length int) {
	w.Helper()
	file := filepath.Join(dir, "other.ndjson")
	unknown := asked
	unknown.Program = 99
	w.wantRefused("a program that is not there", ExportTo(w.Context(), unknown, file),
		"there is no program 99")
	gone, cancel := context.WithCancel(w.Context())
	cancel()
	if err := ExportTo(gone, asked, file); !errors.Is(err, context.Canceled) {
		w.Errorf("an export that was stopped: %v", err)
	}
	if err := ExportTo(w.Context(), asked, filepath.Join(dir, "nowhere", "rows")); !errors.Is(
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
	err = ExportTo(w.Context(), asked, filepath.Join(small, "rows"))
	if !errors.Is(err, syscall.ENOSPC) || names(w.T, small) != "" {
		w.Errorf("a full disk holds %q: %v", names(w.T, small), err)
	}
}

// TestNewFile holds that a file has its name only when it is whole, and takes the place of none
// that was made meanwhile.
func TestNewFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a")
	err := writeNew(file, func(to io.Writer) error {
		_, err := io.WriteString(to, "half")
		if got := names(t, dir); !strings.HasPrefix(got, "a.") || !strings.HasSuffix(got, ".part") {
			t.Errorf("while it is written the directory holds %q", got)
		}
		_, err2 := io.WriteString(to, " and half")
		return errors.Join(err, err2)
	})
	text, err2 := os.ReadFile(file)
	if err := errors.Join(err, err2); err != nil || string(text) != "half and half" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	broken := errors.New("broken")
	err = writeNew(filepath.Join(dir, "b"), func(to io.Writer) error {
		_, err := io.WriteString(to, "half")
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("a failing write gives %v", err)
	}
	err = writeNew(filepath.Join(dir, "c"), func(io.Writer) error {
		return os.WriteFile(filepath.Join(dir, "c"), []byte("mine"), 0o600)
	})
	text, err2 = os.ReadFile(filepath.Join(dir, "c"))
	if !errors.Is(err, fs.ErrExist) || err2 != nil || string(text) != "mine" {
		t.Errorf("a file that was made meanwhile holds %q, %v, %v", text, err, err2)
	}
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), filepath.Join(dir, "d")); err != nil {
		t.Fatal(err)
	}
	err = writeNew(filepath.Join(dir, "d"), func(io.Writer) error { return nil })
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("a link that leads nowhere: %v", err)
	}
	if got := names(t, dir); got != "a c d" {
		t.Errorf("the directory holds %q", got)
	}
}
