package orders_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/processor"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// TestOrdersOfActs performs each act on a card, once with and once without an effect, and checks
// the orders that the processor receives.
func TestOrdersOfActs(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	ctx := t.Context()
	ref := issuing.CardRef{CustomerID: 1001, CardID: issuingtest.VerifiedCard}
	lock := func(reason string) error {
		_, err := w.Cards.Lock(ctx, issuingtest.Caller, issuingtest.LockRequest(ref, reason))
		return err
	}
	unlock := func() error { _, err := w.Cards.Unlock(ctx, issuingtest.Caller, ref); return err }
	priority := func(account, at int) cards.PriorityRequest {
		return cards.PriorityRequest{
			AccountRequest: cards.AccountRequest{CardRef: ref, AccountID: account},
			CardPriority:   &at,
		}
	}
	turn := func() error {
		_, err := w.Cards.ReprioritizeAccount(ctx, issuingtest.Caller, priority(2002, 1))
		return err
	}
	hotlist := func() error {
		_, err := w.Cards.Hotlist(ctx, issuingtest.Caller, issuingtest.LockRequest(ref, "LST"))
		return err
	}
	for _, step := range []struct {
		name string
		act  func() error
		want []order.Kind
	}{
		{"lock", func() error { return lock("TMP") }, []order.Kind{order.Lock}},
		{"lock again", func() error { return lock("TMP") }, nil},
		{"unlock", unlock, []order.Kind{order.Unlock}},
		{"unlock again", unlock, nil},
		{"add an account", func() error {
			_, err := w.Cards.AddAccount(ctx, issuingtest.Caller, priority(2002, 2))
			return err
		}, []order.Kind{order.SetAccounts}},
		{"turn accounts", turn, []order.Kind{order.SetAccounts}},
		{"turn accounts again", turn, nil},
		{"remove an account", func() error {
			_, err := w.Cards.RemoveAccount(ctx, issuingtest.Caller,
				cards.AccountRequest{CardRef: ref, AccountID: 2001})
			return err
		}, []order.Kind{order.SetAccounts}},
		{"resetpin", func() error {
			_, err := w.Cards.ResetPin(ctx, issuingtest.Caller,
				cards.PinRequest{CardRef: ref, NewPin: issuingtest.PlainPin("0001")})
			return err
		}, []order.Kind{order.SetPin}},
		{"reissue, renewed", func() error {
			_, err := w.Cards.Reissue(ctx, issuingtest.Caller, issuingtest.Reissuing(w.Stored(issuingtest.VerifiedCard), "DMG"))
			return err
		}, []order.Kind{order.Remake}},
		{"lock for fraud", func() error { return lock("FRD") }, []order.Kind{order.Hotlist}},
		{"hotlist again", hotlist, nil},
		{"reissue, replaced", func() error {
			detail, err := w.Cards.Reissue(ctx, issuingtest.Caller, issuingtest.Reissuing(w.Stored(issuingtest.VerifiedCard), "STL"))
			if got := w.OrdersOf(detail.ID); len(got) != 1 || got[0].Kind != order.Make {
				t.Errorf("the replacement has the orders %+v", got)
			}
			return err
		}, []order.Kind{order.Close}},
		{"archive", func() error { return w.Cards.Archive(ctx, issuingtest.Caller, ref) }, []order.Kind{order.Close}},
	} {
		before := len(w.OrdersOf(issuingtest.VerifiedCard))
		if err := step.act(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		orders := w.OrdersOf(issuingtest.VerifiedCard)
		var got []order.Kind
		for _, o := range orders[before:] {
			got = append(got, o.Kind)
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s: orders (-want +got):\n%s", step.name, diff)
		}
		for i, o := range orders {
			if o.Sequence != i+1 || len(o.Token) != 16 ||
				strings.ContainsAny(o.Token, "0123456789") {
				t.Errorf("%s: order %d has the sequence %d and the token %q", step.name, i+1,
					o.Sequence, o.Token)
			}
		}
		if c := w.Stored(issuingtest.VerifiedCard); c.Orders != len(orders) {
			t.Errorf("%s: the card counts %d orders of %d", step.name, c.Orders, len(orders))
		}
	}
}

// TestRefusedActsOrderNothing checks that a rejected act leaves no order.
func TestRefusedActsOrderNothing(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	ref := issuing.CardRef{CustomerID: 1001, CardID: issuingtest.SystemLocked}
	_, err := w.Cards.Lock(t.Context(), issuingtest.Caller, issuingtest.LockRequest(ref, "TMP"))
	issuingtest.WantCodes(t, err, 150402)
	if got := w.OrdersOf(issuingtest.SystemLocked); len(got) > 0 {
		t.Errorf("the orders are %+v", got)
	}
}

// TestSnapshotStays checks that a change of the customer does not affect an ordered card.
func TestSnapshotStays(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	before := w.OrdersOf(c.ID)[0].Snapshot
	w.Update(func(tx store.Tx) error {
		moved, err := tx.Customers().Find(1, 1001)
		if err != nil {
			return err
		}
		moved.LastName, moved.Mailing.City = "Moved", "Elsewhere"
		return tx.Customers().Put(moved)
	})
	claimed, err := w.Orders.ClaimOrders(t.Context(), "node", false, 9)
	if err != nil || len(claimed) != 1 {
		t.Fatalf("claimed %d orders (%v)", len(claimed), err)
	}
	if diff := cmp.Diff(before, claimed[0].Message.Card); diff != "" {
		t.Errorf("the message (-ordered +sent):\n%s", diff)
	}
	if before.ShipTo.Address.City == "" || before.ShipTo.LastName == "" {
		t.Errorf("the card is sent to %+v", before.ShipTo)
	}
}

// done is the answer of a processor that carried out an order.
var done = processor.Answer{Outcome: processor.Done}

// TestOlderOrderBetween has the previous version, on another node, write orders between two of this
// version. They are numbered in the order of writing: of two orders about the same property the
// processor follows the one with the higher sequence.
func TestOlderOrderBetween(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewServed(t, 1)[0]
	ref := issuing.CardRef{CustomerID: 1001, CardID: issuingtest.VerifiedCard}
	w.Must(w.Cards.Lock(t.Context(), issuingtest.Caller, issuingtest.LockRequest(ref, "TMP")))
	for range 2 {
		w.Update(func(tx store.Tx) error {
			return tx.Orders().Put(order.Order{
				CardID: issuingtest.VerifiedCard, Kind: "renew", State: order.Waiting, Created: issuingtest.Start,
			})
		})
	}
	w.Must(w.Cards.Unlock(t.Context(), issuingtest.Caller, ref))
	var got []string
	for _, o := range w.OrdersOf(issuingtest.VerifiedCard) {
		got = append(got, fmt.Sprint(o.Sequence, " ", o.Kind))
	}
	want := []string{"1 card.lock", "2 card.remake", "3 card.remake", "4 card.unlock"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the orders (-want +got):\n%s", diff)
	}
}

// TestOlderOrders adopts orders written by the previous version: before this version first read the
// card, and afterwards, alongside it.
func TestOlderOrders(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	older := func(kind order.Kind, pin []byte) {
		w.Update(func(tx store.Tx) error {
			return tx.Orders().Put(order.Order{
				CardID: issuingtest.VerifiedCard, Kind: kind, State: order.Waiting, Created: issuingtest.Start,
				SealedPin: pin,
			})
		})
	}
	w.Update(func(tx store.Tx) error {
		before, err := tx.Cards().Find(1, issuingtest.VerifiedCard)
		if err != nil {
			return err
		}
		after := before
		after.Orders = card.UnknownOrders
		return tx.Cards().Change(before, &after)
	})
	older("card", nil)
	older("renew", nil)
	ref := issuing.CardRef{CustomerID: 1001, CardID: issuingtest.VerifiedCard}
	w.Must(w.Cards.Lock(t.Context(), issuingtest.Caller, issuingtest.LockRequest(ref, "TMP")))
	w.WantOrders(issuingtest.VerifiedCard, "card.make waiting ", "card.remake waiting ", "card.lock waiting ")
	older("pin", nil)

	var sent []order.Kind
	for range 4 {
		for _, urgent := range []bool{true, false} {
			claimed, err := w.Orders.ClaimOrders(t.Context(), "node", urgent, 9)
			if err != nil {
				t.Fatal(err)
			}
			for _, claim := range claimed {
				if claim.Message.Card.Status == "" || claim.Message.Secret.ExpireYear == 0 {
					t.Errorf("the message of %s is not complete", claim.Order.Kind)
				}
				sent = append(sent, claim.Order.Kind)
				err := w.Orders.SettleOrder(t.Context(), claim, done, nil)
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if diff := cmp.Diff([]order.Kind{order.Make, order.Lock, order.Remake}, sent); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	w.WantOrders(issuingtest.VerifiedCard, "card.make done ", "card.remake done ", "card.lock done ",
		"card.pin failed its PIN was too old")
	if c := w.Stored(issuingtest.VerifiedCard); c.Orders != 4 {
		t.Errorf("the card counts %d orders", c.Orders)
	}
}
