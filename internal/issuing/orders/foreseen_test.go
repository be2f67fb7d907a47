package orders_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/issuing/events"
	"mintmark/internal/processor"
	"mintmark/internal/processor/simulator"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// unforeseen is a simulator whose answers are not foreseen. The orders sent to it contain no
// secret, like those that the other simulator records.
type unforeseen struct{ port *simulator.Port }

func (u unforeseen) Submit(
	ctx context.Context, m processor.Message,
) (processor.Answer, error) {
	m.Secret = nil
	return u.port.Submit(ctx, m)
}

// sameSandboxes returns two sandboxes that draw the same numbers. In the first, the processor's
// answers are foreseen. In the second, each order is sent and settled in a separate transaction.
func sameSandboxes(t *testing.T) (worlds [2]*issuingtest.World, ports [2]*simulator.Port) {
	t.Helper()
	for i := range worlds {
		w := issuingtest.NewWorld(t, issuing.Settings{Mode: card.Sandbox, Ending: issuingtest.Ending})
		w.Random, w.Secrets = rand.NewChaCha8([32]byte{}), rand.NewChaCha8([32]byte{1})
		ports[i] = simulator.NewPort(simulator.New("test", simulator.Instant), w.Clock.Now)
		w.Simulate(ports[i])
		if i == 1 {
			w.Simulate(unforeseen{ports[i]})
		}
		worlds[i] = w
	}
	return worlds, ports
}

// everything returns the cards, orders and audit of the store as text.
func everything(w *issuingtest.World) []string {
	w.TB.Helper()
	var all []string
	w.View(func(r store.Tx) error {
		orders, err := r.Orders().List(store.OrderQuery{Limit: 1000})
		for _, o := range orders {
			text, err := json.Marshal(o)
			if err != nil {
				return err
			}
			all = append(all, string(text), fmt.Sprintf("%+v", w.Stored(o.CardID)))
		}
		return err
	})
	entries, _, err := w.Events.AuditEntries(w.TB.Context(), issuingtest.Clerk, events.AuditQuery{},
		issuing.Page{Limit: 1000})
	if err != nil {
		w.TB.Fatal(err)
	}
	for _, entry := range entries {
		all = append(all, fmt.Sprintf("%+v", entry))
	}
	return all
}

