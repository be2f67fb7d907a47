package overview_test

import (
	"maps"
	"testing"

	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// TestSetup checks the steps to the first card for a program without cards, and that a program with
// cards has none.
func TestSetup(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	w.Update(func(tx store.Tx) error {
		p, err := tx.Programs().Find(1)
		if err != nil {
			return err
		}
		p.ID, p.Revision = 77, 0
		if err := tx.Programs().Put(p); err != nil {
			return err
		}
		for _, person := range []operator.Person{
			{Name: "ines", State: operator.Active, Roles: operator.Roles{operator.Security}},
			{Name: "maren", State: operator.Invited, Roles: operator.Roles{operator.Security}},
		} {
			person.Created = tx.Now()
			if err := tx.Operators().Put(&person); err != nil {
				return err
			}
		}
		return nil
	})
	want := map[string]bool{
		"bank": true, "encryptionKey": true, "program": true, "bin": false, "key": false,
		"processor": false, "secondOperator": false,
	}
	if got := setup(t, w, 77); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	w.Dispatcher = struct{ issuing.Dispatcher }{}
	w.Update(func(tx store.Tx) error {
		person, err := tx.Operators().Find(2)
		if err != nil {
			return err
		}
		person.State = operator.Active
		if err := tx.Operators().Put(&person); err != nil {
			return err
		}
		return tx.Programs().PutBin(program.Bin{
			ID: 77, ProgramID: 77, Vendor: "VS", FirstBody: "410000000000000",
			LastBody: "410000000000999",
		})
	})
	want["bin"], want["processor"], want["secondOperator"] = true, true, true
	if got := setup(t, w, 77); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := setup(t, w, 1); len(got) != 0 {
		t.Errorf("of a program with cards %v", got)
	}
}

// setup returns the steps of a program by name.
func setup(t *testing.T, w *issuingtest.World, programID int) map[string]bool {
	t.Helper()
	overview, err := w.Overview.Overview(t.Context(), issuingtest.Clerk,
		operator.Identity{Scope: operator.Scope{All: true}}, programID)
	if err != nil {
		t.Fatal(err)
	}
	done := map[string]bool{}
	for _, step := range overview.Setup {
		done[step.Name] = step.Done
	}
	return done
}
