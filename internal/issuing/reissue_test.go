package issuing_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/store"
)

func reissuing(c card.Card, reason string) cards.ReissueRequest {
	return cards.ReissueRequest{
		CardRef:               issuing.CardRef{CustomerID: c.CustomerID, CardID: c.ID},
		ReissueReasonTypeCode: reason,
	}
}

// TestReissueStatuses holds which status each status leads to, by reason and rule book. An empty
// status stands for 153003.
func TestReissueStatuses(t *testing.T) {
	t.Parallel()
	const pending, again = card.PendingVerification, card.ReissuePendingVerification
	for _, row := range []struct {
		from                  card.Status
		renewed, renewedBox   card.Status // in production, in the sandbox
		replaced, replacedBox card.Status
	}{
		{card.Initiated, "", "", "", ""},
		{pending, pending, again, again, again},
		{again, "", again, "", again},
		{card.Verified, card.Verified, card.Verified, again, card.Verified},
		{card.Expired, again, card.Verified, again, card.Verified},
		{card.Reissued, "", "", "", ""},
		{card.Denied, "", "", "", ""},
		{card.Archived, "", "", "", ""},
	} {
		for mode, newWorld := range map[string]func(*testing.T) *world{
			"production": newProduction, "sandbox": newSandbox,
		} {
			renewed, replaced := row.renewed, row.replaced
			if mode == "sandbox" {
				renewed, replaced = row.renewedBox, row.replacedBox
			}
			t.Run(fmt.Sprintf("%s in %s", row.from, mode), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.wantReissued(w.inStatus(w.newCard(nil), row.from), "DMG", renewed)
				for _, reason := range []string{"LST", "STL", "FRD"} {
					w.wantReissued(w.inStatus(w.newCard(nil), row.from), reason, replaced)
				}
			})
		}
	}
}

// wantReissued has a card reissued and looks at the status of the answer and of the old card.
func (w *world) wantReissued(c card.Card, reason string, want card.Status) {
	w.t.Helper()
	got, err := w.Cards.Reissue(w.t.Context(), caller, reissuing(c, reason))
	if want == "" {
		wantCodes(w.t, err, 153003)
		return
	}
	if err != nil {
		w.t.Errorf("%s: %v", reason, err)
		return
	}
	stored := w.stored(got.ID)
	if got.Status != want || stored.Status != want {
		w.t.Errorf("%s: the answer is %s, stored is %s, want %s",
			reason, got.Status, stored.Status, want)
	}
	if sameCard := got.ID == c.ID; sameCard != (reason == "DMG") {
		w.t.Errorf("%s: card %d has become %d", reason, c.ID, got.ID)
	}
	old := w.stored(c.ID)
	if !old.Reissued.Equal(start) {
		w.t.Errorf("%s: reissuedDate is %s", reason, old.Reissued)
	}
	if reason != "DMG" && (old.Status != card.Reissued ||
		old.Lock != card.Lock{Type: card.Customer, Reason: card.Reason(reason)}) {
		w.t.Errorf("%s: the old card is %s with lock %v", reason, old.Status, old.Lock)
	}
	if reason == "DMG" && old.Lock.Type != card.Unlocked {
		w.t.Errorf("the card made anew is locked: %v", old.Lock)
	}
}

