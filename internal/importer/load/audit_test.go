package load

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// entries returns the audit entries that are not about a card, oldest first: those of no program,
// then those of program 1.
func (b *bench) entries(t *testing.T) []audit.Entry {
	t.Helper()
	var all []audit.Entry
	b.view(t, func(r store.Tx) error {
		for _, programID := range []int{0, 1} {
			rows, err := r.Audit().List(programID, 0, 100)
			if err != nil {
				return err
			}
			for i := range rows {
				all = append(all, rows[len(rows)-1-i])
			}
		}
		return nil
	})
	return all
}

// loads returns those about a load itself.
func (b *bench) loads(t *testing.T) []audit.Entry {
	t.Helper()
	var all []audit.Entry
	for _, e := range b.entries(t) {
		if e.Subject.Kind == audit.LoadedFile {
			all = append(all, e)
		}
	}
	return all
}

// TestAudit checks the audit entries of a load: the person, the file and the counts. A dry run
// leaves none.
func TestAudit(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, good)
	if _, err := b.loadWith(t, good, Options{DryRun: true}); err != nil {
		t.Fatal(err)
	}
	data, err := Read(fileWith(good), "data/file.yaml")
	if err != nil {
		t.Fatal(err)
	}
	rows := b.loads(t)
	if len(rows) != 1 {
		t.Fatalf("%d entries", len(rows))
	}
	want := audit.Entry{
		At: rows[0].At, Actor: alice, Act: "load",
		Subject: audit.Subject{Kind: audit.LoadedFile, ID: data.digest},
		Outcome: "file.yaml sha256:" + data.digest + " banks +1 ~0 =0, " +
			"pciKeys +1 ~0 =0, programs +1 ~0 =0, bins +1 ~0 =0, keys +1 ~0 =0, " +
			"customers +1 ~0 =0, accounts +1 ~0 =0, access +1 ~0 =0, documents +1 ~0 =0, " +
			"cards +1 ~0 =0",
	}
	if diff := cmp.Diff(want, rows[0]); diff != "" {
		t.Errorf("the entry (-want +got):\n%s", diff)
	}
}

// TestAuditOfChanges checks that each configured object and each changed customer has an entry with
// the changed members, and that no entry contains personal data.
func TestAuditOfChanges(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, good)
	got := b.outcomes(t)
	want := []string{
		"bank 1 of 0: created", "pciKey 1 of 0: created", "program 1 of 1: created",
		"bin 1 of 1: created", "key k1 of 1: created, secret added, secret added",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the first load (-want +got):\n%s", diff)
	}
	for _, e := range b.entries(t) {
		if e.Actor != alice || e.Act != "load" || e.Before != "" {
			t.Errorf("what is new was before: %+v", e)
		}
		if strings.Contains(e.After, `"accountNumber":"`) &&
			!strings.Contains(e.After, `"accountNumber":"***"`) {
			t.Errorf("an account number: %s", e.After)
		}
	}

	b.mustLoad(t, `programs:
  - {programId: 1, name: "P <1>", verificationWindowDays: 30}
customers:
  - {customerId: 1, status: Denied, isLocked: true, birthDate: 1971-01-02, lastName: Other}
`)
	rows := b.entries(t)
	changes := map[string][2]string{}
	for _, e := range rows {
		if e.Outcome == "changed" {
			changes[string(e.Subject.Kind)+" "+e.Subject.ID] = [2]string{e.Before, e.After}
		}
	}
	if diff := cmp.Diff(map[string][2]string{
		"program 1": {
			`{"name":"P1","verificationWindowDays":90}`,
			`{"name":"P <1>","verificationWindowDays":30}`,
		},
		"customer 1": {
			`{"birthDate":"***","isLocked":false,"lastName":"***","status":"Verified"}`,
			`{"birthDate":"***","isLocked":true,"lastName":"***","status":"Denied"}`,
		},
	}, changes); diff != "" {
		t.Errorf("the second load (-want +got):\n%s", diff)
	}

	// An object that already matches the file has no entry.
	b.mustLoad(t, `programs: [{programId: 1, verificationWindowDays: 30}]`)
	if again := b.entries(t); len(again) != len(rows)+1 {
		t.Errorf("%d entries after a load that changed nothing, %d before", len(again), len(rows))
	}
}

// outcomes returns a line for each entry about a loaded object.
func (b *bench) outcomes(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, e := range b.entries(t) {
		if e.Subject.Kind != audit.LoadedFile {
			of := "0"
			if e.ProgramID == 1 {
				of = "1"
			}
			all = append(all, string(e.Subject.Kind)+" "+e.Subject.ID+" of "+of+": "+e.Outcome)
		}
	}
	return all
}