// TestForeseen has two sandboxes do all acts that write orders. Foreseen answers have the same
// result as sending: the same orders, cards and entries, and the same orders recorded by the
// processor.
func TestForeseen(t *testing.T) {
	t.Parallel()
	worlds, ports := sameSandboxes(t)
	var c [2]card.Card
	each := func(name string, act func(w *issuingtest.World, c *card.Card) error) {
		t.Helper()
		for i, w := range worlds {
			w.Clock.Advance(1)
			if err := act(w, &c[i]); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if diff := cmp.Diff(everything(worlds[1]), everything(worlds[0])); diff != "" {
			t.Fatalf("%s (-sent +foreseen):\n%s", name, diff)
		}
		var states [2]string
		for i, port := range ports {
			state, err := port.State()
			if err != nil {
				t.Fatal(err)
			}
			states[i] = string(state)
		}
		if states[0] != states[1] {
			t.Fatalf("%s: the processor is\n%s\nand was\n%s", name, states[0], states[1])
		}
		if waiting := worlds[0].OrdersThatWait(); len(waiting) > 0 {
			t.Fatalf("%s: orders wait: %+v", name, waiting)
		}
	}
	ctx := t.Context()
	ref := func(c *card.Card) issuing.CardRef {
		return issuing.CardRef{CustomerID: 1001, CardID: c.ID}
	}
	each("initiate", func(w *issuingtest.World, c *card.Card) error {
		*c = w.NewCard(func(r *cards.InitiateRequest) { r.NewPin = issuingtest.PlainPin("0001") })
		if c.Status != card.PendingVerification {
			t.Errorf("the card is %s", c.Status)
		}
		return nil
	})
	each("lock", func(w *issuingtest.World, c *card.Card) error {
		_, err := w.Cards.Lock(ctx, issuingtest.Caller, cards.LockRequest{
			CardRef: ref(c), LockReasonTypeCode: "TMP",
		})
		return err
	})
	each("unlock", func(w *issuingtest.World, c *card.Card) error {
		_, err := w.Cards.Unlock(ctx, issuingtest.Caller, ref(c))
		return err
	})
	each("a new PIN", func(w *issuingtest.World, _ *card.Card) error {
		_, err := w.Cards.ResetPin(ctx, issuingtest.Caller, cards.PinRequest{
			CardRef: issuing.CardRef{CustomerID: 1001, CardID: issuingtest.VerifiedCard},
			NewPin:  issuingtest.PlainPin("0002"),
		})
		return err
	})
	each("renew", func(w *issuingtest.World, _ *card.Card) error {
		_, err := w.Cards.Reissue(ctx, issuingtest.Caller, cards.ReissueRequest{
			CardRef:               issuing.CardRef{CustomerID: 1001, CardID: issuingtest.VerifiedCard},
			ReissueReasonTypeCode: "DMG",
		})
		return err
	})
	each("replace", func(w *issuingtest.World, _ *card.Card) error {
		_, err := w.Cards.Reissue(ctx, issuingtest.Caller, cards.ReissueRequest{
			CardRef:               issuing.CardRef{CustomerID: 1001, CardID: issuingtest.VerifiedCard},
			ReissueReasonTypeCode: "STL", NewPin: issuingtest.PlainPin("0003"),
		})
		return err
	})
	each("create a digital card", func(w *issuingtest.World, _ *card.Card) error {
		_, err := w.Cards.CreateDigital(ctx, issuingtest.Caller, w.NewOrder().DigitalRequest)
		return err
	})
	each("an operator's lock", func(w *issuingtest.World, c *card.Card) error {
		_, err := w.Cards.LockCard(ctx, issuingtest.Clerk, c.ID, 0, "ADM")
		return err
	})
	each("a report that locks", func(w *issuingtest.World, c *card.Card) error {
		_, err := w.Orders.ApplyReports(ctx, []order.Report{{
			ID: "r-1", CardID: c.ID, Kind: order.Compromised, At: issuingtest.Start,
		}})
		return err
	})
	entries := worlds[0].Trail(c[0].ID)
	if first := entries[1]; first.Kind != audit.Processor || first.Act != "report taken" {
		t.Errorf("behind the order of the card comes %+v", first)
	}
}

// TestNotForeseen checks that an order whose answer cannot be foreseen is sent after the commit of
// its act, and that later orders wait for it.
func TestNotForeseen(t *testing.T) {
	t.Parallel()
	worlds, ports := sameSandboxes(t)
	w, port := worlds[0], ports[0]
	mode := func(mode simulator.Mode) {
		if err := port.SetMode(mode); err != nil {
			t.Fatal(err)
		}
	}
	mode(simulator.Down)
	c := w.NewCard(nil)
	if waiting := w.OrdersThatWait(); len(waiting) != 1 || waiting[0].Attempts != 1 {
		t.Fatalf("orders that wait are %+v", waiting)
	}
	// The processor would do the lock immediately if it were not for the earlier order.
	mode(simulator.Instant)
	_, err := w.Cards.Lock(t.Context(), issuingtest.Caller, cards.LockRequest{
		CardRef: issuing.CardRef{CustomerID: 1001, CardID: c.ID}, LockReasonTypeCode: "TMP",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range w.OrdersOf(c.ID) {
		if o.State != order.Done || o.Kind == order.Make && o.Attempts != 2 {
			t.Errorf("an order is %+v", o)
		}
	}
	if heard, err := port.State(); err != nil || w.Stored(c.ID).Status != card.PendingVerification {
		t.Errorf("the card is %+v, %v: %s", w.Stored(c.ID), err, heard)
	}
	mode(simulator.Refusing)
	if refused := w.NewCard(nil); refused.Status != card.Denied {
		t.Errorf("a refused card is %s", refused.Status)
	}
	mode(simulator.Manual)
	if ordered := w.NewCard(nil); ordered.Status != card.Initiated {
		t.Errorf("a card that is to be made is %s", ordered.Status)
	}
}

// losing is a transaction whose first audit entry loses against another one.
type losing struct {
	store.Tx
	lost *bool
}

func (l losing) Audit() store.Audit { return losingAudit{l.Tx.Audit(), l.lost} }

type losingAudit struct {
	store.Audit
	lost *bool
}

func (l losingAudit) Put(e audit.Entry) error {
	if !*l.lost {
		*l.lost = true
		return store.ErrLostUpdate
	}
	return l.Audit.Put(e)
}

// TestForeseenOnce checks that the processor does not receive the orders of a lost attempt.
func TestForeseenOnce(t *testing.T) {
	t.Parallel()
	worlds, ports := sameSandboxes(t)
	w, lost := worlds[0], false
	w.Through(func(tx store.Tx) store.Tx { return losing{tx, &lost} })
	c := w.NewCard(nil)
	heard, err := ports[0].State()
	if err != nil || !lost {
		t.Fatalf("lost %t, %v", lost, err)
	}
	var state struct{ Orders []struct{ OrderID string } }
	if err := json.Unmarshal(heard, &state); err != nil {
		t.Fatal(err)
	}
	orders := w.OrdersOf(c.ID)
	if len(orders) != 1 || len(state.Orders) != 1 ||
		state.Orders[0].OrderID != orders[0].PublicID() {
		t.Errorf("the processor has heard of %+v, and there are %+v", state.Orders, orders)
	}
}
