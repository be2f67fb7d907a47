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
)

func lockRequest(ref issuing.CardRef, reason string) cards.LockRequest {
	return cards.LockRequest{CardRef: ref, LockReasonTypeCode: reason}
}

// TestAuditNamesWhoAndWhere holds the part of a row that is the same for every act.
func TestAuditNamesWhoAndWhere(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	ref := issuing.CardRef{CustomerID: 1001, CardID: verifiedCard}
	w.clock.Advance(time.Second)
	w.must(w.Cards.Lock(t.Context(), caller, lockRequest(ref, "TMP")))
	want := audit.Entry{
		At: start.Add(time.Second), Actor: caller.Actor, Act: caller.Route, ProgramID: 1,
		CustomerID: 1001, Subject: audit.Of(audit.Card, verifiedCard),
		Outcome: "changed",
		Before:  `{"lockReasonTypeCode":"UNK","lockTypeCode":"UNL"}`,
		After:   `{"lockReasonTypeCode":"TMP","lockTypeCode":"CST"}`,
	}
	if diff := cmp.Diff([]audit.Entry{want}, w.trail(verifiedCard)); diff != "" {
		t.Errorf("the trail (-want +got):\n%s", diff)
	}
}

// TestAuditOfEachAct holds the outcome of each act and the names of the properties it changed.
func TestAuditOfEachAct(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	ctx := t.Context()
	c := w.newCard(nil)
	ref := issuing.CardRef{CustomerID: 1001, CardID: c.ID}
	one := 1
	account := cards.AccountRequest{CardRef: ref, AccountID: 2002}
	first := cards.PriorityRequest{AccountRequest: account, CardPriority: &one}
	for _, row := range []struct {
		name    string
		act     func() (cards.CardDetail, error)
		outcome string
		changed []string
	}{
		{"verify", func() (cards.CardDetail, error) {
			return w.Cards.Verify(ctx, caller, verifying(c, ending))
		}, "changed", []string{"status", "verifiedDate"}},
		{"unlock an unlocked card", func() (cards.CardDetail, error) {
			return w.Cards.Unlock(ctx, caller, ref)
		}, "unchanged", nil},
		{"add an account", func() (cards.CardDetail, error) {
			return w.Cards.AddAccount(ctx, caller, first)
		}, "changed", []string{"checking", "primaryAccountId"}},
		{"leave an account where it is", func() (cards.CardDetail, error) {
			return w.Cards.ReprioritizeAccount(ctx, caller, first)
		}, "unchanged", nil},
		{"remove an account", func() (cards.CardDetail, error) {
			first := cards.AccountRequest{CardRef: ref, AccountID: 2001}
			return w.Cards.RemoveAccount(ctx, caller, first)
		}, "changed", []string{"checking"}},
		{"reset the PIN", func() (cards.CardDetail, error) {
			return w.Cards.ResetPin(ctx, caller, cards.PinRequest{
				CardRef: ref, NewPin: plainPin("0420"),
			})
		}, "PIN ordered", nil},
		{"make anew", func() (cards.CardDetail, error) {
			return w.Cards.Reissue(ctx, caller, reissuing(c, "DMG"))
		}, "changed", []string{"reissuedDate"}},
		{"hotlist", func() (cards.CardDetail, error) {
			return w.Cards.Hotlist(ctx, caller, lockRequest(ref, "FRD"))
		}, "changed", []string{"lockReasonTypeCode", "lockTypeCode"}},
		{"lock what is locked for ever", func() (cards.CardDetail, error) {
			return w.Cards.Lock(ctx, caller, lockRequest(ref, "TMP"))
		}, "unchanged", nil},
		{"archive", func() (cards.CardDetail, error) {
			return cards.CardDetail{}, w.Cards.Archive(ctx, caller, ref)
		}, "changed", []string{"archivedDate", "status"}},
	} {
		earlier := len(w.acts(c.ID))
		if _, err := row.act(); err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		rows := w.acts(c.ID)
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

// acts returns the trail of a card without what the processor has reported.
func (w *world) acts(cardID int) []audit.Entry {
	w.t.Helper()
	return slices.DeleteFunc(w.trail(cardID), func(row audit.Entry) bool {
		return row.Kind == audit.Processor
	})
}

// properties returns the names in a state of the trail, in their order.
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

// TestAuditOfReplacement holds that both cards of a replacement have a row, that a new card shows
// all it was made of, and that no row holds a whole number.
func TestAuditOfReplacement(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	got := w.must(w.Cards.Reissue(t.Context(), caller, reissuing(w.stored(verifiedCard), "LST")))
	old, replacement := w.trail(verifiedCard), w.trail(got.ID)
	// The processor has taken the order for the new card, and shipped it.
	if len(old) != 1 || len(replacement) != 3 {
		t.Fatalf("%d rows about the old card, %d about the new one", len(old), len(replacement))
	}
	wantOld := []string{"lockReasonTypeCode", "lockTypeCode", "reissuedDate", "status", "tag"}
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
		after["lastFour"] != ending {
		t.Errorf("the row of the new card shows %v", after)
	}
}

// TestRefusalsLeaveNoRow holds that a request that is refused by a rule changes nothing and leaves
// nothing: only attempts that are counted are in the trail.
func TestRefusalsLeaveNoRow(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	ref := issuing.CardRef{CustomerID: 1001, CardID: systemLocked}
	before := w.stored(systemLocked)
	_, err := w.Cards.Lock(t.Context(), caller, lockRequest(ref, "TMP"))
	wantCodes(t, err, 150402)
	if rows := w.trail(systemLocked); len(rows) != 0 {
		t.Errorf("the trail is %+v", rows)
	}
	if diff := cmp.Diff(before, w.stored(systemLocked)); diff != "" {
		t.Errorf("the card has changed:\n%s", diff)
	}
}
