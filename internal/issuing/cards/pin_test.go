package cards_test

import (
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/testkit/issuingtest"
)

// TestPinLimit checks that a card accepts five PINs an hour, whichever act sets them, and that the
// sixth response says when to retry.
func TestPinLimit(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	ref := issuing.CardRef{CustomerID: 1001, CardID: issuingtest.VerifiedCard}
	reset := func() error {
		_, err := w.Cards.ResetPin(t.Context(), issuingtest.Caller, cards.PinRequest{
			CardRef: ref, NewPin: issuingtest.PlainPin("0420"),
		})
		return err
	}
	renew := func(pin string) error {
		_, err := w.Cards.Reissue(t.Context(), issuingtest.Caller, cards.ReissueRequest{
			CardRef: ref, ReissueReasonTypeCode: "DMG", NewPin: pin,
		})
		return err
	}
	withPin := func() error { return renew(issuingtest.PlainPin("0421")) }
	for _, act := range []func() error{reset, withPin, reset, withPin, reset} {
		if err := act(); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Minute)
	}
	for _, act := range []func() error{reset, withPin} {
		err := act()
		issuingtest.WantCodes(t, err, 50429)
		// The first PIN was accepted five minutes ago and counts for an hour, to the millisecond.
		want := 55*time.Minute + time.Millisecond
		if got := fault.All(err)[0].RetryAfter; got != want {
			t.Errorf("told to wait %s, want %s", got, want)
		}
	}
	if err := renew(""); err != nil {
		t.Errorf("without a PIN the limit stands in the way: %v", err)
	}

	w.Clock.Advance(55 * time.Minute)
	issuingtest.WantCodes(t, reset(), 50429)
	w.Clock.Advance(time.Millisecond)
	if err := reset(); err != nil {
		t.Error(err)
	}
	issuingtest.WantCodes(t, withPin(), 50429)
}

// TestResetPinIsAChange checks that requesting a PIN updates lastModifiedDate, in the response and
// in the store.
func TestResetPinIsAChange(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	w.Clock.Advance(time.Minute)
	got := w.Must(w.Cards.ResetPin(t.Context(), issuingtest.Caller, cards.PinRequest{
		CardRef: issuing.CardRef{CustomerID: 1001, CardID: issuingtest.VerifiedCard}, NewPin: issuingtest.PlainPin("0420"),
	}))
	want, stored := issuingtest.Start.Add(time.Minute), w.Stored(issuingtest.VerifiedCard).Modified
	if !got.Modified.Equal(want) || !stored.Equal(want) {
		t.Errorf("modified %s, stored %s, want %s", got.Modified, stored, want)
	}
}

// TestRefusedPinsAreNotCounted checks that only accepted PINs count.
func TestRefusedPinsAreNotCounted(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	req := cards.PinRequest{CardRef: issuing.CardRef{CustomerID: 1001, CardID: issuingtest.VerifiedCard}}
	for range card.MaxPins + 1 {
		req.NewPin = "!"
		_, err := w.Cards.ResetPin(t.Context(), issuingtest.Caller, req)
		issuingtest.WantCodes(t, err, 150901)
	}
	req.NewPin = issuingtest.PlainPin("9999")
	if _, err := w.Cards.ResetPin(t.Context(), issuingtest.Caller, req); err != nil {
		t.Error(err)
	}
}

// TestOrders checks which orders go to the processor, with which PIN, and whether they wait.
func TestOrders(t *testing.T) {
	t.Parallel()
	for name, newWorld := range map[string]func(*testing.T) *issuingtest.World{
		"sandbox": issuingtest.NewSandbox, "production": issuingtest.NewProduction,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			put := w.BookOrders()
			c := w.NewCard(func(r *cards.InitiateRequest) { r.NewPin = issuingtest.PlainPin("0001") })
			ref := issuing.CardRef{CustomerID: 1001, CardID: issuingtest.VerifiedCard}
			renew := cards.ReissueRequest{CardRef: ref, ReissueReasonTypeCode: "DMG"}
			renew.NewPin = issuingtest.PlainPin("0002")
			w.Must(w.Cards.Reissue(t.Context(), issuingtest.Caller, renew))
			w.Must(w.Cards.ResetPin(t.Context(), issuingtest.Caller, cards.PinRequest{
				CardRef: ref, NewPin: issuingtest.PlainPin("0003"),
			}))
			replace := renew
			replace.ReissueReasonTypeCode, replace.NewPin = "STL", issuingtest.PlainPin("0004")
			replaced := w.Must(w.Cards.Reissue(t.Context(), issuingtest.Caller, replace))
			digital := w.Must(w.Cards.CreateDigital(t.Context(), issuingtest.Caller, w.NewOrder().DigitalRequest))

			want := []struct {
				kind order.Kind
				card int
				pin  string
			}{
				{order.Make, c.ID, "0001"},
				{order.Remake, issuingtest.VerifiedCard, "0002"},
				{order.SetPin, issuingtest.VerifiedCard, "0003"},
				{order.Hotlist, issuingtest.VerifiedCard, ""},
				{order.Close, issuingtest.VerifiedCard, ""},
				{order.Make, replaced.ID, "0004"},
				{order.Make, digital.ID, ""},
			}
			if len(*put) != len(want) {
				t.Fatalf("there are %d orders, want %d: %+v", len(*put), len(want), *put)
			}
			done := name == "sandbox"
			for i, o := range *put {
				pin, row := w.Opened(o), want[i]
				if done { // an order done when it is stored never contains one
					row.pin = ""
				}
				if o.Kind != row.kind || o.CardID != row.card || pin != row.pin {
					t.Errorf("order %d is %s of card %d with PIN %q, want %v",
						i, o.Kind, o.CardID, pin, row)
				}
			}
			for _, cardID := range []int{c.ID, issuingtest.VerifiedCard, replaced.ID, digital.ID} {
				for _, o := range w.OrdersOf(cardID) {
					if !o.Created.Equal(issuingtest.Start) || o.Ended.IsZero() == done ||
						done && o.SealedPin != nil { // the PIN is no longer needed
						t.Errorf("an order is %+v", o)
					}
				}
			}
			waiting := w.OrdersThatWait()
			if got := len(waiting) == 0; got != done {
				t.Errorf("%d orders wait for the processor", len(waiting))
			}
		})
	}
}

// TestPinFaults checks the response of each act to an invalid PIN, and that the act then changes
// nothing.
func TestPinFaults(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	ref := issuing.CardRef{CustomerID: 1001, CardID: issuingtest.VerifiedCard}
	for pin, code := range map[string]int{
		"!": 150901, issuingtest.PlainPin("12345678901234567"): 150901, "AAAA": 150903,
		issuingtest.PlainPin("12345"): 150903, issuingtest.PlainPin("0000"): 150903, issuingtest.PlainPin("12a4"): 150903,
	} {
		_, err := w.Cards.ResetPin(t.Context(), issuingtest.Caller, cards.PinRequest{CardRef: ref, NewPin: pin})
		issuingtest.WantCodes(t, err, code)
		_, err = w.Cards.Reissue(t.Context(), issuingtest.Caller, cards.ReissueRequest{
			CardRef: ref, ReissueReasonTypeCode: "LST", NewPin: pin,
		})
		issuingtest.WantCodes(t, err, 59956)
	}
	if got := w.Stored(issuingtest.VerifiedCard); got.Status != card.Verified || !got.Reissued.IsZero() {
		t.Errorf("the card has become %s", got.Status)
	}
}
