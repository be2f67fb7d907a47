package doctor

import (
	"os"
	"path/filepath"
	"testing"

	"mintmark/internal/vault"
	"mintmark/internal/vault/custody"
)

// TestCustody checks unencrypted keys, without and with a configured wrapping, and an unreadable
// wrapping.
func TestCustody(t *testing.T) {
	t.Parallel()
	keys := vault.Settings{Dir: t.TempDir(), PinKeyBits: 2048}
	if _, err := vault.Open(keys); err != nil {
		t.Fatal(err)
	}
	examine := func(result Result) {
		t.Helper()
		r := &Report{}
		r.custody(Installation{Keys: keys})
		want(t, r, "custody", result)
	}
	examine(OK)
	keys.NewWrapping = func() (custody.Wrapping, error) { return custody.Wrapping{}, nil }
	examine(Warning)
	path := filepath.Join(keys.Dir, "wrapping.json")
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	examine(Failed)
	service := `{"version":1,"id":"a","transitKey":"b","wrapped":"c"}`
	if err := os.WriteFile(path, []byte(service), 0o600); err != nil {
		t.Fatal(err)
	}
	keys.NewWrapping = nil
	examine(Warning) // an interrupted run of custody wrap
}

// TestExposedKeys checks that a key file that others can read is one finding, with its remedy.
func TestExposedKeys(t *testing.T) {
	t.Parallel()
	keys := vault.Settings{Dir: t.TempDir(), PinKeyBits: 2048}
	if _, err := vault.Open(keys); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(keys.Dir, "keyset.json")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	r := &Report{}
	p := Installation{Data: keys.Dir, Keys: keys}
	r.custody(p)
	r.keys(p)
	want(t, r, "custody", OK)
	want(t, r, "keys", Failed)
	const cure = ", and treat copies made meanwhile as exposed"
	if got := r.Checks[1].Cure; got != "chmod 600 "+path+cure {
		t.Errorf("the cure is %q", got)
	}
}
