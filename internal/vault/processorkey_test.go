package vault

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
)

// sealFor encrypts a string to the first key of a set, as the processor does.
func sealFor(t *testing.T, set []byte, text string) string {
	t.Helper()
	var keys jose.JSONWebKeySet
	if err := json.Unmarshal(set, &keys); err != nil || len(keys.Keys) != 1 {
		t.Fatalf("the set is %s (%v)", set, err)
	}
	encrypter, err := jose.NewEncrypter(jose.A256GCM,
		jose.Recipient{Algorithm: jose.RSA_OAEP_256, Key: keys.Keys[0]}, nil)
	if err != nil {
		t.Fatal(err)
	}
	message, err := encrypter.Encrypt([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := message.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func (v *Vault) keySet(t *testing.T) []byte {
	t.Helper()
	set, err := v.ProcessorKeySet()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestProcessorNumber(t *testing.T) {
	t.Parallel()
	v, err := Open(Settings{Dir: t.TempDir(), PinKeyBits: 2048})
	if err != nil {
		t.Fatal(err)
	}
	other, err := Open(Settings{PinKeyBits: 2048})
	if err != nil {
		t.Fatal(err)
	}
	set := v.keySet(t)
	const number = "4005550000000019"
	opened, err := v.OpenProcessorNumber(t.Context(), "processor",
		sealFor(t, set, `{"number":"`+number+`"}`))
	if err != nil || opened.Reveal() != number {
		t.Errorf("opened %s, %v", opened, err)
	}
	for sealed, want := range map[string]error{
		sealFor(t, set, `{"number":"4005550000000018"}`):       ErrNotANumber,
		sealFor(t, set, `{}`):                                  ErrNotANumber,
		sealFor(t, set, number):                                ErrSealedNumber,
		sealFor(t, other.keySet(t), `{"number":"`+number+`"}`): ErrSealedNumber,
		"":                            ErrSealedNumber,
		strings.Repeat("x.", 4) + "x": ErrSealedNumber,
		sealFor(t, set, `{"number":"`+number+`"}`)[1:]:                 ErrSealedNumber,
		strings.Replace(sealFor(t, set, `{}`), "eyJ", "eyJhbGciOi", 1): ErrSealedNumber,
	} {
		_, err := v.OpenProcessorNumber(t.Context(), "processor", sealed)
		if !errors.Is(err, want) {
			t.Errorf("%.40s: %v, want %v", sealed, err, want)
		}
		if err != nil && strings.Contains(err.Error(), number) {
			t.Errorf("the error shows the number: %v", err)
		}
	}
	for range failures + 1 {
		_, _ = v.OpenProcessorNumber(t.Context(), "processor", "")
	}
	_, err = v.OpenProcessorNumber(t.Context(), "processor", sealFor(t, set, `{"number":"`+number+`"}`))
	if err != nil {
		t.Errorf("after many that could not be opened: %v", err)
	}
	if strings.Contains(string(set), `"d"`) || !strings.Contains(string(set), "RSA-OAEP-256") {
		t.Errorf("the set is %s", set)
	}
}

// TestProcessorKeyIsOptional checks that an installation older than this key works without it, and
// that MustExist does not create it.
func TestProcessorKeyIsOptional(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	v, err := Open(Settings{Dir: dir, PinKeyBits: 2048})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, processorFile)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	old, err := Open(Settings{Dir: dir, MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	if set := string(old.keySet(t)); set != `{"keys":[]}` {
		t.Errorf("without a key the set is %s", set)
	}
	sealed := sealFor(t, v.keySet(t), `{"number":"4005550000000019"}`)
	if _, err := old.OpenProcessorNumber(t.Context(), "x", sealed); !errors.Is(err,
		ErrSealedNumber) {
		t.Errorf("without a key: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("the key was made where keys must exist")
	}
	if err := os.WriteFile(path, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Settings{Dir: dir, MustExist: true}); err == nil {
		t.Error("a damaged key is used")
	}
}