// TestReplacementTakesOver holds what the new card has of the old one, and what it has not.
func TestReplacementTakesOver(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	two := 2
	c := w.newCard(func(r *cards.InitiateRequest) {
		r.Tag, r.NickName, r.QualifierCode = "the tag", "The name", "A1"
		r.CardHolderCustomerID, r.VendorTypeCode, r.BinID = holds, "MC", &two
	})
	c.Slots.Checking, c.Slots.Savings = []int{2002, 2001}, []int{2006, 2007}
	c = w.inStatus(c, card.Verified)
	oldNumber := w.number(c.ID)

	got := w.must(w.Cards.Reissue(t.Context(), caller, reissuing(c, "LST")))
	byTag, err := w.Cards.GetByTag(t.Context(), caller, "1001", "the tag")
	if err != nil || byTag.ID != got.ID {
		t.Errorf("the tag finds card %d (%v), want the new card %d", byTag.ID, err, got.ID)
	}
	if old := w.stored(c.ID); old.Tag != "" || old.NickName != "The name" {
		t.Errorf("the old card has the tag %q and the nickname %q", old.Tag, old.NickName)
	}
	type kept struct {
		Customer, Holder, Bin                       int
		Tag, NickName, Qualifier, Vendor, Type, Out string
		Slots                                       card.Slots
		Primary                                     int
	}
	of := func(c card.Card) kept {
		return kept{c.CustomerID, c.HolderID, c.BinID, c.Tag, c.NickName, c.QualifierCode, c.Vendor,
			c.Type, c.Name.OnCard(), c.Slots, c.PrimaryAccount()}
	}
	if diff := cmp.Diff(of(c), of(w.stored(got.ID))); diff != "" {
		t.Errorf("the new card (-old +new):\n%s", diff)
	}
	newNumber := w.number(got.ID)
	if newNumber == oldNumber {
		t.Error("the new card has the old number")
	}
	if got.LastFour != newNumber[12:] {
		t.Errorf("the new card says that it ends in %s", got.LastFour)
	}

	// A qualifier that is given replaces the old one.
	w.inStatus(w.stored(got.ID), card.Verified)
	again := reissuing(w.stored(got.ID), "FRD")
	again.QualifierCode = "b2"
	if got := w.must(w.Cards.Reissue(t.Context(), caller, again)); got.QualifierCode != "b2" {
		t.Errorf("the qualifier is %q, want the one given", got.QualifierCode)
	}
}

// number returns the whole number of a card.
func (w *world) number(cardID int) string {
	w.t.Helper()
	var kept store.SealedNumber
	w.view(func(r store.Tx) (err error) { kept, err = r.CardNumbers().Find(1, cardID); return err })
	opened, err := w.keys.OpenNumber(kept.Sealed, cardID)
	if err != nil {
		w.t.Fatal(err)
	}
	return opened.Reveal()
}

func TestRenewedCardKeepsItsNumberAndLock(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	c := w.inStatus(w.newCard(nil), card.Verified)
	number := w.number(c.ID)
	ref := issuing.CardRef{CustomerID: 1001, CardID: c.ID}
	w.must(w.Cards.Lock(t.Context(), caller, lockRequest(ref, "ADM")))
	got := w.must(w.Cards.Reissue(t.Context(), caller, reissuing(c, "dmg")))
	want := card.Lock{Type: card.Customer, Reason: card.Administrative}
	if got.ID != c.ID || w.number(got.ID) != number || got.Lock != want {
		t.Errorf("card %d has become %d, locked %v", c.ID, got.ID, got.Lock)
	}
}

// TestReissueOfHotlistedCard holds that a card can be replaced after it was reported, and keeps
// the reason that was given first.
func TestReissueOfHotlistedCard(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	c := w.inStatus(w.newCard(nil), card.Verified)
	ref := issuing.CardRef{CustomerID: 1001, CardID: c.ID}
	w.must(w.Cards.Hotlist(t.Context(), caller, lockRequest(ref, "STL")))
	got := w.must(w.Cards.Reissue(t.Context(), caller, reissuing(c, "LST")))
	if got.Lock.Type != card.Unlocked {
		t.Errorf("the new card is locked: %v", got.Lock)
	}
	want := card.Lock{Type: card.Customer, Reason: card.Stolen}
	if old := w.stored(c.ID); old.Lock != want {
		t.Errorf("the old card is locked %v, want %v", old.Lock, want)
	}
}

// TestReissueOfDigitalCard holds that what is never printed is usable at once, in production too.
func TestReissueOfDigitalCard(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	c := w.must(w.Cards.CreateDigital(t.Context(), caller, w.order().DigitalRequest))
	got, err := w.Cards.Reissue(t.Context(), caller, reissuing(c, "FRD"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != card.Verified || !got.DigitalOnly {
		t.Errorf("the new card is %s, digital %v", got.Status, got.DigitalOnly)
	}
	if want := "************" + got.LastFour; got.NumberMasked != want {
		t.Errorf("the number is shown as %s, want %s", got.NumberMasked, want)
	}
}

// TestReissueUnderAnotherBin holds that a card whose BIN has been taken out of use gets a number
// of another one of its vendor.
func TestReissueUnderAnotherBin(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	c := w.inStatus(w.newCard(nil), card.Verified)
	w.configure(false, true, program.EncryptAndDecrypt)
	got := w.must(w.Cards.Reissue(t.Context(), caller, reissuing(c, "LST")))
	if number := w.number(got.ID); got.BinID != 4 || number[:6] != "400553" {
		t.Errorf("the new card is of bin %d, its number begins with %s", got.BinID, number[:6])
	}
}
