package cards_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/testkit/issuingtest"
)

// TestReissueStatuses checks the new status for each status, by reason and rule book. An empty
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
		for mode, newWorld := range map[string]func(*testing.T) *issuingtest.World{
			"production": issuingtest.NewProduction, "sandbox": issuingtest.NewSandbox,
		} {
			renewed, replaced := row.renewed, row.replaced
			if mode == "sandbox" {
				renewed, replaced = row.renewedBox, row.replacedBox
			}
			t.Run(fmt.Sprintf("%s in %s", row.from, mode), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				wantReissued(w, w.InStatus(w.NewCard(nil), row.from), "DMG", renewed)
				for _, reason := range []string{"LST", "STL", "FRD"} {
					wantReissued(w, w.InStatus(w.NewCard(nil), row.from), reason, replaced)
				}
			})
		}
	}
}

// wantReissued reissues a card and checks the status in the response and of the old card.
func wantReissued(w *issuingtest.World, c card.Card, reason string, want card.Status) {
	w.TB.Helper()
	got, err := w.Cards.Reissue(w.TB.Context(), issuingtest.Caller, issuingtest.Reissuing(c, reason))
	if want == "" {
		issuingtest.WantCodes(w.TB, err, 153003)
		return
	}
	if err != nil {
		w.TB.Errorf("%s: %v", reason, err)
		return
	}
	stored := w.Stored(got.ID)
	if got.Status != want || stored.Status != want {
		w.TB.Errorf("%s: the answer is %s, stored is %s, want %s",
			reason, got.Status, stored.Status, want)
	}
	if sameCard := got.ID == c.ID; sameCard != (reason == "DMG") {
		w.TB.Errorf("%s: card %d has become %d", reason, c.ID, got.ID)
	}
	old := w.Stored(c.ID)
	if !old.Reissued.Equal(issuingtest.Start) {
		w.TB.Errorf("%s: reissuedDate is %s", reason, old.Reissued)
	}
	if reason != "DMG" && (old.Status != card.Reissued ||
		old.Lock != card.Lock{Type: card.Customer, Reason: card.Reason(reason)}) {
		w.TB.Errorf("%s: the old card is %s with lock %v", reason, old.Status, old.Lock)
	}
	if reason == "DMG" && old.Lock.Type != card.Unlocked {
		w.TB.Errorf("the card made anew is locked: %v", old.Lock)
	}
}

