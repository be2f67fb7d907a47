package issuing

import (
	"context"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// ReissueRequest asks for a card to be made anew or replaced.
type ReissueRequest struct {
	CardRef
	ReissueReasonTypeCode string `json:"reissueReasonTypeCode"`
	NewPin                string `json:"newPin" body:"secret"`
	QualifierCode         string `json:"qualifierCode"`
}

// Reissue makes a damaged card anew, or replaces one that is lost, stolen or misused; the answer
// is the card to be used from now on (interface §8.12).
func (s *Service) Reissue(
	ctx context.Context, who Caller, req ReissueRequest,
) (CardDetail, error) {
	asked, reason, err := card.CheckReissue(req.ReissueReasonTypeCode, req.QualifierCode)
	if err != nil {
		return CardDetail{}, err
	}
	pin, err := s.openNewPin(ctx, who, req.NewPin, func(tx *Tx) error {
		found, err := tx.loadForReissue(asked, req.CardRef)
		if err != nil {
			return err
		}
		return tx.checkPinQuota(found.FullCardView)
	})
	if err != nil {
		return CardDetail{}, err
	}

	return write(ctx, s, who, func(tx *Tx) (CardDetail, error) {
		found, err := tx.loadForReissue(asked, req.CardRef)
		if err != nil {
			return CardDetail{}, err
		}
		if pin != nil {
			if err := tx.checkPinQuota(found.FullCardView); err != nil {
				return CardDetail{}, err
			}
		}
		var after card.Card
		act, lockReason := found.Card.ReissueAs(asked, reason)
		if act == card.ReissueSamePAN {
			after, err = tx.reissueSamePAN(found, req.QualifierCode, pin)
		} else {
			after, err = tx.reissueNewPAN(found, lockReason, req.QualifierCode, pin)
		}
		if err != nil {
			return CardDetail{}, err
		}
		if pin != nil {
			if err := tx.Attempts().Put(after.ID, store.PinTaken); err != nil {
				return CardDetail{}, err
			}
		}
		return tx.detail(after, found.Accounts)
	})
}

// reissuable is what was found of a card that may be reissued.
type reissuable struct {
	store.FullCardView
	bin program.Bin // under which a replacement is issued
}

// loadForReissue finds the card and makes the checks up to those of the PIN. What a reissue for
// damage does may turn out to be the replacement of a dead number; both need the same checks.
func (tx *Tx) loadForReissue(asked card.Act, ref CardRef) (reissuable, error) {
	found, err := tx.loadFullView(asked, ref, store.PinTaken, card.MaxPins)
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
func (tx *Tx) reissueSamePAN(
	found reissuable, qualifier string, pin *vault.Pin,
) (card.Card, error) {
	after := found.Card.ReissueSamePAN(tx.service.Mode, qualifier, tx.Now())
	return tx.save(found.Customer.ID, found.Card, after,
		orderRequest{
			kind: order.Remake, pin: pin, key: found.Program.SealingKey(), creator: found.Creator,
		})
}

// reissueNewPAN stores the card as it is replaced, and the replacement with a number of its own.
func (tx *Tx) reissueNewPAN(
	found reissuable, reason card.Reason, qualifier string, pin *vault.Pin,
) (card.Card, error) {
	number, err := tx.pickPAN(found.bin)
	if err != nil {
		return card.Card{}, err
	}
	old, replacement := found.Card.ReissueNewPAN(
		tx.service.Mode, reason, qualifier, found.bin.ValidMonths, tx.localNow())
	replacement.BinID, replacement.LastFour = found.bin.ID, number.LastFour()
	// The old card is stored first. It has no tag any more, and as a Reissued card it is not in the
	// unique index on nicknames, so the new card may have both.
	if _, err := tx.save(found.Customer.ID, found.Card, old); err != nil {
		return card.Card{}, err
	}
	stored, err := tx.create(found.Customer.ID, replacement, number,
		orderRequest{pin: pin, key: found.Program.SealingKey(), creator: found.Creator})
	return tx.service.asTaken(stored), err
}
