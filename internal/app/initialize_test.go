package app

import (
	"os"
	"path/filepath"
	"testing"

	"mintmark/internal/audit"
	"mintmark/internal/doctor"
	"mintmark/internal/store"
)

// TestReplacedPinKeyIsNoted replaces the PIN key, which leaves a row in the audit trail: who, and
// both fingerprints. What changes nothing leaves none.
func TestReplacedPinKeyIsNoted(t *testing.T) {
	t.Parallel()
	place := Place{Data: filepath.Join(t.TempDir(), "data")}
	mustInit := func(accept bool) string {
		made, err := Init(t.Context(), place, accept)
		if err != nil {
			t.Fatal(err)
		}
		return made.Installation.PinKey
	}
	rows := func() []audit.Entry {
		_, kept, err := place.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer kept.Close()
		var found []audit.Entry
		err = kept.View(t.Context(), func(r store.Tx) error {
			var err error
			found, err = r.Audit().List(0, 0, 10)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	before := mustInit(false)
	mustInit(true)
	if found := rows(); len(found) != 0 {
		t.Errorf("nothing was replaced, and there is %v", found)
	}
	if err := os.Remove(filepath.Join(place.Data, "pin-private.pem")); err != nil {
		t.Fatal(err)
	}
	after := mustInit(true)
	mustInit(true)
	found := rows()
	if len(found) != 1 || found[0].Outcome != "PIN key "+before+" → "+after ||
		found[0].Actor != person() {
		t.Errorf("the PIN key was replaced, %s by %s, and there is %v", before, after, found)
	}
}

// TestSettingsOfASandbox has doctor look at a sandbox's directory as a settings file names it,
// which serve refuses, and as --data does.
func TestSettingsOfASandbox(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	stop(t, start(t, sandboxIn(dir)))
	for file, want := range map[string]doctor.Result{
		"": doctor.OK, "mintmark.yaml": doctor.Failed,
	} {
		report := Examine(t.Context(), file, Settings{Data: dir}, nil, false)
		found := false
		for _, check := range report.Checks {
			if check.Name == "fingerprints" {
				found = check.Result == want
			}
		}
		if !found {
			t.Errorf("with the settings file %q: %+v", file, report.Checks)
		}
	}
}
