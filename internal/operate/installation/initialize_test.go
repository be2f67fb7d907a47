package installation_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/audit"
	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
)

// TestInstallationIsAudited creates an installation and replaces its PIN key. Both leave an audit
// entry with the person; a run without changes leaves none.
func TestInstallationIsAudited(t *testing.T) {
	t.Parallel()
	location := installation.Location{Data: filepath.Join(t.TempDir(), "data")}
	mustInit := func(accept bool) store.InstallationRecord {
		initialized, err := installation.Init(t.Context(), location, accept)
		if err != nil {
			t.Fatal(err)
		}
		return initialized.Installation
	}
	before := mustInit(false)
	created := audit.Entry{
		Actor: installation.Person(), Act: "init", Outcome: "created",
		Subject: audit.Subject{Kind: audit.Installation, ID: before.Keyset},
	}
	mustInit(true)
	wantEntries(t, location, created)
	if err := os.Remove(filepath.Join(location.Data, "pin-private.pem")); err != nil {
		t.Fatal(err)
	}
	replaced := created
	replaced.Outcome = "PIN key " + before.PinKey + " → " + mustInit(true).PinKey
	mustInit(true)
	wantEntries(t, location, replaced, created)
}

// TestAdoptedDatabaseIsAudited opens a database of a version that did not record the installation.
func TestAdoptedDatabaseIsAudited(t *testing.T) {
	t.Parallel()
	location := installation.Location{Data: filepath.Join(t.TempDir(), "data")}
	initialized, err := installation.Init(t.Context(), location, false)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(location.Data, installation.DatabaseFile))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), `DELETE FROM installation; DELETE FROM audit`)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := installation.Init(t.Context(), location, false); err != nil {
		t.Fatal(err)
	}
	wantEntries(t, location, audit.Entry{
		Actor: installation.Person(), Act: "init", Outcome: "adopted",
		Subject: audit.Subject{Kind: audit.Installation, ID: initialized.Installation.Keyset},
	})
}

// wantEntries compares the audit entries that are about no card and no program, newest first.
func wantEntries(t *testing.T, location installation.Location, want ...audit.Entry) {
	t.Helper()
	_, kept, err := location.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	var entries []audit.Entry
	err = kept.View(t.Context(), func(r store.Tx) error {
		var err error
		entries, err = r.Audit().List(0, 0, 10)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range entries {
		if entries[i].At.IsZero() {
			t.Errorf("the entry has no time: %+v", entries[i])
		}
		entries[i].At = time.Time{}
	}
	if diff := cmp.Diff(want, entries); diff != "" {
		t.Errorf("the audit (-want +got):\n%s", diff)
	}
}
