package vault

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
)

// TestFingerprintsTellKeysApart checks that the same files give the same fingerprints and other
// keys give others, and that neither key affects the fingerprint of the other.
func TestFingerprintsTellKeysApart(t *testing.T) {
	dir := t.TempDir()
	first := open(t, Settings{Dir: dir}).Fingerprints()
	for _, print := range []string{first.Keyset, first.PinKey} {
		if !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(print) {
			t.Errorf("a fingerprint is %q", print)
		}
	}
	keysetText, err := os.ReadFile(filepath.Join(dir, keysetFile))
	if err != nil {
		t.Fatal(err)
	}
	// Only the keys count: white space in the file changes nothing.
	spaced := bytes.ReplaceAll(keysetText, []byte(","), []byte(" ,\n"))
	if err := os.WriteFile(filepath.Join(dir, keysetFile), spaced, 0o600); err != nil {
		t.Fatal(err)
	}
	if again := open(t, Settings{Dir: dir}).Fingerprints(); again != first {
		t.Errorf("the same keys give %v and %v", first, again)
	}
	if err := os.Remove(filepath.Join(dir, pinFile)); err != nil {
		t.Fatal(err)
	}
	other := open(t, Settings{Dir: dir, PinKeyBits: 2048}).Fingerprints()
	if other.Keyset != first.Keyset || other.PinKey == first.PinKey {
		t.Errorf("with another PIN key %v has become %v", first, other)
	}
}

// TestFingerprintCoversEachKey changes the key of one use at a time, and adds one.
func TestFingerprintCoversEachKey(t *testing.T) {
	text, err := Settings{}.newKeysets()
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]string)
	look := func(what string, sets keysets) {
		t.Helper()
		print, err := sets.fingerprint()
		if err != nil {
			t.Fatal(err)
		}
		if before, known := seen[print]; known {
			t.Errorf("%s gives the fingerprint of %s", what, before)
		}
		seen[print] = what
	}
	whole := func() keysets {
		sets, err := parseKeysets(text)
		if err != nil {
			t.Fatal(err)
		}
		return sets
	}
	look("the file", whole())
	for use, template := range templates {
		sets := whole()
		sets[use], err = keyset.NewHandle(template())
		if err != nil {
			t.Fatal(err)
		}
		look("another key for "+use, sets)
	}
	sets := whole()
	manager := keyset.NewManagerFromHandle(sets[sealingUse])
	added, err := manager.Add(aead.AES256GCMKeyTemplate())
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"one key more", func() error { return nil }},
		{"another one that seals", func() error { return manager.SetPrimary(added) }},
	} {
		err := step.do()
		if err != nil {
			t.Fatal(err)
		}
		sets[sealingUse], err = manager.Handle()
		if err != nil {
			t.Fatal(err)
		}
		look(step.name, sets)
	}
}

// TestKeysThatMustExist checks that Open with MustExist creates no keys.
func TestKeysThatMustExist(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	_, err := Open(Settings{Dir: dir, MustExist: true})
	if !errors.Is(err, ErrNoKeys) || !strings.Contains(err.Error(), keysetFile) {
		t.Errorf("without keys: %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the directory was made")
	}
	open(t, Settings{Dir: dir})
	open(t, Settings{Dir: dir, MustExist: true})
	if err := os.Remove(filepath.Join(dir, pinFile)); err != nil {
		t.Fatal(err)
	}
	_, err = Open(Settings{Dir: dir, MustExist: true})
	if !errors.Is(err, ErrNoKeys) || !strings.Contains(err.Error(), pinFile) {
		t.Errorf("without a PIN key: %v", err)
	}
}

// TestExposedKeyFiles checks that AllowReadable accepts readable key files, and that Exposed names
// them.
func TestExposedKeyFiles(t *testing.T) {
	dir := t.TempDir()
	open(t, Settings{Dir: dir})
	if paths := Exposed(dir); len(paths) > 0 {
		t.Errorf("%q are said to be exposed", paths)
	}
	chmod(t, filepath.Join(dir, keysetFile), 0o644)
	open(t, Settings{Dir: dir, AllowReadable: true})
	if paths := Exposed(dir); len(paths) != 1 || filepath.Base(paths[0]) != keysetFile {
		t.Errorf("%q are said to be exposed", paths)
	}
}
