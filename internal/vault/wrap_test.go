package vault

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mintmark/internal/vault/custody"
)

// service is a fake key service: its name marks what it has encrypted.
type service string

func (s service) Name() string { return string(s) }

func (s service) Encrypt(_ context.Context, plain []byte) (string, error) {
	return string(s) + ":" + base64.StdEncoding.EncodeToString(plain), nil
}

func (s service) Decrypt(_ context.Context, wrapped string) ([]byte, error) {
	text, mine := strings.CutPrefix(wrapped, string(s)+":")
	if !mine {
		return nil, errors.New("another key has wrapped it")
	}
	return base64.StdEncoding.DecodeString(text)
}

// wrappedBy returns the settings of a directory whose keys a service wraps.
func wrappedBy(name, dir string) Settings {
	keeper := custody.Keeper{Service: service(name)}
	return Settings{
		Dir: dir, PinKeyBits: 2048,
		Unwrap: func(w custody.Wrapping) (custody.Key, error) {
			return keeper.Open(context.Background(), w)
		},
		NewWrapping: func() (custody.Wrapping, error) {
			w, _, err := keeper.New(context.Background())
			return w, err
		},
	}
}

// marks lists strings, one of which is in every unencrypted key file.
var marks = []string{"PRIVATE KEY", "primaryKeyId"}

// wantFiles counts the files in the directory that hold keys in the clear.
func wantFiles(t *testing.T, dir string, wantClear int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	clear := 0
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(marks, func(mark string) bool {
			return bytes.Contains(text, []byte(mark))
		}) {
			clear++
		}
	}
	if clear != wantClear {
		t.Errorf("%d files hold keys in the clear, want %d: %v", clear, wantClear, entries)
	}
}

