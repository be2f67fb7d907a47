package issuingtest

import (
	"sync"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/store"
)

// CardActs returns the acts of operators on a card, by their names in a CardSheet.
func (w *World) CardActs() map[string]func(
	who issuing.Operator, cardID, revision int,
) (cards.CardSheet, error) {
	ctx := w.TB.Context()
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

// Window is how long the demo program lets a card stay unverified.
const Window = 90 * 24 * time.Hour

// Expire runs the expiry job and checks the number of cards that it expired.
func (w *World) Expire(want int) {
	w.TB.Helper()
	got, err := w.Cards.ExpireUnverified(w.TB.Context())
	if err != nil || got != want {
		w.TB.Errorf("%d cards expired (%v), want %d", got, err, want)
	}
}

// Born is the birth date of every demo customer, in a time zone far to the west.
var Born = time.Date(1985, time.March, 14, 23, 0, 0, 0, time.FixedZone("", -11*3600))

// The cards of the demo data.
const (
	VerifiedCard = 5001
	SystemLocked = 5002 // SYS/ADM
	DeniedCard   = 5005
	SystemLost   = 5006 // SYS/LST
	ArchivedCard = 5008
)

// Opened returns the decrypted PIN of an order, or "" if the order has none.
func (w *World) Opened(o order.Order) string {
	w.TB.Helper()
	if len(o.SealedPin) == 0 {
		return ""
	}
	pin, err := w.Vault.OpenSealedPin(o.SealedPin, o.CardID)
	if err != nil {
		w.TB.Fatal(err)
	}
	return pin.Reveal()
}

// Must returns the card of an act, which must succeed.
func (w *World) Must(detail cards.CardDetail, err error) card.Card {
	w.TB.Helper()
	if err != nil {
		w.TB.Fatal(err)
	}
	return detail.Card
}

// Workers is the number of concurrent callers.
const Workers = 64

// Together orders a card for each of Workers callers at the same time, and returns the cards and
// the errors.
func (w *World) Together(
	change func(int, *cards.InitiateRequest),
) (all []card.Card, refusals []error) {
	w.TB.Helper()
	requests := make([]cards.InitiateRequest, Workers)
	for i := range requests {
		requests[i] = w.NewOrder()
		if change != nil {
			change(i, &requests[i])
		}
	}
	var running sync.WaitGroup
	var mu sync.Mutex
	for _, req := range requests {
		running.Go(func() {
			detail, err := w.Cards.Initiate(w.TB.Context(), Caller, req)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				refusals = append(refusals, err)
				return
			}
			all = append(all, detail.Card)
		})
	}
	running.Wait()
	return all, refusals
}

// Reissuing returns a request of the customer to reissue a card.
func Reissuing(c card.Card, reason string) cards.ReissueRequest {
	return cards.ReissueRequest{
		CardRef:               issuing.CardRef{CustomerID: c.CustomerID, CardID: c.ID},
		ReissueReasonTypeCode: reason,
	}
}

// Number returns the full number of a card.
func (w *World) Number(cardID int) string {
	w.TB.Helper()
	var kept store.SealedNumber
	w.View(func(r store.Tx) (err error) { kept, err = r.CardNumbers().Find(1, cardID); return err })
	opened, err := w.Vault.OpenNumber(kept.Sealed, cardID)
	if err != nil {
		w.TB.Fatal(err)
	}
	return opened.Reveal()
}

// Verifying returns a request to verify a card.
func Verifying(c card.Card, digits string) cards.VerifyRequest {
	return cards.VerifyRequest{
		CardRef:   issuing.CardRef{CustomerID: 1001, CardID: c.ID},
		BirthDate: Born, CardNumberMasked: digits,
	}
}
