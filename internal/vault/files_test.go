package vault

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf"
	"github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"
)

func TestFirstStartMakesTheFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	v := open(t, Settings{Dir: dir})
	got := map[string]fs.FileMode{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		got[entry.Name()] = info.Mode()
	}
	// A leftover temporary file would hold a key.
	want := map[string]fs.FileMode{
		"keyset.json": 0o600, "pin-private.pem": 0o600, "pin-public.pem": 0o644,
		"processor-private.pem": 0o600,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	public, err := os.ReadFile(filepath.Join(dir, "pin-public.pem"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(public, v.PublicPinKeyPEM()) {
		t.Error("pin-public.pem is not the public key")
	}
}

func TestLaterStartsReadTheFiles(t *testing.T) {
	dir := t.TempDir()
	first := open(t, Settings{Dir: dir, PinKeyBits: 2048})
	sealed, err := first.SealNumber(KeysetKey, number(t, someDigits), 5001)
	if err != nil {
		t.Fatal(err)
	}
	// The seed would give another PIN key, but the one in the directory stays.
	second := open(t, Settings{Dir: dir, Seed: new(uint64(7))})
	got, err := second.OpenNumber(sealed, 5001)
	if err != nil {
		t.Fatal(err)
	}
	if got != number(t, someDigits) {
		t.Error("the number is another one")
	}
	if !bytes.Equal(first.DigestNumber(got), second.DigestNumber(got)) {
		t.Error("the digest of a number is another one")
	}
	if !bytes.Equal(first.DigestSecret("x"), second.DigestSecret("x")) {
		t.Error("the digest of a secret is another one")
	}
	if !bytes.Equal(first.PublicPinKeyPEM(), second.PublicPinKeyPEM()) {
		t.Error("the PIN key is another one")
	}
}

// TestConcurrentFirstStartsAgree opens many vaults on one empty directory: all must use the same
// keys.
func TestConcurrentFirstStartsAgree(t *testing.T) {
	dir := t.TempDir()
	digests := make([]string, 8)
	var group sync.WaitGroup
	for i := range digests {
		group.Go(func() {
			v, err := Open(Settings{Dir: dir, Seed: new(uint64(i))})
			if err != nil {
				t.Error(err)
				return
			}
			digests[i] = string(v.DigestSecret("x")) + string(v.PublicPinKeyPEM())
		})
	}
	group.Wait()
	for _, digest := range digests {
		if digest != digests[0] {
			t.Fatal("two vaults on one directory have different keys")
		}
	}
}

func TestLooseModeIsRefused(t *testing.T) {
	for _, name := range []string{keysetFile, pinFile} {
		for _, mode := range []fs.FileMode{0o640, 0o604, 0o620, 0o601, 0o777} {
			dir := t.TempDir()
			open(t, Settings{Dir: dir})
			chmod(t, filepath.Join(dir, name), mode)
			_, err := Open(Settings{Dir: dir})
			if err == nil || !strings.Contains(err.Error(), "chmod 600 "+filepath.Join(dir, name)) {
				t.Errorf("%s of mode %o gives %v", name, mode, err)
			}
			chmod(t, filepath.Join(dir, name), 0o400)
			open(t, Settings{Dir: dir})
		}
	}
}

func chmod(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	err := os.Chmod(path, mode)
	if err != nil {
		t.Fatal(err)
	}
}

func TestLostKeysetsAreNotReplaced(t *testing.T) {
	dir := t.TempDir()
	open(t, Settings{Dir: dir})
	err := os.Remove(filepath.Join(dir, keysetFile))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(Settings{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "keyset.json is missing") {
		t.Errorf("Open gives %v", err)
	}
	_, err = os.Stat(filepath.Join(dir, keysetFile))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("keyset.json was made anew (%v)", err)
	}
}

// TestPinKeyIsMadeAgain repeats a first start that ended between the two files.
func TestPinKeyIsMadeAgain(t *testing.T) {
	dir := t.TempDir()
	first := open(t, Settings{Dir: dir})
	err := os.Remove(filepath.Join(dir, pinFile))
	if err != nil {
		t.Fatal(err)
	}
	second := open(t, Settings{Dir: dir, Seed: new(uint64(7))})
	if bytes.Equal(first.PublicPinKeyPEM(), second.PublicPinKeyPEM()) {
		t.Error("the PIN key is still the old one")
	}
}

func TestPublicKeyIsWrittenWhenMissingOrDifferent(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, publicPinFile)
	want := string(open(t, Settings{Dir: dir}).PublicPinKeyPEM())
	for name, spoil := range map[string]func() error{
		"missing":   func() error { return os.Remove(path) },
		"different": func() error { return os.WriteFile(path, []byte("no key"), 0o644) },
		"as it was": func() error { return nil },
	} {
		err := spoil()
		if err != nil {
			t.Fatal(err)
		}
		open(t, Settings{Dir: dir})
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestDamagedFilesAreRefused also checks that the error names the file and quotes nothing from it.
func TestDamagedFilesAreRefused(t *testing.T) {
	for _, test := range []struct{ file, text, want string }{
		{keysetFile, "", "not a JSON object"},
		{keysetFile, "hush", "not a JSON object"},
		{keysetFile, `{"hush": {}}`, "missing or damaged"},
		{keysetFile, `{"sealing": {"hush": 1}, "numberDigests": {}}`, "missing or damaged"},
		{pinFile, "", "not a PRIVATE KEY"},
		{pinFile, "-----BEGIN hush-----\n-----END hush-----\n", "not a PRIVATE KEY"},
		{pinFile, "-----BEGIN PRIVATE KEY-----\naHVzaA==\n-----END PRIVATE KEY-----\n", "damaged"},
	} {
		dir := t.TempDir()
		open(t, Settings{Dir: dir})
		err := os.WriteFile(filepath.Join(dir, test.file), []byte(test.text), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(Settings{Dir: dir})
		if err == nil || !strings.Contains(err.Error(), test.want) ||
			!strings.Contains(err.Error(), test.file) {
			t.Errorf("%s of %q gives %v, want %q", test.file, test.text, err, test.want)
			continue
		}
		if strings.Contains(err.Error(), "hush") {
			t.Errorf("the error quotes the file: %v", err)
		}
	}
}

// TestKeysetOfTheWrongKindIsRefused also tries a key whose digests are too short, which shows only
// when a digest is computed.
func TestKeysetOfTheWrongKindIsRefused(t *testing.T) {
	text, err := Settings{}.newKeysets()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		use      string
		template *tink_go_proto.KeyTemplate
		want     string
	}{
		{sealingUse, prf.HMACSHA256PRFKeyTemplate(), "cannot seal"},
		{numberDigestsUse, aead.AES256GCMKeyTemplate(), "cannot digest"},
		{secretDigestsUse, aead.AES256GCMKeyTemplate(), "cannot digest"},
		{secretDigestsUse, prf.AESCMACPRFKeyTemplate(), "cannot digest"},
	} {
		sets, err := parseKeysets(text)
		if err != nil {
			t.Fatal(err)
		}
		sets[test.use], err = keyset.NewHandle(test.template)
		if err != nil {
			t.Fatal(err)
		}
		err = new(Vault).useKeysets(sets)
		if err == nil || !strings.Contains(err.Error(), test.want) ||
			!strings.Contains(err.Error(), test.use) {
			t.Errorf("a wrong keyset %q gives %v, want %q", test.use, err, test.want)
		}
	}
}

func TestDirectoryThatCannotBeMadeIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	err := os.WriteFile(file, nil, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(Settings{Dir: file})
	if err == nil {
		t.Error("Open works on a file in place of a directory")
	}
}
