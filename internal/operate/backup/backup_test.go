package backup

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// header is a header with every member.
var header = Header{
	Version: Version, Program: "v1", Store: Embedded, Schema: 28,
	Made:        time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC),
	Environment: "production", Keyset: "k", PinKey: "p",
	Log: &Log{Origin: "mintmark/k", Size: 17, Root: []byte{1, 2, 3}},
}

// content is compressible and longer than the buffers.
var content = strings.Repeat("a row of a table\n", 200_000)

// code returns an authentication code under a key.
func code(key string) Code {
	return func(digest []byte) []byte {
		sum := hmac.New(sha256.New, []byte(key))
		sum.Write(digest)
		return sum.Sum(nil)
	}
}

// with returns a function that gives Open the code under a key, for any header.
func with(key string) func(Header) (Code, error) {
	return func(Header) (Code, error) { return code(key), nil }
}

// createBackup writes a backup and returns its path.
func createBackup(t *testing.T) (path string, written Written) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "one.backup")
	written, err := write(path, header, code("mine"), func(to io.Writer) error {
		_, err := io.WriteString(to, content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return path, written
}

// TestRoundTrip writes a file and reads it.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	path, written := createBackup(t)
	file, err := open(t.Context(), path, with("mine"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if diff := cmp.Diff(header, file.Header); diff != "" {
		t.Errorf("header (-written +read):\n%s", diff)
	}
	if file.Written != written {
		t.Errorf("written %+v, read %+v", written, file.Written)
	}
	data, err := file.Data(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(data)
	if err != nil || string(text) != content {
		t.Errorf("%d bytes were read and %d written: %v", len(text), len(content), err)
	}
	about, err := os.Stat(path)
	if err != nil || about.Mode().Perm() != 0o600 || about.Size() != written.Bytes {
		t.Errorf("the file is %v, %v", about, err)
	}
}

// TestChangedFiles changes a file at each of many positions, truncates it, and extends it.
func TestChangedFiles(t *testing.T) {
	t.Parallel()
	path, _ := createBackup(t)
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(text []byte, what string, place int) {
		t.Helper()
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := open(t.Context(), path, with("mine"))
		if err == nil {
			t.Errorf("%s at %d is not noticed", what, place)
			_ = file.Close()
			return
		}
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNoBackup) &&
			!errors.Is(err, ErrNewer) {
			t.Errorf("%s at %d: %v", what, place, err)
		}
	}
	for place := 0; place < len(sound); place += 1 + len(sound)/200 {
		changed := append([]byte(nil), sound...)
		changed[place] ^= 4
		refused(changed, "a changed byte", place)
		refused(sound[:place], "a cut", place)
	}
	refused(sound[:len(sound)-1], "a cut", len(sound)-1)
	refused(append(append([]byte(nil), sound...), '\n'), "a byte more", len(sound))
	for form, want := range map[string]error{"3": ErrNewer, "1": ErrUnauthenticated} {
		other := strings.Replace(string(sound), `"mintmarkBackup":2`, `"mintmarkBackup":`+form, 1)
		if err := os.WriteFile(path, []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := open(t.Context(), path, with("mine")); !errors.Is(err, want) {
			t.Errorf("form %s: %v", form, err)
		}
	}
}

// TestChangedBehindOpen replaces an opened file by another complete one.
func TestChangedBehindOpen(t *testing.T) {
	t.Parallel()
	path, _ := createBackup(t)
	file, err := open(t.Context(), path, with("mine"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	other := filepath.Join(t.TempDir(), "other.backup")
	if _, err := write(other, header, code("other"), func(to io.Writer) error {
		_, err := io.WriteString(to, strings.ToUpper(content))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t.Context(), other, with("mine")); !errors.Is(err, ErrDamaged) {
		t.Errorf("a file that was sealed under another key: %v", err)
	}
	text, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	data, err := file.Data(t.Context())
	if err == nil {
		_, err = io.Copy(io.Discard, data)
	}
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("a file that was changed behind Open: %v", err)
	}
}

// TestCreateLeavesNothing fails in the middle, and rejects an existing file.
func TestCreateLeavesNothing(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	path := filepath.Join(directory, "one.backup")
	broken := errors.New("the database is gone")
	_, err := write(path, header, code("mine"), func(io.Writer) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	if left, err := os.ReadDir(directory); err != nil || len(left) != 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = write(path, header, code("mine"), func(io.Writer) error { return nil })
	if err == nil {
		t.Error("a file was written over")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
		t.Errorf("the file that was there holds %q, %v", text, err)
	}
}

// TestCheckNew checks valid and invalid names of a backup.
func TestCheckNew(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	file := filepath.Join(directory, "taken")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(directory, "free"): "",
		file:                             file + " exists",
		filepath.Join(directory, "missing", "free"): "missing is not a directory: make it for",
		filepath.Join(file, "free"):                 file + " is not a directory",
	} {
		err := checkNew(path)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// TestPartIsALink checks that a backup is not written through a link, and that the remains of an
// interrupted one are replaced.
func TestPartIsALink(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	other := filepath.Join(directory, "other")
	if err := os.WriteFile(other, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	rest := func(part string) error { return os.WriteFile(part, []byte("rest"), 0o600) }
	link := func(part string) error { return os.Symlink(other, part) }
	for name, prepare := range map[string]func(part string) error{"link": link, "rest": rest} {
		path := filepath.Join(directory, name)
		if err := prepare(path + part); err != nil {
			t.Fatal(err)
		}
		_, err := write(path, header, code("mine"), func(io.Writer) error { return nil })
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if about, err := os.Lstat(path); err != nil || !about.Mode().IsRegular() {
			t.Errorf("%s: the backup is %v, %v", name, about, err)
		}
		if text, err := os.ReadFile(other); err != nil || string(text) != "mine" {
			t.Errorf("%s: the other file holds %q, %v", name, text, err)
		}
	}
}
