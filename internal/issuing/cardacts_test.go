package issuing_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/fault"
	scopes "mintmark/internal/domain/operator"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/store"
)

// clerk is an operator who sees all banks.
var clerk = issuing.Operator{
	Actor: audit.Actor{
		Kind: audit.Operator, Name: "clerk", Address: "127.0.0.1", RequestID: "1",
		Reason: "the branch asks",
	},
	Scope: scopes.Scope{All: true},
}

// outsider sees the other bank alone.
var outsider = issuing.Operator{Actor: clerk.Actor, Scope: scopes.Scope{Banks: []int{2}}}

// cardActs are the acts of operators on a card, by their names in a CardSheet.
func (w *world) cardActs() map[string]func(
	who issuing.Operator, cardID, revision int,
) (cards.CardSheet, error) {
	ctx := w.t.Context()
	return map[string]func(issuing.Operator, int, int) (cards.CardSheet, error){
		"lock": func(who issuing.Operator, id, revision int) (cards.CardSheet, error) {
			return w.Cards.LockCard(ctx, who, id, revision, "ADM")
		},
		"unlock": func(who issuing.Operator, id, revision int) (cards.CardSheet, error) {
			return w.Cards.UnlockCard(ctx, who, id, revision)
		},
		"reissue": func(who issuing.Operator, id, revision int) (cards.CardSheet, error) {
			return w.Cards.ReissueCard(ctx, who, id, revision, "LST")
		},
		"archive": func(who issuing.Operator, id, revision int) (cards.CardSheet, error) {
			return w.Cards.ArchiveCard(ctx, who, id, revision)
		},
	}
}

// TestOperatorsActs tries each act on cards in each status with each lock. The act does what the
// card said before that it would: it is done, or refused with the same sentence and code.
func TestOperatorsActs(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	locks := []card.Lock{
		{Type: card.Unlocked, Reason: card.Unknown}, {Type: card.Customer, Reason: card.Temporary},
		{Type: card.Customer, Reason: card.Lost}, {Type: card.System, Reason: card.Administrative},
		{Type: card.System, Reason: card.SuspectedFraud},
	}
	done := make(map[string]int)
	for _, status := range card.Statuses {
		for _, lock := range locks {
			for name, act := range w.cardActs() {
				c := w.newCard(nil)
				c.Lock = lock
				c = w.inStatus(c, status)
				of := fmt.Sprintf("%s of a card %s, %s/%s", name, status, lock.Type, lock.Reason)
				sheet, err := w.Cards.ReadCard(t.Context(), clerk, c.ID)
				if err != nil {
					t.Fatal(err)
				}
				refusal := refusalOf(sheet, name)
				_, err = act(clerk, c.ID, 0)
				got := (*card.Refusal)(nil)
				if refused := errors.As(err, &got); refused != (refusal != nil) ||
					refused && *got != *refusal || err != nil && !refused {
					t.Errorf("%s: %v, and the card said %+v", of, err, refusal)
				}
				if refusal != nil {
					w.wantSame(of, c)
					continue
				}
				done[name]++
			}
		}
	}
	for name, want := range map[string]int{
		"lock": 7 * 3, "unlock": 7 * 2, "reissue": 4 * 4, "archive": 6 * 5,
	} {
		if done[name] != want {
			t.Errorf("%s is possible in %d of all states, want %d", name, done[name], want)
		}
	}
}

func refusalOf(sheet cards.CardSheet, name string) *card.Refusal {
	for _, act := range sheet.Acts {
		if act.Name == name {
			return act.Refusal
		}
	}
	return &card.Refusal{Why: "no act has this name"}
}

// wantSame holds that a card was left as it was.
func (w *world) wantSame(of string, c card.Card) {
	w.t.Helper()
	if now := w.stored(c.ID); !now.Equal(&c) {
		w.t.Errorf("%s has changed the card: %+v", of, now)
	}
}

// TestOperatorClearsLock follows a lock from its making to its end: who has set it, what callers
// are answered meanwhile, which orders go out, what the audit has.
func TestOperatorClearsLock(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	orders := w.orders()
	c := w.inStatus(w.newCard(nil), card.Verified)
	*orders = nil
	sheet, err := w.Cards.LockCard(t.Context(), clerk, c.ID, c.Revision, "adm")
	if err != nil {
		t.Fatal(err)
	}
	if sheet.Lock != (card.Lock{Type: card.System, Reason: card.Administrative}) ||
		sheet.Locked == nil || sheet.Locked.Name != "clerk" ||
		sheet.Locked.Reason != "the branch asks" || len(sheet.Orders) == 0 {
		t.Errorf("the locked card is %+v, locked by %+v", sheet.Card, sheet.Locked)
	}
	_, err = w.Cards.Unlock(t.Context(), caller, issuing.CardRef{CustomerID: 1001, CardID: c.ID})
	wantCodes(t, err, fault.Lookup(fault.UnlockSystem).Code)
	_, err = w.Cards.UnlockCard(t.Context(), clerk, c.ID, c.Revision)
	if !errors.Is(err, store.ErrLostUpdate) {
		t.Errorf("an older revision: %v", err)
	}
	sheet, err = w.Cards.UnlockCard(t.Context(), clerk, c.ID, sheet.Revision)
	if err != nil || sheet.Lock.Type != card.Unlocked || sheet.Locked != nil {
		t.Errorf("the unlocked card is %+v, %v", sheet.Card, err)
	}
	if len(*orders) != 2 || (*orders)[0].Kind != order.Lock || (*orders)[1].Kind != order.Unlock {
		t.Errorf("orders: %+v", *orders)
	}
	var acts []string
	for _, e := range w.trail(c.ID) {
		if e.Kind == audit.Operator {
			acts = append(acts, e.Act+" "+e.Outcome+" "+e.Reason)
		}
	}
	want := "lock card changed the branch asks, unlock card changed the branch asks"
	if got := strings.Join(acts, ", "); got != want {
		t.Errorf("the audit has %q, want %q", got, want)
	}
}

