package cards_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/fault"
	scopes "mintmark/internal/domain/operator"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// outsider sees only the other bank.
var outsider = issuing.Operator{Actor: issuingtest.Clerk.Actor, Scope: scopes.Scope{Banks: []int{2}}}

// TestOperatorsActs tries each act on cards in each status with each lock. The outcome is the one
// that the card announced: success, or a refusal with the same text and code.
func TestOperatorsActs(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	locks := []card.Lock{
		{Type: card.Unlocked, Reason: card.Unknown}, {Type: card.Customer, Reason: card.Temporary},
		{Type: card.Customer, Reason: card.Lost}, {Type: card.System, Reason: card.Administrative},
		{Type: card.System, Reason: card.SuspectedFraud},
	}
	done := make(map[string]int)
	for _, status := range card.Statuses {
		for _, lock := range locks {
			for name, act := range w.CardActs() {
				c := w.NewCard(nil)
				c.Lock = lock
				c = w.InStatus(c, status)
				of := fmt.Sprintf("%s of a card %s, %s/%s", name, status, lock.Type, lock.Reason)
				sheet, err := w.Cards.ReadCard(t.Context(), issuingtest.Clerk, c.ID)
				if err != nil {
					t.Fatal(err)
				}
				refusal := refusalOf(sheet, name)
				_, err = act(issuingtest.Clerk, c.ID, 0)
				got := (*card.Refusal)(nil)
				if refused := errors.As(err, &got); refused != (refusal != nil) ||
					refused && *got != *refusal || err != nil && !refused {
					t.Errorf("%s: %v, and the card said %+v", of, err, refusal)
				}
				if refusal != nil {
					wantSame(w, of, c)
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

// wantSame checks that a card is unchanged.
func wantSame(w *issuingtest.World, of string, c card.Card) {
	w.TB.Helper()
	if now := w.Stored(c.ID); !now.Equal(&c) {
		w.TB.Errorf("%s has changed the card: %+v", of, now)
	}
}

// TestOperatorClearsLock follows a lock from creation to removal: who set it, the responses to
// callers meanwhile, the orders sent and the audit entries.
func TestOperatorClearsLock(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	orders := w.BookOrders()
	c := w.InStatus(w.NewCard(nil), card.Verified)
	*orders = nil
	sheet, err := w.Cards.LockCard(t.Context(), issuingtest.Clerk, c.ID, c.Revision, "adm")
	if err != nil {
		t.Fatal(err)
	}
	if sheet.Lock != (card.Lock{Type: card.System, Reason: card.Administrative}) ||
		sheet.Locked == nil || sheet.Locked.Name != "clerk" ||
		sheet.Locked.Reason != "the branch asks" || len(sheet.Orders) == 0 {
		t.Errorf("the locked card is %+v, locked by %+v", sheet.Card, sheet.Locked)
	}
	_, err = w.Cards.Unlock(t.Context(), issuingtest.Caller, issuing.CardRef{CustomerID: 1001, CardID: c.ID})
	issuingtest.WantCodes(t, err, fault.Lookup(fault.UnlockSystem).Code)
	_, err = w.Cards.UnlockCard(t.Context(), issuingtest.Clerk, c.ID, c.Revision)
	if !errors.Is(err, store.ErrLostUpdate) {
		t.Errorf("an older revision: %v", err)
	}
	sheet, err = w.Cards.UnlockCard(t.Context(), issuingtest.Clerk, c.ID, sheet.Revision)
	if err != nil || sheet.Lock.Type != card.Unlocked || sheet.Locked != nil {
		t.Errorf("the unlocked card is %+v, %v", sheet.Card, err)
	}
	if len(*orders) != 2 || (*orders)[0].Kind != order.Lock || (*orders)[1].Kind != order.Unlock {
		t.Errorf("orders: %+v", *orders)
	}
	var acts []string
	for _, e := range w.Trail(c.ID) {
		if e.Kind == audit.Operator {
			acts = append(acts, e.Act+" "+e.Outcome+" "+e.Reason)
		}
	}
	want := "lock card changed the branch asks, unlock card changed the branch asks"
	if got := strings.Join(acts, ", "); got != want {
		t.Errorf("the audit has %q, want %q", got, want)
	}
}

// TestOperatorReissues replaces a card that the system has locked permanently, which no caller may
// do.
func TestOperatorReissues(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	c.Lock = card.Lock{Type: card.System, Reason: card.SuspectedFraud}
	c = w.InStatus(c, card.Verified)
	_, err := w.Cards.Reissue(t.Context(), issuingtest.Caller, cards.ReissueRequest{
		CardRef: issuing.CardRef{CustomerID: 1001, CardID: c.ID}, ReissueReasonTypeCode: "LST",
	})
	issuingtest.WantCodes(t, err, fault.Lookup(fault.LockedBySystem).Code)
	sheet, err := w.Cards.ReissueCard(t.Context(), issuingtest.Clerk, c.ID, 0, "DMG")
	if err != nil {
		t.Fatal(err)
	}
	old := w.Stored(c.ID)
	if sheet.ID == c.ID || sheet.NickName != c.NickName || sheet.Lock.Type != card.Unlocked ||
		old.Status != card.Reissued || old.Lock != c.Lock {
		t.Errorf("the new card is %+v, the old one %+v", sheet.Card, old)
	}
	created := w.InStatus(w.NewCard(nil), card.Verified)
	sheet, err = w.Cards.ReissueCard(t.Context(), issuingtest.Clerk, created.ID, 0, "DMG")
	if err != nil || sheet.ID != created.ID || sheet.Reissued.IsZero() {
		t.Errorf("the card made anew is %+v, %v", sheet.Card, err)
	}
}

// TestNoCardForTheDead checks that no card is reissued for a customer who cannot use it, whether
// the card is damaged or its number compromised.
func TestNoCardForTheDead(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*customer.Customer){
		"deceased": func(c *customer.Customer) { c.Deceased = issuingtest.Start },
		"inactive": func(c *customer.Customer) { c.IsActive = false },
		"archived": func(c *customer.Customer) { c.Status = customer.Archived },
	} {
		w := issuingtest.NewProduction(t)
		c := w.InStatus(w.NewCard(nil), card.Verified)
		changeCustomer(w, c.HolderID, change)
		for _, reason := range []string{"DMG", "LST"} {
			_, err := w.Cards.ReissueCard(t.Context(), issuingtest.Clerk, c.ID, 0, reason)
			if refused := (*card.Refusal)(nil); !errors.As(err, &refused) ||
				!strings.Contains(refused.Why, name) {
				t.Errorf("%s for a customer who is %s: %v", reason, name, err)
			}
		}
		wantSame(w, "a reissue for a customer who cannot use it", c)
	}
}

// TestOperatorsInvalidCodes checks that a reason that the act does not accept is reported with its
// member.
func TestOperatorsInvalidCodes(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	for _, code := range []string{"", "TMP", "DMG", "UNK", "XXX"} {
		_, err := w.Cards.LockCard(t.Context(), issuingtest.Clerk, c.ID, 0, code)
		wantInvalid(t, err, "lockReasonTypeCode")
	}
	for _, code := range []string{"", "ADM", "PIN", "XXX"} {
		_, err := w.Cards.ReissueCard(t.Context(), issuingtest.Clerk, c.ID, 0, code)
		wantInvalid(t, err, "reissueReasonTypeCode")
	}
	wantSame(w, "an invalid reason", c)
}

func wantInvalid(t *testing.T, err error, path string) {
	t.Helper()
	invalid := (*problem.InvalidError)(nil)
	if !errors.As(err, &invalid) || len(invalid.Problems) != 1 ||
		invalid.Problems[0].Path != path {
		t.Errorf("the error is %v, want one about %q", err, path)
	}
}

// TestCustomerObstacle has operators read of a card whose creator or holder may not pay who that
// is, and why: the creator first, as in a decision about a transfer.
func TestCustomerObstacle(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	const holder = 1002
	c := w.NewCard(func(r *cards.InitiateRequest) { r.CardHolderCustomerID = holder })
	lock := func(id int, isLocked bool) {
		w.Update(func(tx store.Tx) error {
			person, err := tx.Customers().Find(c.ProgramID, id)
			if err != nil {
				return err
			}
			person.IsLocked = isLocked
			return tx.Customers().Put(person)
		})
	}
	for _, step := range []struct {
		id       int
		isLocked bool
		want     string
	}{
		{holder, false, ""},
		{holder, true, fmt.Sprintf("customer %d is locked", holder)},
		{c.CustomerID, true, fmt.Sprintf("customer %d is locked", c.CustomerID)},
	} {
		lock(step.id, step.isLocked)
		sheet, err := w.Cards.ReadCard(t.Context(), issuingtest.Clerk, c.ID)
		if err != nil || sheet.CustomerObstacle != step.want {
			t.Errorf("customer %d locked %t: %q, want %q: %v", step.id, step.isLocked,
				sheet.CustomerObstacle, step.want, err)
		}
	}
}

// TestOperatorsScope tries each act on a card of another bank: it appears not to exist, and nothing
// changes. So does a card that does not exist.
func TestOperatorsScope(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	before := len(w.Trail(c.ID))
	acts := w.CardActs()
	acts["read"] = func(who issuing.Operator, id, _ int) (cards.CardSheet, error) {
		return w.Cards.ReadCard(t.Context(), who, id)
	}
	acts["history"] = func(who issuing.Operator, id, _ int) (cards.CardSheet, error) {
		_, _, err := w.Cards.ListHistory(t.Context(), who, id, issuing.Page{Limit: 5})
		return cards.CardSheet{}, err
	}
	for name, act := range acts {
		for who, id := range map[*issuing.Operator]int{&outsider: c.ID, &issuingtest.Clerk: 999_999} {
			if _, err := act(*who, id, 0); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s of card %d: %v", name, id, err)
			}
		}
	}
	wantSame(w, "an outsider", c)
	if after := len(w.Trail(c.ID)); after != before {
		t.Errorf("%d entries about the card more", after-before)
	}
	summaries, _, err := w.Cards.ListCards(
		t.Context(), outsider, cards.CardFilter{}, issuing.Page{Limit: 200})
	if err != nil {
		t.Error(err)
	}
	for _, cardSummary := range summaries {
		if cardSummary.ProgramID == c.ProgramID {
			t.Errorf("an outsider sees card %d of program %d", cardSummary.ID, cardSummary.ProgramID)
		}
	}
}

// TestOperatorsDryRun runs each act as a dry run: card, orders and entries are unchanged.
func TestOperatorsDryRun(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	c.Lock = card.Lock{Type: card.Customer, Reason: card.Temporary}
	c = w.InStatus(c, card.Verified)
	before := len(w.Trail(c.ID))
	trying := issuingtest.Clerk
	trying.DryRun = true
	for name, act := range w.CardActs() {
		sheet, err := act(trying, c.ID, c.Revision)
		if err != nil || sheet.ID == 0 || sheet.Card.Equal(&c) {
			t.Errorf("%s would make %+v, %v", name, sheet.Card, err)
		}
		wantSame(w, name, c)
	}
	if after := len(w.Trail(c.ID)); after != before {
		t.Errorf("%d entries about the card more", after-before)
	}
}
