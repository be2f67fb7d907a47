package issuing

import (
	"context"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/digests"
	"mintmark/internal/domain/order"
	"mintmark/internal/store"
)

// writeTx is the transaction of one request that may change the caller's program.
type writeTx struct {
	readTx

	optimistic   bool // the first try: see optimistic.go
	digests      *digests.State
	commitAnyway bool // what was written is kept although the request fails
	guarded      bool // the act needs a second operator

	ordered  []CardOrders
	foreseen []foreseen // in a sandbox
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
	if w.caller.Trial != nil {
		if err := w.caller.Trial.Outcome(r.refusal); err != nil {
			return err
		}
	}
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
	return toFault(s.updateIn(ctx, who, program, fn))
}

// updateIn is update for a program that was found already, nil for an act that belongs to none.
func (s *Service) updateIn(
	ctx context.Context, who Caller, program *programSnapshot, fn func(*writeTx) error,
) (err error) {
	t := &try{writeTx: writeTx{readTx: readTx{nil, s, who, program}}, fn: fn}
	world := s.Era.Number()
	for number := range maxActTries {
		// A fault rule is asked for its place among all checks, so none may be left out.
		t.optimistic = number == 0 && who.Trial == nil
		err = s.store.Update(ctx, t.runTry)
		if !triesAgain(err) {
			break
		}
	}
	if err == nil && who.operator != nil {
		who.operator.marked = true
	}
	if err == nil && who.confirmed != nil {
		who.confirmed.kept = true
	}
	// In another world these orders are gone, and others may have their numbers.
	if err == nil && len(t.ordered) > 0 && s.Outbox != nil && s.Era.Number() == world {
		s.Outbox.Written(s.Era.In(ctx), t.ordered)
	}
	return err
}

// try is one try of a transaction.
type try struct {
	writeTx
	fn func(*writeTx) error
}

// runTry may run more than once, so each run has a scope of its own.
func (t *try) runTry(tx store.Tx) error {
	w := t.writeTx
	w.tx, w.ordered = tx, nil
	err := w.caller.confirmed.begin(w.service, tx)
	if err == nil {
		err = t.fn(&w)
	}
	if err == nil && w.guarded && w.caller.confirmed == nil {
		err = ErrNeedsApproval
	}
	if err == nil {
		err = w.caller.operator.mark(tx)
	}
	if err == nil {
		err = w.applyForeseen()
	}
	t.ordered = w.ordered
	return err
}

// failAndCommit makes the request fail with a fault and keeps what was written: the attempt that
// counts, and its audit entry.
func (w *writeTx) failAndCommit(f error) error {
	w.commitAnyway = true
	return f
}

// save stores what an act has made of a card for a customer, with the orders that it asks for or
// that follow from the change, and its audit entry. A card that the act left as it was is not
// stored again without an order; a date of change alone is no change.
func (w *writeTx) save(
	customerID int, before, after card.Card, asked ...ask,
) (card.Card, error) {
	entry := about(after.ID, customerID, unchanged)
	if !isSame(before, after) {
		entry.Outcome = changed
		entry.Before, entry.After = audit.Diff(before, after)
	}
	if err := w.sealPeople(after.ID, &entry); err != nil {
		return card.Card{}, err
	}
	after, err := w.store(before, after, asked)
	if err != nil {
		return card.Card{}, err
	}
	return after, w.audit(entry)
}

// isSame reports whether two states of a card differ in nothing but the date of change and the
// revision.
func isSame(before, after card.Card) bool {
	before.Modified, before.Revision = after.Modified, after.Revision
	return before.Equal(&after)
}

// store stores a card that has changed, or has new orders, and its orders.
func (w *writeTx) store(before, after card.Card, asked []ask) (card.Card, error) {
	asked = w.asksFor(before, after, asked)
	after, err := w.number(after, len(asked))
	if err != nil {
		return card.Card{}, err
	}
	if isSame(before, after) {
		return after, nil
	}
	if err := w.tx.Cards().Change(before, &after); err != nil {
		return card.Card{}, err
	}
	return after, w.order(after, asked)
}

// saveAndShow stores what an act has made of a card that was loaded, and returns the answer.
func (w *writeTx) saveAndShow(found store.CardView, after card.Card) (CardDetail, error) {
	after, err := w.save(found.Customer.ID, found.Card, after)
	if err != nil {
		return CardDetail{}, err
	}
	return w.detail(after, found.Accounts)
}

// create stores a new card with its number, the order to make it and its audit entry.
func (w *writeTx) create(
	customerID int, c card.Card, number pan.Number, made ask,
) (card.Card, error) {
	made.kind, c.Orders = order.Make, 1
	if err := w.tx.Cards().Put(&c); err != nil {
		return card.Card{}, err
	}
	if err := w.service.giveBankKey(w.tx, made.key); err != nil {
		return card.Card{}, err
	}
	sealed, err := w.service.vault.SealNumber(made.key, number, c.ID)
	if err != nil {
		return card.Card{}, err
	}
	digest, err := w.digest(number)
	if err != nil {
		return card.Card{}, err
	}
	err = w.tx.PANs().Put(store.SealedPAN{
		CardID: c.ID, BinID: c.BinID, LastFour: number.LastFour(), Digest: digest, Sealed: sealed,
	})
	if err != nil {
		return card.Card{}, err
	}
	if err := w.order(c, []ask{made}); err != nil {
		return card.Card{}, err
	}
	entry := about(c.ID, customerID, created)
	_, entry.After = audit.Diff(card.Card{}, c)
	if err := w.sealPeople(c.ID, &entry); err != nil {
		return card.Card{}, err
	}
	return c, w.audit(entry)
}

// applyForeseen applies the reports of orders that are done, as acts of the processor.
func (w *writeTx) applyForeseen() error {
	for len(w.foreseen) > 0 {
		next := w.foreseen[0]
		w.foreseen = w.foreseen[1:]
		w.caller = processorOf(next.order)
		if err := w.applyReports(next.order, next.reports); err != nil {
			return err
		}
	}
	return nil
}

// processorOf is the card processor as the caller of an act on the card of an order.
func processorOf(o order.Order) Caller {
	return Caller{
		Actor:     audit.Actor{Kind: audit.Processor, Name: ProcessorName},
		ProgramID: o.ProgramID,
	}
}

// applyReports applies the reports that came with the answer to an order. What the status of the
// card does not allow changes nothing.
func (w *writeTx) applyReports(of order.Order, reports []order.Report) error {
	found, err := w.tx.Cards().Find(of.ProgramID, of.CardID)
	if err != nil {
		return err
	}
	for _, report := range reports {
		after, possible := ruleOf(report.Kind, of.Kind)(found, report.At)
		if !possible {
			continue
		}
		w.caller.Route = reportAct(report.Kind)
		found, err = w.save(0, found, after)
		if err != nil {
			return err
		}
	}
	return nil
}
