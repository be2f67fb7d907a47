package overview_test

import (
	"slices"
	"testing"

	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing/overview"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// TestOthers checks that the frame names the active operators except the reader.
func TestOthers(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	w.Update(func(tx store.Tx) error {
		for _, p := range []operator.Person{
			{Name: "ada", State: operator.Active}, {Name: "bob", State: operator.Active},
			{Name: "eve", State: operator.Ended},
		} {
			p.Roles, p.Created = operator.Roles{operator.Security}, tx.Now()
			if err := tx.Operators().Put(&p); err != nil {
				return err
			}
		}
		return nil
	})
	for id, want := range map[int]string{1: "bob", 2: "ada"} {
		var who operator.Person
		w.Update(func(tx store.Tx) (err error) {
			who, err = tx.Operators().Find(id)
			return err
		})
		frame, err := w.Overview.Frame(t.Context(), who.Identity())
		if err != nil || len(frame.Others) != 1 || frame.Others[0].Name != want {
			t.Errorf("operator %d reads %+v, %v", id, frame.Others, err)
		}
	}
}

// TestWaitingOfOneBank checks that operators of a bank see its approvals and those of no bank,
// however many of another bank wait.
func TestWaitingOfOneBank(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	asker := operator.Identity{Name: "ada", ID: 3, Scope: operator.Scope{Banks: []int{2}}}
	w.Update(func(tx store.Tx) error {
		for i := range 1002 {
			err := tx.Approvals().Put(&operator.Approval{
				State: operator.Waiting, Act: "act", Method: "POST", Path: "tokens",
				Roles: operator.Roles{operator.Security}, AskedBy: asker,
				Location: operator.Location{BankID: []int{2, 0, 1}[min(i, 2)]},
				Asked:    tx.Now(), Lapses: tx.Now().Add(operator.ApprovalLifetime),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	frame, err := w.Overview.Frame(t.Context(), operator.Identity{
		Roles: operator.Roles{operator.Security}, Scope: operator.Scope{Banks: []int{2}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(frame.Waiting) != 2 || frame.Waiting[0].BankID != 0 || frame.Waiting[1].BankID != 2 {
		t.Errorf("got %+v", frame.Waiting)
	}
}

// TestOwnRequest checks that a request needs the attention of those who can decide, not of its
// requester.
func TestOwnRequest(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	ada := operator.Identity{
		Name: "ada", ID: 3, Roles: operator.Roles{operator.Security}, Scope: operator.Scope{All: true},
	}
	bob := ada
	bob.Name, bob.ID = "bob", 4
	w.Update(func(tx store.Tx) error {
		return tx.Approvals().Put(&operator.Approval{
			State: operator.Waiting, Act: "act", Method: "POST", Path: "tokens", Roles: ada.Roles,
			AskedBy: ada, Asked: tx.Now(), Lapses: tx.Now().Add(operator.ApprovalLifetime),
		})
	})
	for _, who := range []operator.Identity{ada, bob} {
		o, err := w.Overview.Overview(t.Context(), issuingtest.Clerk, who, 0)
		if err != nil {
			t.Fatal(err)
		}
		waits := slices.ContainsFunc(o.Attention, func(a overview.Attention) bool {
			return a.Kind == overview.WaitingApproval
		})
		if waits == (who.ID == ada.ID) || o.Approvals != 1 {
			t.Errorf("%s reads %+v", who.Name, o.Attention)
		}
	}
}
