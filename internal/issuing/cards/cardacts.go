package cards

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/store"
)

// Audit names of operators' acts on cards.
const (
	lockCardAct    = "lock card"
	unlockCardAct  = "unlock card"
	reissueCardAct = "reissue card"
	archiveCardAct = "archive card"
)

// LockCard sets a system lock on a card, which is permanent or lasts until an operator clears it.
// revision is that of the card, 0 for any. Replacing a system lock with a permanent one needs a
// second operator, as clearing it does, because the card can then be reissued, and the replacement
// is unlocked.
func (s *Service) LockCard(
	ctx context.Context, who issuing.Operator, cardID, revision int, reasonCode string,
) (CardSheet, error) {
	reason := card.Reason(strings.ToUpper(reasonCode))
	if !slices.Contains(card.SystemReasons, reason) {
		return CardSheet{}, invalidCode("lockReasonTypeCode", card.SystemReasons)
	}
	return s.actOnCard(ctx, who, cardID, revision, lockCardAct,
		func(tx *issuing.Tx, before card.Card) (card.Card, error) {
			if before.Lock.Type == card.System && reason.Permanent() {
				if err := tx.Guard(); err != nil {
					return card.Card{}, err
				}
			}
			return s.lockForOperator(tx, before, reason)
		})
}

func (s *Service) lockForOperator(
	tx *issuing.Tx, before card.Card, reason card.Reason,
) (card.Card, error) {
	after, err := before.LockByOperator(reason, s.Mode, tx.Now())
	if err != nil {
		return card.Card{}, err
	}
	return orders.SaveCard(tx, 0, before, after)
}

// UnlockCard clears a lock that is not permanent, whoever set it. For a system lock it needs a
// second operator if the program demands one.
func (s *Service) UnlockCard(
	ctx context.Context, who issuing.Operator, cardID, revision int,
) (CardSheet, error) {
	return s.actOnCard(ctx, who, cardID, revision, unlockCardAct,
		func(tx *issuing.Tx, before card.Card) (card.Card, error) {
			after, err := before.UnlockByOperator(s.Mode, tx.Now())
			if err == nil && before.Lock.Type == card.System {
				err = tx.Guard()
			}
			if err != nil {
				return card.Card{}, err
			}
			return orders.SaveCard(tx, 0, before, after)
		})
}

// ArchiveCard archives a card permanently.
func (s *Service) ArchiveCard(
	ctx context.Context, who issuing.Operator, cardID, revision int,
) (CardSheet, error) {
	return s.actOnCard(ctx, who, cardID, revision, archiveCardAct,
		func(tx *issuing.Tx, before card.Card) (card.Card, error) {
			if err := before.CheckOperator(card.Archive, s.Mode); err != nil {
				return card.Card{}, err
			}
			return orders.SaveCard(tx, 0, before, before.Archive(tx.Now()))
		})
}

// ReissueCard remakes a damaged card, or replaces one that is lost, stolen or misused. It returns
// the card to use from now on.
func (s *Service) ReissueCard(
	ctx context.Context, who issuing.Operator, cardID, revision int, reasonCode string,
) (CardSheet, error) {
	act, reason, err := card.CheckReissue(reasonCode, "")
	if err != nil {
		return CardSheet{}, invalidCode("reissueReasonTypeCode", card.ReissueReasons)
	}
	return s.actOnCard(ctx, who, cardID, revision, reissueCardAct,
		func(tx *issuing.Tx, before card.Card) (card.Card, error) {
			return s.reissueForOperator(tx, before, act, reason)
		})
}

func (s *Service) reissueForOperator(
	tx *issuing.Tx, before card.Card, a card.Act, reason card.Reason,
) (card.Card, error) {
	act, lockReason := before.ReissueAs(a, reason)
	if err := before.CheckOperator(act, s.Mode); err != nil {
		return card.Card{}, err
	}
	candidate, err := loadForOperator(tx, before)
	if err != nil {
		return card.Card{}, err
	}
	if act == card.ReissueSamePAN {
		if err := checkRemade(tx, before); err != nil {
			return card.Card{}, err
		}
		return reissueSamePAN(tx, candidate, "", nil)
	}
	return reissueNewPAN(tx, candidate, lockReason, "", nil)
}

// checkRemade refuses to remake a card that is already being remade.
func checkRemade(tx *issuing.Tx, c card.Card) error {
	orders, err := openOrders(tx, c.ID)
	for _, o := range orders {
		if o.Kind == order.Remake && o.State != order.Failed {
			return issuing.Refuse("The card is being made again: order " + o.PublicID() + ".")
		}
	}
	return err
}

// loadForOperator loads the data for an operator's reissue, except the card. Customer stays empty,
// because no customer acts.
func loadForOperator(tx *issuing.Tx, c card.Card) (reissueData, error) {
	full, err := tx.Cards().FindFullView(store.FullCardQuery{
		ProgramID: c.ProgramID, CustomerID: c.HolderID, CardID: c.ID,
		Kind: store.PinTaken, Limit: 1,
	})
	if err != nil {
		return reissueData{}, err
	}
	for _, s := range []customer.Standing{full.Creator.Standing, full.Customer} {
		if err := checkReceiver(s); err != nil {
			return reissueData{}, err
		}
	}
	full.Customer = customer.Standing{}
	bin, err := full.Program.ReissueBin(c.Vendor, c.BinID)
	if err != nil {
		return reissueData{}, err
	}
	return reissueData{full, bin}, full.Program.CheckPciKey()
}

// checkReceiver refuses a card for a customer who cannot use it: one who is erased, archived,
// inactive or deceased.
func checkReceiver(s customer.Standing) error {
	switch obstacle := s.Obstacle(); obstacle {
	case "archived", "inactive", "deceased":
		return &card.Refusal{Why: fmt.Sprintf("Customer %d is %s: no card is made.", s.ID, obstacle)}
	}
	return nil
}

func invalidCode(name string, allowed []card.Reason) error {
	return issuing.Invalid(name, "must be one of %s", problem.Names(allowed))
}

// actOnCard performs an operator's act on a card, and returns the resulting card.
func (s *Service) actOnCard(
	ctx context.Context, who issuing.Operator, cardID, revision int, act string,
	do func(*issuing.Tx, card.Card) (card.Card, error),
) (CardSheet, error) {
	_, programID, err := s.programOfCard(ctx, who, cardID)
	if err != nil {
		return CardSheet{}, err
	}
	var sheet CardSheet
	err = s.Act(ctx, who, issuing.InProgram(programID), act, func(tx *issuing.Tx) error {
		before, err := tx.Cards().Find(programID, cardID)
		if err == nil {
			err = issuing.CheckRevisionIf("the card", before.Revision, revision)
		}
		if err != nil {
			return err
		}
		after, err := do(tx, before)
		if err != nil {
			return err
		}
		sheet, err = newSheet(tx, after)
		return err
	})
	if err != nil {
		return CardSheet{}, err
	}
	return sheet, nil
}
