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
	r := &reissue{request: req, asked: asked, reason: reason}
	r.pin, err = s.openNewPin(ctx, who, req.NewPin, r.checkBeforePin)
	if err != nil {
		return CardDetail{}, err
	}
	return write(ctx, s, who, r.act)
}

// reissue is a request on its way, with what was read from it.
type reissue struct {
	request ReissueRequest
	asked   card.Act
	reason  card.Reason
	pin     *vault.Pin // nil when none was given
}

// checkBeforePin makes the checks that come before the PIN is decrypted.
func (r *reissue) checkBeforePin(in *readTx) error {
	found, err := in.loadForReissue(r.asked, r.request.CardRef)
	if err != nil {
		return err
	}
	return in.checkPinQuota(found.FullCardView)
}

// act reissues the card.
func (r *reissue) act(w *writeTx) (CardDetail, error) {
	found, err := w.loadForReissue(r.asked, r.request.CardRef)
	if err != nil {
		return CardDetail{}, err
	}
	if r.pin != nil {
		if err := w.checkPinQuota(found.FullCardView); err != nil {
			return CardDetail{}, err
		}
	}
	var after card.Card
	act, lockReason := found.Card.ReissueAs(r.asked, r.reason)
	if act == card.ReissueSamePAN {
		after, err = w.reissueSamePAN(found, r.request.QualifierCode, r.pin)
	} else {
		after, err = w.reissueNewPAN(found, lockReason, r.request.QualifierCode, r.pin)
	}
	if err != nil {
		return CardDetail{}, err
	}
	if r.pin != nil {
		if err := w.tx.Attempts().Put(after.ID, store.PinTaken); err != nil {
			return CardDetail{}, err
		}
	}
	return w.detail(after, found.Accounts)
}

// reissuable is what was found of a card that may be reissued.
type reissuable struct {
	store.FullCardView
	bin program.Bin // under which a replacement is issued
}

// loadForReissue finds the card and makes the checks up to those of the PIN. What a reissue for
// damage does may turn out to be the replacement of a dead number; both need the same checks.
func (r *readTx) loadForReissue(asked card.Act, ref CardRef) (reissuable, error) {
	found, err := r.loadFullView(asked, ref, store.PinTaken, card.MaxPins)
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
func (w *writeTx) reissueSamePAN(
	found reissuable, qualifier string, pin *vault.Pin,
) (card.Card, error) {
	after := found.Card.ReissueSamePAN(w.service.Mode, qualifier, w.tx.Now())
	return w.save(found.Customer.ID, found.Card, after,
		ask{
			kind: order.Remake, pin: pin, key: found.Program.SealingKey(), creator: found.Creator,
		})
}

// reissueNewPAN stores the card as it is replaced, and the replacement with a number of its own.
func (w *writeTx) reissueNewPAN(
	found reissuable, reason card.Reason, qualifier string, pin *vault.Pin,
) (card.Card, error) {
	number, err := w.pickPAN(found.bin)
	if err != nil {
		return card.Card{}, err
	}
	old, replacement := found.Card.ReissueNewPAN(
		w.service.Mode, reason, qualifier, found.bin.ValidMonths, w.localNow())
	replacement.BinID, replacement.LastFour = found.bin.ID, number.LastFour()
	// The old card is stored first. It has no tag any more, and as a Reissued card it is not in the
	// unique index on nicknames, so the new card may have both.
	if _, err := w.save(found.Customer.ID, found.Card, old); err != nil {
		return card.Card{}, err
	}
	stored, err := w.create(found.Customer.ID, replacement, number,
		ask{pin: pin, key: found.Program.SealingKey(), creator: found.Creator})
	return w.service.asTaken(stored), err
}
