package issuing

import (
	"context"
	"time"

	"mintmark/internal/audit"
	"mintmark/internal/card"
	"mintmark/internal/pan"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// writeTx is the transaction of one request that may change the caller's program.
type writeTx struct {
	readTx

	optimistic   bool // the first try: see optimistic.go
	commitAnyway bool // what was written is kept although the request fails
}

// write performs an act that answers with a card.
func write(
	ctx context.Context, s *Service, who Caller, act func(*writeTx) (CardDetail, error),
) (CardDetail, error) {
	run := &actRun{act: act, request: who.Idempotency}
	if err := s.update(ctx, who, run.runAct); err != nil {
		return CardDetail{}, err
	}
	return run.answer, run.refusal
}

// actRun is an act with the idempotency key of its request, and what came of it.
type actRun struct {
	act     func(*writeTx) (CardDetail, error)
	request *IdempotentRequest // nil without an idempotency key
	answer  CardDetail
	refusal error // with which the transaction was committed all the same
}

// runAct performs the act in a transaction. The answer to a request with an idempotency key is
// stored there, so that both are on disk or neither is.
func (r *actRun) runAct(w *writeTx) error {
	if err := r.request.check(w); err != nil {
		return err
	}
	r.answer, r.refusal = r.act(w)
	if r.refusal != nil && !w.commitAnyway {
		return r.refusal
	}
	return r.request.keep(w, r.answer, r.refusal)
}

// update runs a closure that may change the caller's program, again where a try has lost a race.
func (s *Service) update(ctx context.Context, who Caller, fn func(*writeTx) error) error {
	program, err := s.programs.find(ctx, s.store, who.ProgramID)
	if err != nil {
		return toFault(err)
	}
	t := &try{writeTx: writeTx{readTx: readTx{nil, s, who, program}}, fn: fn}
	for number := range maxActTries {
		t.optimistic = number == 0
		err = s.store.Update(ctx, t.runTry)
		if !triesAgain(err) {
			break
		}
	}
	return toFault(err)
}

// try is one try of a transaction.
type try struct {
	writeTx
	fn func(*writeTx) error
}

// runTry may run more than once, so each run has a scope of its own.
func (t *try) runTry(tx store.Tx) error {
	w := t.writeTx
	w.tx = tx
	return t.fn(&w)
}

// failAndCommit makes the request fail with a fault and keeps what was written: the attempt that
// counts, and its audit entry.
func (w *writeTx) failAndCommit(f error) error {
	w.commitAnyway = true
	return f
}

// save stores what an act has made of a card for a customer, with its audit entry. A card that the
// act left as it was is not stored again; a date of change alone is no change.
func (w *writeTx) save(customerID int, before, after card.Card) (card.Card, error) {
	same := before
	same.Modified, same.Revision = after.Modified, after.Revision
	if same.Equal(&after) {
		return after, w.audit(about(after.ID, customerID, unchanged))
	}
	if err := w.tx.Cards().Change(before, &after); err != nil {
		return card.Card{}, err
	}
	entry := about(after.ID, customerID, changed)
	entry.Before, entry.After = audit.Diff(before, after)
	return after, w.audit(entry)
}

// saveAndShow stores what an act has made of a card that was loaded, and returns the answer.
func (w *writeTx) saveAndShow(found store.CardView, after card.Card) (CardDetail, error) {
	after, err := w.save(found.Customer.ID, found.Card, after)
	if err != nil {
		return CardDetail{}, err
	}
	return w.detail(after, found.Accounts)
}

// create stores a new card with its number, the order to make it and its audit entry. It returns
// the card as a processor that answers at once has made it.
func (w *writeTx) create(
	customerID int, c card.Card, number pan.Number, pin *vault.Pin,
) (card.Card, error) {
	order, c := w.submit(store.ProcessorOrder{Kind: store.OrderCard}, c)
	if err := w.tx.Cards().Put(&c); err != nil {
		return card.Card{}, err
	}
	sealed, err := w.service.vault.SealNumber(number, c.ID)
	if err != nil {
		return card.Card{}, err
	}
	err = w.tx.PANs().Put(store.SealedPAN{
		CardID: c.ID, BinID: c.BinID, LastFour: number.LastFour(),
		Digest: w.service.vault.DigestNumber(number), Sealed: sealed,
	})
	if err != nil {
		return card.Card{}, err
	}
	if err := w.putOrder(order, c.ID, pin); err != nil {
		return card.Card{}, err
	}
	entry := about(c.ID, customerID, created)
	_, entry.After = audit.Diff(card.Card{}, c)
	return c, w.audit(entry)
}

// Processor is a card processor that answers at once. It returns the card as the order leaves it.
type Processor interface {
	Take(order store.ProcessorOrder, c card.Card, now time.Time) card.Card
}

// submit hands an order to a processor that answers at once, and returns the order and the card as
// the processor leaves them. Without such a processor the order waits.
func (w *writeTx) submit(
	order store.ProcessorOrder, c card.Card,
) (store.ProcessorOrder, card.Card) {
	if w.service.Processor == nil {
		return order, c
	}
	c = w.service.Processor.Take(order, c, w.tx.Now())
	order.Done = w.tx.Now()
	return order, c
}

// putOrder stores an order to the processor, with a PIN sealed for it when there is one. An order
// that is done has no more use for the PIN.
func (w *writeTx) putOrder(order store.ProcessorOrder, cardID int, pin *vault.Pin) error {
	order.CardID, order.Created = cardID, w.tx.Now()
	if pin != nil && order.Done.IsZero() {
		sealed, err := w.service.vault.SealPin(*pin, cardID)
		if err != nil {
			return err
		}
		order.SealedPin = sealed
	}
	return w.tx.Orders().Put(order)
}