// TestOperatorReissues replaces a card that the system has locked for good, which no caller may.
func TestOperatorReissues(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	c := w.newCard(nil)
	c.Lock = card.Lock{Type: card.System, Reason: card.SuspectedFraud}
	c = w.inStatus(c, card.Verified)
	_, err := w.Cards.Reissue(t.Context(), caller, cards.ReissueRequest{
		CardRef: issuing.CardRef{CustomerID: 1001, CardID: c.ID}, ReissueReasonTypeCode: "LST",
	})
	wantCodes(t, err, fault.Lookup(fault.LockedBySystem).Code)
	sheet, err := w.Cards.ReissueCard(t.Context(), clerk, c.ID, 0, "DMG")
	if err != nil {
		t.Fatal(err)
	}
	old := w.stored(c.ID)
	if sheet.ID == c.ID || sheet.NickName != c.NickName || sheet.Lock.Type != card.Unlocked ||
		old.Status != card.Reissued || old.Lock != c.Lock {
		t.Errorf("the new card is %+v, the old one %+v", sheet.Card, old)
	}
	made := w.inStatus(w.newCard(nil), card.Verified)
	sheet, err = w.Cards.ReissueCard(t.Context(), clerk, made.ID, 0, "DMG")
	if err != nil || sheet.ID != made.ID || sheet.Reissued.IsZero() {
		t.Errorf("the card made anew is %+v, %v", sheet.Card, err)
	}
}

// TestOperatorsInvalidCodes holds that a reason which is none of the act's is told with its member.
func TestOperatorsInvalidCodes(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	c := w.newCard(nil)
	for _, code := range []string{"", "TMP", "DMG", "UNK", "XXX"} {
		_, err := w.Cards.LockCard(t.Context(), clerk, c.ID, 0, code)
		wantInvalid(t, err, "lockReasonTypeCode")
	}
	for _, code := range []string{"", "ADM", "PIN", "XXX"} {
		_, err := w.Cards.ReissueCard(t.Context(), clerk, c.ID, 0, code)
		wantInvalid(t, err, "reissueReasonTypeCode")
	}
	w.wantSame("an invalid reason", c)
}

func wantInvalid(t *testing.T, err error, path string) {
	t.Helper()
	invalid := (*issuing.InvalidError)(nil)
	if !errors.As(err, &invalid) || len(invalid.Problems) != 1 ||
		invalid.Problems[0].Path != path {
		t.Errorf("the error is %v, want one about %q", err, path)
	}
}

// TestOperatorsScope tries everything on a card of another bank: it is as if it did not exist, and
// nothing is changed. So is a card that there is not.
func TestOperatorsScope(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	c := w.newCard(nil)
	before := len(w.trail(c.ID))
	acts := w.cardActs()
	acts["read"] = func(who issuing.Operator, id, _ int) (cards.CardSheet, error) {
		return w.Cards.ReadCard(t.Context(), who, id)
	}
	acts["history"] = func(who issuing.Operator, id, _ int) (cards.CardSheet, error) {
		_, _, err := w.Cards.ListHistory(t.Context(), who, id, issuing.Page{Limit: 5})
		return cards.CardSheet{}, err
	}
	for name, act := range acts {
		for who, id := range map[*issuing.Operator]int{&outsider: c.ID, &clerk: 999_999} {
			if _, err := act(*who, id, 0); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s of card %d: %v", name, id, err)
			}
		}
	}
	w.wantSame("an outsider", c)
	if after := len(w.trail(c.ID)); after != before {
		t.Errorf("%d entries about the card more", after-before)
	}
	found, _, err := w.Cards.ListCards(
		t.Context(), outsider, cards.CardFilter{}, issuing.Page{Limit: 200})
	if err != nil {
		t.Error(err)
	}
	for _, one := range found {
		if one.ProgramID == c.ProgramID {
			t.Errorf("an outsider sees card %d of program %d", one.ID, one.ProgramID)
		}
	}
}

// TestOperatorsDryRun tries each act without keeping anything: neither card nor order nor entry.
func TestOperatorsDryRun(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	c := w.newCard(nil)
	c.Lock = card.Lock{Type: card.Customer, Reason: card.Temporary}
	c = w.inStatus(c, card.Verified)
	before := len(w.trail(c.ID))
	trying := clerk
	trying.DryRun = true
	for name, act := range w.cardActs() {
		sheet, err := act(trying, c.ID, c.Revision)
		if err != nil || sheet.ID == 0 || sheet.Card.Equal(&c) {
			t.Errorf("%s would make %+v, %v", name, sheet.Card, err)
		}
		w.wantSame(name, c)
	}
	if after := len(w.trail(c.ID)); after != before {
		t.Errorf("%d entries about the card more", after-before)
	}
}
