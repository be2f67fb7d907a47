package cards

import (
	"context"
	"errors"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/store"
)

// renewBatch limits the cards that one transaction renews, so that callers do not wait.
const renewBatch = 50

// RenewCards renews the cards that are about to expire, in the given programs or in all with
// automatic renewal, and returns how many. A card gets its new expiry and the order to remake it in
// one transaction, so it is not renewed again. It is a background job, and idempotent.
func (s *Service) RenewCards(ctx context.Context, programIDs ...int) (int, error) {
	run := &renewals{service: s, reached: make(map[int]renewalProgress)}
	_, err := s.ForEachProgram(ctx, programIDs, issuing.RenewJob, "renew",
		s.SkipFenced(func(job issuing.Caller) (int, error) { return run.nextBatch(ctx, job) }))
	return run.renewed, errors.Join(append(run.failures, err)...)
}

// renewals is one run of the job. It visits each card of a program once: one that cannot be renewed
// does not hold up the others.
type renewals struct {
	service  *Service
	reached  map[int]renewalProgress // by program
	renewed  int
	failures []error // of cards
}

// renewalProgress is the position of a run in a program.
type renewalProgress struct {
	months []card.Month // of expiry, still to visit; the current one first
	after  int          // the ID of the last card
	begun  bool
	failed int // the number of cards
}

// nextBatch renews the next cards of a program, and returns how many it has examined. It selects
// the cards outside the transaction that renews them: a range of an index that is read in a
// serializable transaction would collide with every card that is verified at the same time.
func (r *renewals) nextBatch(ctx context.Context, job issuing.Caller) (int, error) {
	at := r.reached[job.ProgramID]
	var cardIDs []int
	err := r.service.Store.View(ctx, func(tx store.Tx) error {
		p, err := tx.Programs().Find(job.ProgramID)
		if err != nil || p.Renewal.OrDefault() != program.Automatic {
			return err
		}
		if !at.begun {
			at = renewalProgress{card.RenewalMonths(tx.Now().In(p.Location())), 0, true, 0}
		}
		for len(at.months) > 0 {
			month := at.months[0]
			cardIDs, err = tx.Due().ListExpiring(store.Expiring{
				ProgramID: job.ProgramID, Year: month.Year, Month: month.Month, After: at.after,
			}, renewBatch)
			if err != nil || len(cardIDs) > 0 {
				return err
			}
			at.months, at.after = at.months[1:], 0
		}
		return nil
	})
	if err != nil || len(cardIDs) == 0 {
		return 0, err
	}
	at.after = cardIDs[len(cardIDs)-1]
	defer func() { r.reached[job.ProgramID] = at }()
	if err := r.renewAll(ctx, job, cardIDs); err == nil {
		return len(cardIDs), nil
	}
	for _, cardID := range cardIDs {
		if err := r.renewAll(ctx, job, []int{cardID}); err != nil {
			if at.failed == maxFailures || ctx.Err() != nil {
				return 0, err
			}
			at.failed++
			r.failures = append(r.failures, err)
		}
	}
	return len(cardIDs), nil
}

// maxFailures is the number of failed cards after which a program is skipped: the cards are then
// not the cause.
const maxFailures = 100

// renewAll renews cards in one transaction.
func (r *renewals) renewAll(ctx context.Context, job issuing.Caller, cardIDs []int) error {
	renewed := 0
	err := r.service.Update(ctx, job, func(tx *issuing.Tx) error {
		renewed = 0
		for _, cardID := range cardIDs {
			done, err := renew(tx, cardID)
			if err != nil {
				return err
			}
			if done {
				renewed++
			}
		}
		return nil
	})
	if err == nil {
		r.renewed += renewed
	}
	return err
}

// renew renews a card, with the order to make it. A card whose creator or holder may not act is not
// sent out; it waits until they may.
func renew(tx *issuing.Tx, cardID int) (bool, error) {
	before, err := tx.Cards().Find(tx.Caller.ProgramID, cardID)
	if err != nil {
		return false, err
	}
	full, err := tx.Cards().FindFullView(store.FullCardQuery{
		ProgramID: tx.Caller.ProgramID, CustomerID: before.HolderID, CardID: cardID,
		Kind: store.PinTaken, Limit: 1,
	})
	if err != nil {
		return false, err
	}
	if !full.Creator.MayPay() || !full.Customer.MayPay() {
		return false, nil
	}
	after, done := full.Card.Renew(validMonths(full.Program, before.BinID), tx.LocalNow())
	if !done {
		return false, nil
	}
	_, err = orders.SaveCard(tx, 0, full.Card, after, orders.Request{Kind: order.Remake,
		Creator: full.Creator})
	return err == nil, err
}

// validMonths returns the months for which a card of a BIN is valid.
func validMonths(of program.Issuing, binID int) int {
	for _, bin := range of.Bins {
		if bin.ID == binID {
			return bin.ValidMonths
		}
	}
	return 0
}
