package issuing_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/testkit/issuingtest"
)

// TestAuditNamesWhoAndWhere checks the columns of an audit row that are the same for every act.
func TestAuditNamesWhoAndWhere(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	ref := issuing.CardRef{CustomerID: 1001, CardID: issuingtest.VerifiedCard}
	w.Clock.Advance(time.Second)
	w.Must(w.Cards.Lock(t.Context(), issuingtest.Caller, issuingtest.LockRequest(ref, "TMP")))
	want := audit.Entry{
		At: issuingtest.Start.Add(time.Second), Actor: issuingtest.Caller.Actor, Act: issuingtest.Caller.Route, ProgramID: 1,
		CustomerID: 1001, Subject: audit.Of(audit.Card, issuingtest.VerifiedCard),
		Outcome: "changed",
		Before:  `{"lockReasonTypeCode":"UNK","lockTypeCode":"UNL"}`,
		After:   `{"lockReasonTypeCode":"TMP","lockTypeCode":"CST"}`,
	}
	if diff := cmp.Diff([]audit.Entry{want}, w.Trail(issuingtest.VerifiedCard)); diff != "" {
		t.Errorf("the trail (-want +got):\n%s", diff)
	}
}

// TestAuditOfEachAct checks the outcome of each act and the names of the properties that it
// changed.
func TestAuditOfEachAct(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	ctx := t.Context()
	c := w.NewCard(nil)
	ref := issuing.CardRef{CustomerID: 1001, CardID: c.ID}
	id := 1
	account := cards.AccountRequest{CardRef: ref, AccountID: 2002}
	first := cards.PriorityRequest{AccountRequest: account, CardPriority: &id}
	for _, row := range []struct {
		name    string
		act     func() (cards.CardDetail, error)
		outcome string
		changed []string
	}{
		{"verify", func() (cards.CardDetail, error) {
			return w.Cards.Verify(ctx, issuingtest.Caller, issuingtest.Verifying(c, issuingtest.Ending))
		}, "changed", []string{"status", "verifiedDate"}},
		{"unlock an unlocked card", func() (cards.CardDetail, error) {
			return w.Cards.Unlock(ctx, issuingtest.Caller, ref)
		}, "unchanged", nil},
		{"add an account", func() (cards.CardDetail, error) {
			return w.Cards.AddAccount(ctx, issuingtest.Caller, first)
		}, "changed", []string{"checking", "primaryAccountId"}},
		{"leave an account where it is", func() (cards.CardDetail, error) {
			return w.Cards.ReprioritizeAccount(ctx, issuingtest.Caller, first)
		}, "unchanged", nil},
		{"remove an account", func() (cards.CardDetail, error) {
			first := cards.AccountRequest{CardRef: ref, AccountID: 2001}
			return w.Cards.RemoveAccount(ctx, issuingtest.Caller, first)
		}, "changed", []string{"checking"}},
		{"reset the PIN", func() (cards.CardDetail, error) {
			return w.Cards.ResetPin(ctx, issuingtest.Caller, cards.PinRequest{
				CardRef: ref, NewPin: issuingtest.PlainPin("0420"),
			})
		}, "PIN ordered", nil},
		{"make anew", func() (cards.CardDetail, error) {
			return w.Cards.Reissue(ctx, issuingtest.Caller, issuingtest.Reissuing(c, "DMG"))
		}, "changed", []string{"reissuedDate"}},
		{"hotlist", func() (cards.CardDetail, error) {
			return w.Cards.Hotlist(ctx, issuingtest.Caller, issuingtest.LockRequest(ref, "FRD"))
		}, "changed", []string{"lockReasonTypeCode", "lockTypeCode"}},
		{"lock what is locked for ever", func() (cards.CardDetail, error) {
			return w.Cards.Lock(ctx, issuingtest.Caller, issuingtest.LockRequest(ref, "TMP"))
		}, "unchanged", nil},
		{"archive", func() (cards.CardDetail, error) {
			return cards.CardDetail{}, w.Cards.Archive(ctx, issuingtest.Caller, ref)
		}, "changed", []string{"archivedDate", "status"}},
	} {
		earlier := len(actsOf(w, c.ID))
		if _, err := row.act(); err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		rows := actsOf(w, c.ID)
		if len(rows) != earlier+1 {
			t.Fatalf("%s left %d rows, want one", row.name, len(rows)-earlier)
		}
		last := rows[earlier]
		if last.Outcome != row.outcome {
			t.Errorf("%s: the outcome is %q, want %q", row.name, last.Outcome, row.outcome)
		}
		for _, text := range []string{last.Before, last.After} {
			if diff := cmp.Diff(row.changed, properties(t, text)); diff != "" {
				t.Errorf("%s: the properties shown (-want +got):\n%s", row.name, diff)
			}
		}
	}
}

// actsOf returns the audit trail of a card without the processor's reports.
func actsOf(w *issuingtest.World, cardID int) []audit.Entry {
	w.TB.Helper()
	return slices.DeleteFunc(w.Trail(cardID), func(row audit.Entry) bool {
		return row.Kind == audit.Processor
	})
}

// properties returns the property names in the JSON of an audit state, in order.
func properties(t *testing.T, text string) []string {
	t.Helper()
	if text == "" {
		return nil
	}
	var state map[string]any
	if err := json.Unmarshal([]byte(text), &state); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range state {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// TestAuditOfReplacement checks that both cards of a replacement have a row, that a new card's row
// lists all its properties, and that no row contains a full card number.
func TestAuditOfReplacement(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	got := w.Must(w.Cards.Reissue(t.Context(), issuingtest.Caller, issuingtest.Reissuing(w.Stored(issuingtest.VerifiedCard), "LST")))
	old, replacement := w.Trail(issuingtest.VerifiedCard), w.Trail(got.ID)
	// The processor has accepted the order for the new card and shipped it.
	if len(old) != 1 || len(replacement) != 3 {
		t.Fatalf("%d rows about the old card, %d about the new one", len(old), len(replacement))
	}
	wantOld := []string{"lockReasonTypeCode", "lockTypeCode", "reissuedDate", "replacedBy", "status",
		"tag"}
	if diff := cmp.Diff(wantOld, properties(t, old[0].After)); diff != "" {
		t.Errorf("the old card (-want +got):\n%s", diff)
	}
	if replacement[0].Outcome != "created" || replacement[0].Before != "" {
		t.Errorf("the row of the new card is %+v", replacement[0])
	}
	var after map[string]any
	if err := json.Unmarshal([]byte(replacement[0].After), &after); err != nil {
		t.Fatal(err)
	}
	if after["tag"] != "demo-5001" || after["status"] != string(card.Verified) ||
		after["lastFour"] != issuingtest.Ending {
		t.Errorf("the row of the new card shows %v", after)
	}
}

// TestRefusalsLeaveNoRow checks that a request rejected by a rule changes nothing and leaves no
// audit row: only counted attempts are in the trail.
func TestRefusalsLeaveNoRow(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	ref := issuing.CardRef{CustomerID: 1001, CardID: issuingtest.SystemLocked}
	before := w.Stored(issuingtest.SystemLocked)
	_, err := w.Cards.Lock(t.Context(), issuingtest.Caller, issuingtest.LockRequest(ref, "TMP"))
	issuingtest.WantCodes(t, err, 150402)
	if rows := w.Trail(issuingtest.SystemLocked); len(rows) != 0 {
		t.Errorf("the trail is %+v", rows)
	}
	if diff := cmp.Diff(before, w.Stored(issuingtest.SystemLocked)); diff != "" {
		t.Errorf("the card has changed:\n%s", diff)
	}
}