func TestKeysAreBornWrapped(t *testing.T) {
	dir := t.TempDir()
	s := wrappedBy("one", dir)
	first := open(t, s)
	wantFiles(t, dir, 0)
	again := open(t, s)
	if first.Fingerprints() != again.Fingerprints() {
		t.Error("the second start has other keys")
	}
	w, files, err := Custody(Settings{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if w.TransitKey != "one" || len(files) != 3 {
		t.Errorf("the wrapping is %v, the files are %v", w, files)
	}
	for _, file := range files {
		if !file.Wrapped {
			t.Errorf("%s lies in the clear", file.Name)
		}
	}
	for want, s := range map[string]Settings{
		"wrapped by the transit key one": {Dir: dir},
		"the settings name the key two":  wrappedBy("two", dir),
	} {
		if _, err := Open(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open gives %v, want %q", err, want)
		}
		if err := Check(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check gives %v, want %q", err, want)
		}
	}
	chmod(t, filepath.Join(dir, custody.FileName), 0o644)
	if paths := Exposed(dir); len(paths) != 1 {
		t.Errorf("exposed are %v", paths)
	}
	if _, err := Open(s); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a wrapping.json that others can read gives %v", err)
	}
}

// TestSwappedFilesAreRefused copies a wrapped file to another name and to another directory, and
// removes the data key.
func TestSwappedFilesAreRefused(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	s := wrappedBy("one", dir)
	open(t, s)
	open(t, wrappedBy("one", other))
	copyFile := func(from, to string) {
		t.Helper()
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kept := t.TempDir()
	for _, name := range []string{keysetFile, pinFile, processorFile} {
		copyFile(filepath.Join(dir, name), filepath.Join(kept, name))
	}
	for want, swap := range map[string]func(){
		"was wrapped as another file": func() {
			copyFile(filepath.Join(kept, processorFile), filepath.Join(dir, pinFile))
		},
		"both must come from one directory": func() {
			copyFile(filepath.Join(other, pinFile), filepath.Join(dir, pinFile))
		},
	} {
		swap()
		if _, err := Open(s); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), pinFile) {
			t.Errorf("Open gives %v, want %q", err, want)
		}
		copyFile(filepath.Join(kept, pinFile), filepath.Join(dir, pinFile))
	}
	open(t, s)
	if err := os.Remove(filepath.Join(dir, custody.FileName)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(s); err == nil || !strings.Contains(err.Error(), "wrapping.json is missing") {
		t.Errorf("without the data key Open gives %v", err)
	}
}

// changes lists the changes of a directory during which a process may end.
var changes = map[string]func(Settings) ([]step, error){
	"wrap":   Settings.stepsToWrap,
	"unwrap": Settings.stepsToUnwrap,
}

// Environment variables by which TestMain runs as another process: the change of a directory, the
// directory, and the number of steps after which it kills itself.
const (
	changeVariable = "MINTMARK_TEST_CHANGE"
	dirVariable    = "MINTMARK_TEST_DIR"
	stepsVariable  = "MINTMARK_TEST_STEPS"
)

// TestMain is also the process that kills itself.
func TestMain(m *testing.M) {
	if change, ok := changes[os.Getenv(changeVariable)]; ok {
		panic(die(change))
	}
	os.Exit(m.Run())
}

// die runs some steps of a change and kills this process.
func die(change func(Settings) ([]step, error)) error {
	steps, err := change(wrappedBy("one", os.Getenv(dirVariable)))
	if err != nil {
		return err
	}
	last, err := strconv.Atoi(os.Getenv(stepsVariable))
	if err != nil {
		return err
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	if err := run(steps[:last]); err != nil {
		return err
	}
	return errors.Join(self.Kill(), <-make(chan error))
}

// TestKilledBetweenSteps kills a process after each step of a change. The directory must open to
// the same keys each time, and repeating the change must finish it.
func TestKilledBetweenSteps(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range changes {
		for last := 0; ; last++ {
			dir := t.TempDir()
			s := wrappedBy("one", dir)
			begun := s
			if what == "wrap" {
				begun.NewWrapping = nil
			}
			before := open(t, begun).Fingerprints()
			steps, err := change(s)
			if err != nil {
				t.Fatal(err)
			}
			if len(steps) != 4 {
				t.Fatalf("%s has %d steps", what, len(steps))
			}
			if last > len(steps) {
				break
			}
			command := exec.Command(program)
			command.Env = append(os.Environ(), changeVariable+"="+what, dirVariable+"="+dir,
				stepsVariable+"="+strconv.Itoa(last))
			said, err := command.CombinedOutput()
			if err == nil || !strings.Contains(err.Error(), "killed") {
				t.Fatalf("the process ends with %v: %s", err, said)
			}
			if now := open(t, s).Fingerprints(); now != before {
				t.Errorf("%s, killed after %d steps: the keys %v are %v", what, last, before, now)
			}
			wantClear := 3 - max(0, last-1) // the first step creates the data key
			if what == "unwrap" {
				wantClear = min(last, 3)
			}
			wantFiles(t, dir, wantClear)
			again, wantClear := Wrap, 0
			if what == "unwrap" {
				again, wantClear = Unwrap, 3
			}
			err = again(s)
			if last == len(steps) && what == "unwrap" {
				if err == nil || !strings.Contains(err.Error(), "are not wrapped") {
					t.Errorf("a second %s gives %v", what, err)
				}
				err = nil
			}
			if err != nil {
				t.Errorf("%s, killed after %d steps: %v", what, last, err)
			}
			wantFiles(t, dir, wantClear)
			if now := open(t, s).Fingerprints(); now != before {
				t.Errorf("%s at its end: the keys %v are %v", what, before, now)
			}
		}
	}
}

// TestUnfinishedFileIsIgnored leaves the temporary files of a process that ended while writing:
// they must be ignored.
func TestUnfinishedFileIsIgnored(t *testing.T) {
	dir := t.TempDir()
	s := wrappedBy("one", dir)
	before := open(t, s).Fingerprints()
	for _, name := range []string{keysetFile, custody.FileName} {
		half := filepath.Join(dir, "."+name+"-123")
		if err := os.WriteFile(half, []byte(`{"version":1,"id`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if now := open(t, s).Fingerprints(); now != before {
		t.Error("the keys are others")
	}
}

// TestRewrapIsOneStep wraps the data key with another service: wrapping.json is replaced, and no
// key file is touched.
func TestRewrapIsOneStep(t *testing.T) {
	dir := t.TempDir()
	before := open(t, wrappedBy("one", dir)).Fingerprints()
	stamp := func() (stamps []string) {
		for _, name := range []string{keysetFile, pinFile, processorFile} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			stamps = append(stamps, string(text))
		}
		return stamps
	}
	files := stamp()
	failing := errors.New("the new service does not answer")
	err := Rewrap(wrappedBy("one", dir), func(custody.Key) (custody.Wrapping, error) {
		return custody.Wrapping{}, failing
	})
	if !errors.Is(err, failing) {
		t.Errorf("Rewrap gives %v", err)
	}
	open(t, wrappedBy("one", dir)) // nothing has changed
	another := custody.Keeper{Service: service("two")}
	err = Rewrap(wrappedBy("one", dir), func(key custody.Key) (custody.Wrapping, error) {
		return another.Wrap(t.Context(), key)
	})
	if err != nil {
		t.Fatal(err)
	}
	if now := open(t, wrappedBy("two", dir)).Fingerprints(); now != before {
		t.Errorf("the keys %v are %v", before, now)
	}
	if !slices.Equal(files, stamp()) {
		t.Error("a key file has changed")
	}
	if _, err := Open(wrappedBy("one", dir)); err == nil {
		t.Error("the service of before opens the keys")
	}
	clear := t.TempDir()
	open(t, Settings{Dir: clear, PinKeyBits: 2048})
	if err := Rewrap(wrappedBy("one", clear), nil); err == nil {
		t.Error("keys in the clear are rewrapped")
	}
}

// TestDataKeyStaysForOthers checks that wrapping.json stays if there is a wrapped file that Unwrap
// does not know.
func TestDataKeyStaysForOthers(t *testing.T) {
	dir := t.TempDir()
	s := wrappedBy("one", dir)
	open(t, s)
	text, err := os.ReadFile(filepath.Join(dir, pinFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "keyset.old"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Unwrap(s); err == nil || !strings.Contains(err.Error(), "keyset.old is wrapped") {
		t.Errorf("Unwrap gives %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, custody.FileName)); errors.Is(err, fs.ErrNotExist) {
		t.Error("the data key is gone")
	}
}
