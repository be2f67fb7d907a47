package cards

import (
	"context"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// ReissueRequest asks for a card to be made anew or replaced.
type ReissueRequest struct {
	issuing.CardRef
	ReissueReasonTypeCode string `json:"reissueReasonTypeCode"`
	NewPin                string `json:"newPin" body:"secret"`
	QualifierCode         string `json:"qualifierCode"`
}

// Reissue makes a damaged card anew, or replaces one that is lost, stolen or misused; the answer
// is the card to be used from now on (interface §8.12).
func (s *Service) Reissue(
	ctx context.Context, who issuing.Caller, req ReissueRequest,
) (CardDetail, error) {
	asked, reason, err := card.CheckReissue(req.ReissueReasonTypeCode, req.QualifierCode)
	if err != nil {
		return CardDetail{}, err
	}
	pin, err := s.openNewPin(ctx, who, req.NewPin, func(tx *issuing.Tx) error {
		found, err := loadForReissue(tx, asked, req.CardRef)
		if err != nil {
			return err
		}
		return checkPinQuota(tx, found.FullCardView)
	})
	if err != nil {
		return CardDetail{}, err
	}

	return issuing.Write(ctx, s.Service, who, func(tx *issuing.Tx) (CardDetail, error) {
		found, err := loadForReissue(tx, asked, req.CardRef)
		if err != nil {
			return CardDetail{}, err
		}
		if pin != nil {
			if err := checkPinQuota(tx, found.FullCardView); err != nil {
				return CardDetail{}, err
			}
		}
		var after card.Card
		act, lockReason := found.Card.ReissueAs(asked, reason)
		if act == card.ReissueSamePAN {
			after, err = reissueSamePAN(tx, found, req.QualifierCode, pin)
		} else {
			after, err = reissueNewPAN(tx, found, lockReason, req.QualifierCode, pin)
		}
		if err != nil {
			return CardDetail{}, err
		}
		if pin != nil {
			if err := tx.Cards().PutAttempt(after.ID, store.PinTaken); err != nil {
				return CardDetail{}, err
			}
		}
		return detail(tx, after, found.Accounts)
	})
}

// reissuable is what was found of a card that may be reissued.
type reissuable struct {
	store.FullCardView
	bin program.Bin // under which a replacement is issued
}

// loadForReissue finds the card and makes the checks up to those of the PIN. What a reissue for
// damage does may turn out to be the replacement of a dead number; both need the same checks.
func loadForReissue(tx *issuing.Tx, asked card.Act, ref issuing.CardRef) (reissuable, error) {
	found, err := loadFullView(tx, asked, ref, store.PinTaken, card.MaxPins)
	if err != nil {
		return reissuable{}, err
	}
	if err := found.Card.CheckReissuable(); err != nil {
		return reissuable{}, err
	}
	bin, err := found.Program.ReissueBin(found.Card.Vendor, found.Card.BinID)
	if err != nil {
		return reissuable{}, err
	}
	return reissuable{found, bin}, found.Program.CheckPciKey()
}

// reissueSamePAN stores the card as it is made anew, with the order to make it.
func reissueSamePAN(tx *issuing.Tx,
	found reissuable, qualifier string, pin *vault.Pin,
) (card.Card, error) {
	after := found.Card.ReissueSamePAN(tx.Service.Mode, qualifier, tx.Now())
	return orders.SaveCard(tx, found.Customer.ID, found.Card, after,
		orders.Request{
			Kind: order.Remake, Pin: pin, Key: found.Program.SealingKey(), Creator: found.Creator,
		})
}

// reissueNewPAN stores the card as it is replaced, and the replacement with a number of its own.
func reissueNewPAN(tx *issuing.Tx,
	found reissuable, reason card.Reason, qualifier string, pin *vault.Pin,
) (card.Card, error) {
	number, err := pickPAN(tx, found.bin)
	if err != nil {
		return card.Card{}, err
	}
	old, replacement := found.Card.ReissueNewPAN(
		tx.Service.Mode, reason, qualifier, found.bin.ValidMonths, tx.LocalNow())
	replacement.BinID, replacement.LastFour = found.bin.ID, number.LastFour()
	// The old card gives up its tag, and as a Reissued card its place in the unique index on
	// nicknames, before the new card takes both. Then the old card learns the new one's identifier.
	before, freed := found.Card, old
	if err := tx.Cards().Change(before, &freed); err != nil {
		return card.Card{}, err
	}
	if err := insert(tx, &replacement); err != nil {
		return card.Card{}, err
	}
	before.Revision, old.ReplacedBy = freed.Revision, replacement.ID
	if _, err := orders.SaveCard(tx, found.Customer.ID, before, old); err != nil {
		return card.Card{}, err
	}
	stored, err := complete(tx, found.Customer.ID, replacement, number,
		orders.Request{Pin: pin, Key: found.Program.SealingKey(), Creator: found.Creator})
	return asTaken(tx.Service, stored), err
}
