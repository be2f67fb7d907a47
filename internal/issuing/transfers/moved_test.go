package transfers_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/importer"
	"mintmark/internal/importer/moving"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
	"mintmark/internal/testkit/testworld"
)

// moveProgram moves program 1 to another installation.
func moveProgram(w *issuingtest.World) *issuingtest.World {
	w.TB.Helper()
	kept := testworld.Memory(w.TB, w.Clock)
	other := &issuingtest.World{
		TB: w.TB, Store: kept, Vault: w.Vault, Clock: w.Clock,
		Service: acts.New(kept, w.Vault, issuing.Settings{Mode: card.Production, Clock: w.Clock}),
	}
	claim := func(tx store.Tx) error {
		return tx.Installation().Put(store.InstallationRecord{
			Environment: store.Production, Keyset: "keys", PinKey: "pin", Made: tx.Now(),
		})
	}
	w.Update(claim)
	other.Update(claim)
	var text bytes.Buffer
	if _, err := moving.Export(w.TB.Context(), w.Store, w.Vault, 1, &text); err != nil {
		w.TB.Fatal(err)
	}
	file, err := importer.SpoolRows("program.age", w.TB.TempDir(), &text, -1)
	if err != nil {
		w.TB.Fatal(err)
	}
	defer file.Close()
	_, err = moving.Import(w.TB.Context(), kept, w.Vault, file, moving.Options{
		Actor: audit.Actor{Kind: audit.CommandLine, Name: "alice"},
		Reach: subscription.Reach{Sandbox: true},
	})
	if err != nil {
		w.TB.Fatal(err)
	}
	return other
}

// TestMovedAuthorizations sends late messages about authorizations from before a move to both
// installations: each is answered and booked as in the installation that decided.
func TestMovedAuthorizations(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(10_000)
		post := func(w *issuingtest.World, m authorization.PostingRequest) string {
			m.CardID, m.Kind, m.Amount = 5001, authorization.Purchase, issuingtest.Cents(12)
			p, err := w.Transfers.Post(t.Context(), issuingtest.ProcessorActor, m)
			return fmt.Sprint(p.HoldID, p.AccountID, err)
		}
		expired := authorize(w, issuingtest.PurchaseRequest("expired", 100), authorization.Approved)
		w.Clock.Advance(authorization.HoldLife)
		if ended, err := w.Transfers.EndHolds(t.Context()); err != nil || ended != 1 {
			t.Fatalf("%d holds end: %v", ended, err)
		}
		authorize(w, issuingtest.PurchaseRequest("posted", 200), authorization.Approved)
		more := issuingtest.PurchaseRequest("more", 50)
		more.IncrementOf = "posted"
		authorize(w, more, authorization.Approved)
		post(w, authorization.PostingRequest{ID: "first", AuthorizationID: "posted"})
		authorize(w, issuingtest.PurchaseRequest("declined", 1_000_000), authorization.InsufficientFunds)
		authorize(w, issuingtest.PurchaseRequest("standing", 300), authorization.Approved)
		late := func(w *issuingtest.World) (answers []string) {
			for i, m := range []authorization.PostingRequest{
				{AuthorizationID: "expired", NotFinal: true}, {AuthorizationID: "expired"},
				{HoldID: expired.HoldID}, {AuthorizationID: "posted"}, {AuthorizationID: "more"},
				{AuthorizationID: "declined"}, {AuthorizationID: "declined"},
				{AuthorizationID: "standing", NotFinal: true}, {AuthorizationID: "nowhere"},
			} {
				m.ID = fmt.Sprint("late ", i)
				answers = append(answers, post(w, m))
			}
			authorize(w, issuingtest.PurchaseRequest("declined", 1_000_000), authorization.InsufficientFunds)
			for _, id := range []string{"expired", "standing"} {
				r, err := w.Transfers.Reverse(t.Context(), issuingtest.ProcessorActor,
					authorization.ReversalRequest{
						ID: "back " + id, AuthorizationID: id, Amount: authorization.Everything,
					})
				answers = append(answers, fmt.Sprint(r.Result, err))
			}
			return answers
		}
		other := moveProgram(w)
		if diff := cmp.Diff(late(w), late(other)); diff != "" {
			t.Errorf("answers after the move (-old +new):\n%s", diff)
		}
		wantBalances(w, 2001, 10_000-9*12, 10_000-9*12)
		wantBalances(other, 2001, 10_000-9*12, 10_000-9*12)
	})
}
