package issuing

import (
	"errors"

	"mintmark/internal/audit"
	"mintmark/internal/card"
	"mintmark/internal/number"
	"mintmark/internal/pan"
	"mintmark/internal/program"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// writing is one request changing the caller's program.
type writing struct {
	reading
	service *Service
	keeps   bool // what was written is kept although the request fails

	// hopeful is the first try. It does not look for what is there hardly ever and what the store
	// would refuse to keep twice: each look is a trip to the database. The next try looks.
	hopeful bool
}

// errHopeless ends a hopeful try that cannot go on, where what it did not look for comes before
// what it has found: the next try looks, and answers with what comes first.
var errHopeless = errors.New("issuing: more has to be looked at")

// refuse makes the request fail with a fault and yet keeps what was written, the row in the
// trail above all.
func (w *writing) refuse(f error) error {
	w.keeps = true
	return f
}

// create keeps a new card with its number and the order to make it. The card is changed to what
// the processor has made of it when it answers at once.
func (w *writing) create(c *card.Card, drawn pan.Number, pin *vault.Pin) error {
	order := store.ProcessorOrder{Kind: store.OrderCard}
	w.take(&order, c)
	if err := w.Cards().Put(c); err != nil {
		return err
	}
	sealed, err := w.service.vault.SealNumber(drawn, c.ID)
	if err != nil {
		return err
	}
	err = w.PANs().Put(store.SealedPAN{
		CardID: c.ID, BinID: c.BinID, LastFour: drawn.LastFour(),
		Digest: w.service.vault.DigestNumber(drawn), Sealed: sealed,
	})
	if err != nil {
		return err
	}
	if err := w.order(order, c.ID, pin); err != nil {
		return err
	}
	_, after := audit.Diff(card.Card{}, *c)
	return w.audit(created, c.ID, "", after)
}

// change keeps what an act has made of a card. An act that changed nothing is noted only.
func (w *writing) change(before card.Card, after *card.Card) error {
	was, is := audit.Diff(before, *after)
	if is == "" {
		return w.audit(unchanged, after.ID, "", "")
	}
	if err := w.Cards().Change(before, after); err != nil {
		return err
	}
	return w.audit(changed, after.ID, was, is)
}

// draw chooses the number of a new card.
func (w *writing) draw(bin program.Bin) (pan.Number, error) {
	s := w.service
	if w.hopeful {
		return number.Guess(s.Random, bin, s.Ending)
	}
	return number.Draw(w.PANs(), s.vault.DigestNumber, s.Random, bin, s.Ending)
}

// take hands an order to a processor that answers at once. Without one the order waits.
func (w *writing) take(order *store.ProcessorOrder, c *card.Card) {
	if w.service.Processor == nil {
		return
	}
	*c = w.service.Processor.Take(*order, *c, w.Now())
	order.Done = w.Now()
}

// order keeps an order to the processor, with a PIN sealed for it when there is one. An order that
// was carried out at once has no use for the PIN any more.
func (w *writing) order(order store.ProcessorOrder, cardID int, pin *vault.Pin) error {
	order.CardID, order.Created = cardID, w.Now()
	if pin != nil && order.Done.IsZero() {
		sealed, err := w.service.vault.SealPin(*pin, cardID)
		if err != nil {
			return err
		}
		order.SealedPin = sealed
	}
	return w.Orders().Put(order)
}