// TestReplacementTakesOver checks which properties a new card takes over from the old one.
func TestReplacementTakesOver(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	two := 2
	c := w.NewCard(func(r *cards.InitiateRequest) {
		r.Tag, r.NickName, r.QualifierCode = "the tag", "The name", "A1"
		r.CardHolderCustomerID, r.VendorTypeCode, r.BinID = holds, "MC", &two
	})
	c.Slots.Checking, c.Slots.Savings = []int{2002, 2001}, []int{2006, 2007}
	c = w.InStatus(c, card.Verified)
	oldNumber := w.Number(c.ID)

	got := w.Must(w.Cards.Reissue(t.Context(), issuingtest.Caller, issuingtest.Reissuing(c, "LST")))
	byTag, err := w.Cards.GetByTag(t.Context(), issuingtest.Caller, "1001", "the tag")
	if err != nil || byTag.ID != got.ID {
		t.Errorf("the tag finds card %d (%v), want the new card %d", byTag.ID, err, got.ID)
	}
	if old := w.Stored(c.ID); old.ReplacedBy != got.ID || w.Stored(got.ID).Replaces != c.ID {
		t.Errorf("card %d is replaced by %d, the new card %d replaces %d", c.ID, old.ReplacedBy,
			got.ID, w.Stored(got.ID).Replaces)
	}
	if old := w.Stored(c.ID); old.Tag != "" || old.NickName != "The name" {
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
	if diff := cmp.Diff(of(c), of(w.Stored(got.ID))); diff != "" {
		t.Errorf("the new card (-old +new):\n%s", diff)
	}
	newNumber := w.Number(got.ID)
	if newNumber == oldNumber {
		t.Error("the new card has the old number")
	}
	if got.LastFour != newNumber[12:] {
		t.Errorf("the new card says that it ends in %s", got.LastFour)
	}

	// A qualifier in the request replaces the old one.
	w.InStatus(w.Stored(got.ID), card.Verified)
	again := issuingtest.Reissuing(w.Stored(got.ID), "FRD")
	again.QualifierCode = "b2"
	if got := w.Must(w.Cards.Reissue(t.Context(), issuingtest.Caller, again)); got.QualifierCode != "b2" {
		t.Errorf("the qualifier is %q, want the one given", got.QualifierCode)
	}
}

func TestRenewedCardKeepsItsNumberAndLock(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.InStatus(w.NewCard(nil), card.Verified)
	number := w.Number(c.ID)
	ref := issuing.CardRef{CustomerID: 1001, CardID: c.ID}
	w.Must(w.Cards.Lock(t.Context(), issuingtest.Caller, issuingtest.LockRequest(ref, "ADM")))
	got := w.Must(w.Cards.Reissue(t.Context(), issuingtest.Caller, issuingtest.Reissuing(c, "dmg")))
	want := card.Lock{Type: card.Customer, Reason: card.Administrative}
	if got.ID != c.ID || w.Number(got.ID) != number || got.Lock != want {
		t.Errorf("card %d has become %d, locked %v", c.ID, got.ID, got.Lock)
	}
}

// TestReissueOfHotlistedCard checks that a card can be replaced after it was hotlisted, and keeps
// the first reason.
func TestReissueOfHotlistedCard(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.InStatus(w.NewCard(nil), card.Verified)
	ref := issuing.CardRef{CustomerID: 1001, CardID: c.ID}
	w.Must(w.Cards.Hotlist(t.Context(), issuingtest.Caller, issuingtest.LockRequest(ref, "STL")))
	got := w.Must(w.Cards.Reissue(t.Context(), issuingtest.Caller, issuingtest.Reissuing(c, "LST")))
	if got.Lock.Type != card.Unlocked {
		t.Errorf("the new card is locked: %v", got.Lock)
	}
	want := card.Lock{Type: card.Customer, Reason: card.Stolen}
	if old := w.Stored(c.ID); old.Lock != want {
		t.Errorf("the old card is locked %v, want %v", old.Lock, want)
	}
}

// TestReissueOfDigitalCard checks that a card that is never printed is usable immediately, also in
// production.
func TestReissueOfDigitalCard(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.Must(w.Cards.CreateDigital(t.Context(), issuingtest.Caller, w.NewOrder().DigitalRequest))
	got, err := w.Cards.Reissue(t.Context(), issuingtest.Caller, issuingtest.Reissuing(c, "FRD"))
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

// TestReissueUnderAnotherBin checks that a card whose BIN was deactivated gets a number of another
// BIN of its vendor.
func TestReissueUnderAnotherBin(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.InStatus(w.NewCard(nil), card.Verified)
	w.Configure(false, true, program.EncryptAndDecrypt)
	got := w.Must(w.Cards.Reissue(t.Context(), issuingtest.Caller, issuingtest.Reissuing(c, "LST")))
	if number := w.Number(got.ID); got.BinID != 4 || number[:6] != "400553" {
		t.Errorf("the new card is of bin %d, its number begins with %s", got.BinID, number[:6])
	}
}

// TestDamagedCardIsUsable checks that a damaged card reissued after its last month gets the expiry
// of a new card, as does its order. Before that it keeps its expiry.
func TestDamagedCardIsUsable(t *testing.T) {
	t.Parallel()
	for lastYear, want := range map[int]int{2025: 2030, 2028: 2028} {
		w := issuingtest.NewProduction(t)
		c := expiresIn(w, func(c *card.Card) { c.ExpireYear = lastYear })
		again, err := w.Cards.Reissue(t.Context(), issuingtest.Caller, issuingtest.Reissuing(c, "DMG"))
		if err != nil {
			t.Fatal(err)
		}
		remake := w.OrdersOf(c.ID)[1]
		if again.ExpireYear != want || remake.ExpireYear != want {
			t.Errorf("a card until %d is made again until %d, in the order %d, want %d", lastYear,
				again.ExpireYear, remake.ExpireYear, want)
		}
	}
}
