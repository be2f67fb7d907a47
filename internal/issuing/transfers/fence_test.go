package transfers_test

import (
	"testing"
	"time"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// TestFencedTransfers checks that no message of the card processor changes a program that is moving
// to another installation, and that a repeated message gets its earlier response.
func TestFencedTransfers(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(10_000)
		request := issuingtest.PurchaseRequest("a1", 3000)
		before := authorize(w, request, authorization.Approved)
		fenced := 0
		w.Transfers.IsFenced = func(programID int) bool { return programID == fenced }
		other := issuingtest.PurchaseRequest("a2", 1000)
		more := other
		more.ID = "a3"
		messages := map[string]func() error{
			"authorize": func() error {
				_, err := w.Transfers.Authorize(t.Context(), issuingtest.ProcessorActor, other)
				return err
			},
			"advise": func() error {
				_, err := w.Transfers.Advise(t.Context(), issuingtest.ProcessorActor,
					authorization.AdviceRequest{Request: more, Decision: "approved", By: authorization.StandIn})
				return err
			},
			"reverse": func() error {
				_, err := w.Transfers.Reverse(t.Context(), issuingtest.ProcessorActor,
					authorization.ReversalRequest{
						ID: "r1", AuthorizationID: "a1", Amount: issuingtest.Cents(1),
					})
				return err
			},
			"post": func() error {
				_, err := w.Transfers.Post(t.Context(), issuingtest.ProcessorActor,
					authorization.PostingRequest{
						ID: "p1", CardID: 5001, Kind: authorization.Purchase, Amount: issuingtest.Cents(5),
					})
				return err
			},
			"release": func() error {
				_, err := w.Transfers.Release(t.Context(), issuingtest.ProcessorActor, before.HoldID)
				return err
			},
		}
		fenced = 1
		for name, send := range messages {
			t.Log(name)
			issuingtest.WantCodes(t, send(), 50503)
		}
		w.Clock.Advance(authorization.HoldLife)
		if ended, err := w.Transfers.EndHolds(t.Context()); err != nil || ended != 0 {
			t.Errorf("%d holds end: %v", ended, err)
		}
		w.Clock.Advance(-authorization.HoldLife)
		wantBalances(w, 2001, 10_000, 7000)
		if again := authorize(w, request, authorization.Approved); again != before {
			t.Errorf("the authorization is answered %+v, before %+v", again, before)
		}
		fenced = 2
		for name, send := range messages {
			if err := send(); err != nil {
				t.Errorf("%s of a program without a fence: %v", name, err)
			}
		}
	})
}

// TestFencedLateMessages checks that messages that change a row but no balance are also held up,
// and leave an entry.
func TestFencedLateMessages(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(10_000)
		late := issuingtest.PurchaseRequest("a1", 3000)
		advice := authorization.AdviceRequest{
			Request: late, Decision: "approved", By: authorization.StandIn,
		}
		if _, err := w.Transfers.Advise(t.Context(), issuingtest.ProcessorActor, advice); err != nil {
			t.Fatal(err)
		}
		emptied := authorize(w, issuingtest.PurchaseRequest("a2", 1000), authorization.Approved)
		_, err := w.Transfers.Reverse(t.Context(), issuingtest.ProcessorActor,
			authorization.ReversalRequest{
				ID: "r1", AuthorizationID: "a2", Amount: issuingtest.Cents(1000),
			})
		if err != nil {
			t.Fatal(err)
		}
		for name, send := range map[string]func() error{
			"authorize": func() error {
				_, err := w.Transfers.Authorize(t.Context(), issuingtest.ProcessorActor, late)
				return err
			},
			"release": func() error {
				_, err := w.Transfers.Release(t.Context(), issuingtest.ProcessorActor, emptied.HoldID)
				return err
			},
		} {
			w.Transfers.IsFenced = func(int) bool { return true }
			issuingtest.WantCodes(t, send(), 50503)
			w.Transfers.IsFenced = nil
			before := len(w.Trail(5001))
			for range 2 {
				if err := send(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			added := w.Trail(5001)[before:]
			if len(added) != 1 || added[0].Act != name || added[0].Outcome != "unchanged" {
				t.Errorf("%s leaves %+v", name, added)
			}
		}
	})
}

// TestFencedMarks checks that the reversal of an authorization that has not arrived is not answered
// while any program moves, since the mark would stay behind, and that a fence holds up those of
// other programs for a day at most.
func TestFencedMarks(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(10_000)
		reverse := func(id, authorizationID string) (authorization.ReversalResult, error) {
			r, err := w.Transfers.Reverse(t.Context(), issuingtest.ProcessorActor,
				authorization.ReversalRequest{
					ID: id, AuthorizationID: authorizationID, Amount: issuingtest.Cents(1),
				})
			return r.Result, err
		}
		want := func(result authorization.ReversalResult, id, authorizationID string) {
			t.Helper()
			if got, err := reverse(id, authorizationID); err != nil || got != result {
				t.Errorf("the reversal %s is answered %s, %v, want %s", id, got, err, result)
			}
		}
		fence := func(since time.Time) {
			w.Update(func(tx store.Tx) error { return tx.Programs().PutFence(2, since) })
		}
		authorize(w, issuingtest.PurchaseRequest("known", 100), authorization.Approved)
		want(authorization.NotYetKnown, "r1", "late")
		fence(w.Clock.Now())
		for id, of := range map[string]string{"r2": "later", "r3": "late"} {
			_, err := reverse(id, of)
			issuingtest.WantCodes(t, err, 50503)
		}
		want(authorization.NotYetKnown, "r1", "late")
		want(authorization.PartlyReversed, "r4", "known")
		authorize(w, issuingtest.PurchaseRequest("later", 100), authorization.Approved)
		w.Clock.Advance(24 * time.Hour)
		want(authorization.NotYetKnown, "r5", "latest")
		fence(w.Clock.Now())
		_, err := reverse("r6", "last")
		issuingtest.WantCodes(t, err, 50503)
		fence(time.Time{})
		want(authorization.NotYetKnown, "r6", "last")
	})
}
