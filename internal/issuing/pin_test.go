package issuing_test

import (
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
)

// TestPinLimit holds that five PINs an hour are taken for a card, whichever act brings them, and
// that the answer to the sixth says when to come again.
func TestPinLimit(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	ref := issuing.CardRef{CustomerID: 1001, CardID: verifiedCard}
	reset := func() error {
		_, err := w.Cards.ResetPin(t.Context(), caller, cards.PinRequest{
			CardRef: ref, NewPin: plainPin("0420"),
		})
		return err
	}
	renew := func(pin string) error {
		_, err := w.Cards.Reissue(t.Context(), caller, cards.ReissueRequest{
			CardRef: ref, ReissueReasonTypeCode: "DMG", NewPin: pin,
		})
		return err
	}
	withPin := func() error { return renew(plainPin("0421")) }
	for _, act := range []func() error{reset, withPin, reset, withPin, reset} {
		if err := act(); err != nil {
			t.Fatal(err)
		}
		w.clock.Advance(time.Minute)
	}
	for _, act := range []func() error{reset, withPin} {
		err := act()
		wantCodes(t, err, 50429)
		// The first PIN was taken five minutes ago, and counts for an hour to the millisecond.
		want := 55*time.Minute + time.Millisecond
		if got := fault.All(err)[0].RetryAfter; got != want {
			t.Errorf("told to wait %s, want %s", got, want)
		}
	}
	if err := renew(""); err != nil {
		t.Errorf("without a PIN the limit stands in the way: %v", err)
	}

	w.clock.Advance(55 * time.Minute)
	wantCodes(t, reset(), 50429)
	w.clock.Advance(time.Millisecond)
	if err := reset(); err != nil {
		t.Error(err)
	}
	wantCodes(t, withPin(), 50429)
}

// TestResetPinIsAChange holds that asking for a PIN moves lastModifiedDate, in the answer and in what
// is stored.
func TestResetPinIsAChange(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	w.clock.Advance(time.Minute)
	got := w.must(w.Cards.ResetPin(t.Context(), caller, cards.PinRequest{
		CardRef: issuing.CardRef{CustomerID: 1001, CardID: verifiedCard}, NewPin: plainPin("0420"),
	}))
	want, stored := start.Add(time.Minute), w.stored(verifiedCard).Modified
	if !got.Modified.Equal(want) || !stored.Equal(want) {
		t.Errorf("modified %s, stored %s, want %s", got.Modified, stored, want)
	}
}

// TestRefusedPinsAreNotCounted holds that only a PIN that was taken counts.
func TestRefusedPinsAreNotCounted(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	req := cards.PinRequest{CardRef: issuing.CardRef{CustomerID: 1001, CardID: verifiedCard}}
	for range card.MaxPins + 1 {
		req.NewPin = "!"
		_, err := w.Cards.ResetPin(t.Context(), caller, req)
		wantCodes(t, err, 150901)
	}
	req.NewPin = plainPin("9999")
	if _, err := w.Cards.ResetPin(t.Context(), caller, req); err != nil {
		t.Error(err)
	}
}

// TestOrders holds which orders go to the processor, with which PIN, and whether they wait.
func TestOrders(t *testing.T) {
	t.Parallel()
	for name, newWorld := range map[string]func(*testing.T) *world{
		"sandbox": newSandbox, "production": newProduction,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			put := w.orders()
			made := w.newCard(func(r *cards.InitiateRequest) { r.NewPin = plainPin("0001") })
			ref := issuing.CardRef{CustomerID: 1001, CardID: verifiedCard}
			renew := cards.ReissueRequest{CardRef: ref, ReissueReasonTypeCode: "DMG"}
			renew.NewPin = plainPin("0002")
			w.must(w.Cards.Reissue(t.Context(), caller, renew))
			w.must(w.Cards.ResetPin(t.Context(), caller, cards.PinRequest{
				CardRef: ref, NewPin: plainPin("0003"),
			}))
			replace := renew
			replace.ReissueReasonTypeCode, replace.NewPin = "STL", plainPin("0004")
			replaced := w.must(w.Cards.Reissue(t.Context(), caller, replace))
			digital := w.must(w.Cards.CreateDigital(t.Context(), caller, w.order().DigitalRequest))

			want := []struct {
				kind order.Kind
				card int
				pin  string
			}{
				{order.Make, made.ID, "0001"},
				{order.Remake, verifiedCard, "0002"},
				{order.SetPin, verifiedCard, "0003"},
				{order.Hotlist, verifiedCard, ""},
				{order.Close, verifiedCard, ""},
				{order.Make, replaced.ID, "0004"},
				{order.Make, digital.ID, ""},
			}
			if len(*put) != len(want) {
				t.Fatalf("there are %d orders, want %d: %+v", len(*put), len(want), *put)
			}
			done := name == "sandbox"
			for i, o := range *put {
				pin, row := w.opened(o), want[i]
				if done { // an order that is done when it is stored never holds one
					row.pin = ""
				}
				if o.Kind != row.kind || o.CardID != row.card || pin != row.pin {
					t.Errorf("order %d is %s of card %d with PIN %q, want %v",
						i, o.Kind, o.CardID, pin, row)
				}
			}
			for _, cardID := range []int{made.ID, verifiedCard, replaced.ID, digital.ID} {
				for _, o := range w.ordersOf(cardID) {
					if !o.Created.Equal(start) || o.Ended.IsZero() == done ||
						done && o.SealedPin != nil { // nobody needs it any more
						t.Errorf("an order is %+v", o)
					}
				}
			}
			waiting := w.ordersThatWait()
			if got := len(waiting) == 0; got != done {
				t.Errorf("%d orders wait for the processor", len(waiting))
			}
		})
	}
}

// opened returns the PIN of an order, empty when it has none.
func (w *world) opened(o order.Order) string {
	w.t.Helper()
	if len(o.SealedPin) == 0 {
		return ""
	}
	pin, err := w.keys.OpenSealedPin(o.SealedPin, o.CardID)
	if err != nil {
		w.t.Fatal(err)
	}
	return pin.Reveal()
}

// must returns the card of an act that has to succeed.
func (w *world) must(detail cards.CardDetail, err error) card.Card {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	return detail.Card
}

// TestPinFaults holds what each act answers to what is no PIN, and that it then does nothing.
func TestPinFaults(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	ref := issuing.CardRef{CustomerID: 1001, CardID: verifiedCard}
	for pin, code := range map[string]int{
		"!": 150901, plainPin("12345678901234567"): 150901, "AAAA": 150903,
		plainPin("12345"): 150903, plainPin("0000"): 150903, plainPin("12a4"): 150903,
	} {
		_, err := w.Cards.ResetPin(t.Context(), caller, cards.PinRequest{CardRef: ref, NewPin: pin})
		wantCodes(t, err, code)
		_, err = w.Cards.Reissue(t.Context(), caller, cards.ReissueRequest{
			CardRef: ref, ReissueReasonTypeCode: "LST", NewPin: pin,
		})
		wantCodes(t, err, 59956)
	}
	if got := w.stored(verifiedCard); got.Status != card.Verified || !got.Reissued.IsZero() {
		t.Errorf("the card has become %s", got.Status)
	}
}
