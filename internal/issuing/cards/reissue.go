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

// ReissueRequest requests that a card be remade or replaced.
type ReissueRequest struct {
	issuing.CardRef
	ReissueReasonTypeCode string `json:"reissueReasonTypeCode"`
	NewPin                string `json:"newPin" body:"secret"`
	QualifierCode         string `json:"qualifierCode"`
}

// Reissue remakes a damaged card, or replaces one that is lost, stolen or misused. The response is
// the card to use from then on (interface §8.12).
func (s *Service) Reissue(
	ctx context.Context, who issuing.Caller, req ReissueRequest,
) (CardDetail, error) {
	a, reason, err := card.CheckReissue(req.ReissueReasonTypeCode, req.QualifierCode)
	if err != nil {
		return CardDetail{}, err
	}
	pin, err := s.openNewPin(ctx, who, req.NewPin, func(tx *issuing.Tx) error {
		candidate, err := loadForReissue(tx, a, req.CardRef)
		if err != nil {
			return err
		}
		return checkPinQuota(tx, candidate.FullCardView)
	})
	if err != nil {
		return CardDetail{}, err
	}

	return issuing.Write(ctx, s.Service, who, func(tx *issuing.Tx) (CardDetail, error) {
		candidate, err := loadForReissue(tx, a, req.CardRef)
		if err != nil {
			return CardDetail{}, err
		}
		if pin != nil {
			if err := checkPinQuota(tx, candidate.FullCardView); err != nil {
				return CardDetail{}, err
			}
		}
		var after card.Card
		act, lockReason := candidate.Card.ReissueAs(a, reason)
		if act == card.ReissueSamePAN {
			after, err = reissueSamePAN(tx, candidate, req.QualifierCode, pin)
		} else {
			after, err = reissueNewPAN(tx, candidate, lockReason, req.QualifierCode, pin)
		}
		if err != nil {
			return CardDetail{}, err
		}
		if pin != nil {
			if err := tx.Cards().PutAttempt(after.ID, store.PinTaken); err != nil {
				return CardDetail{}, err
			}
		}
		return detail(tx, after, candidate.Accounts)
	})
}

// reissueData is the loaded data of a card to reissue.
type reissueData struct {
	store.FullCardView
	bin program.Bin // of a replacement
}

// loadForReissue loads the card and performs the checks up to those of the PIN. A reissue for
// damage may turn out to replace a dead number; both need the same checks.
func loadForReissue(tx *issuing.Tx, act card.Act, ref issuing.CardRef) (reissueData, error) {
	full, err := loadFullView(tx, act, ref, store.PinTaken, card.MaxPins)
	if err != nil {
		return reissueData{}, err
	}
	if err := full.Card.CheckReissuable(); err != nil {
		return reissueData{}, err
	}
	bin, err := full.Program.ReissueBin(full.Card.Vendor, full.Card.BinID)
	if err != nil {
		return reissueData{}, err
	}
	return reissueData{full, bin}, full.Program.CheckPciKey()
}

// reissueSamePAN stores the remade card, with the order to make it.
func reissueSamePAN(tx *issuing.Tx,
	candidate reissueData, qualifier string, pin *vault.Pin,
) (card.Card, error) {
	after := candidate.Card.ReissueSamePAN(tx.Service.Mode, qualifier, tx.Now()).
		RenewExpired(candidate.bin.ValidMonths, tx.LocalNow())
	return orders.SaveCard(tx, candidate.Customer.ID, candidate.Card, after,
		orders.Request{
			Kind: order.Remake, Pin: pin, Key: candidate.Program.SealingKey(), Creator: candidate.Creator,
		})
}

// reissueNewPAN stores the replaced card, and the replacement with a new number.
func reissueNewPAN(tx *issuing.Tx,
	candidate reissueData, reason card.Reason, qualifier string, pin *vault.Pin,
) (card.Card, error) {
	number, err := pickPAN(tx, candidate.bin)
	if err != nil {
		return card.Card{}, err
	}
	old, replacement := candidate.Card.ReissueNewPAN(
		tx.Service.Mode, reason, qualifier, candidate.bin.ValidMonths, tx.LocalNow())
	replacement.BinID, replacement.LastFour = candidate.bin.ID, number.LastFour()
	// The old card gives up its tag, and as a Reissued card its place in the unique index on
	// nicknames, before the new card takes both. Then the old card gets the identifier of the new
	// one.
	before, freed := candidate.Card, old
	if err := tx.Cards().Change(before, &freed); err != nil {
		return card.Card{}, err
	}
	if err := insert(tx, &replacement); err != nil {
		return card.Card{}, err
	}
	before.Revision, old.ReplacedBy = freed.Revision, replacement.ID
	if _, err := orders.SaveCard(tx, candidate.Customer.ID, before, old); err != nil {
		return card.Card{}, err
	}
	stored, err := complete(tx, candidate.Customer.ID, replacement, number,
		orders.Request{Pin: pin, Key: candidate.Program.SealingKey(), Creator: candidate.Creator})
	return acceptOrder(tx.Service, stored), err
}
