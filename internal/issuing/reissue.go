package issuing

import (
	"context"

	"mintmark/internal/card"
	"mintmark/internal/program"
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

// reissue is a reissue at work.
type reissue struct {
	ReissueRequest
	act    card.Act // card.Renew or card.Replace
	reason card.Reason
}

// Reissue makes a damaged card anew, or replaces one that is lost, stolen or misused; the answer
// is the card to be used from now on (section 4.2, /card/reissue).
func (s *Service) Reissue(
	ctx context.Context, who Caller, req ReissueRequest,
) (CardDetail, error) {
	act, reason, err := card.CheckReissue(req.ReissueReasonTypeCode, req.QualifierCode)
	if err != nil {
		return CardDetail{}, err
	}
	work := reissue{req, act, reason}
	pin, err := s.openNewPin(ctx, who, req.NewPin, func(r *reading) error {
		dossier, _, err := work.admit(s, r)
		if err != nil {
			return err
		}
		return r.admitPin(dossier)
	})
	if err != nil {
		return CardDetail{}, err
	}

	return write(ctx, s, who, func(w *writing) (CardDetail, error) {
		dossier, bin, err := work.admit(s, &w.reading)
		if err != nil {
			return CardDetail{}, err
		}
		if pin != nil {
			if err := w.admitPin(dossier); err != nil {
				return CardDetail{}, err
			}
		}
		after, err := work.carryOut(w, dossier.Card, bin, pin)
		if err != nil {
			return CardDetail{}, err
		}
		if pin != nil {
			if err := w.Attempts().Put(after.ID, store.PinTaken); err != nil {
				return CardDetail{}, err
			}
		}
		return w.detail(after)
	})
}

// admit makes the checks that need what is stored, up to those of the PIN, and returns the card
// with what belongs to it, and the BIN its replacement would be issued under.
func (ri reissue) admit(s *Service, r *reading) (store.FullCardView, program.Bin, error) {
	dossier, err := r.admitToAll(ri.act, ri.CardRef, store.PinTaken, card.MaxPins)
	if err != nil {
		return store.FullCardView{}, program.Bin{}, err
	}
	c, configured := dossier.Card, dossier.Program
	act, _ := c.ReissueAs(ri.act, ri.reason)
	if err := c.AdmitReissue(s.Mode, act, ri.CustomerID); err != nil {
		return store.FullCardView{}, program.Bin{}, err
	}
	bin, err := configured.ReissueBin(c.Vendor, c.BinID)
	if err != nil {
		return store.FullCardView{}, program.Bin{}, err
	}
	return dossier, bin, configured.CheckPciKey()
}

// carryOut keeps what the reissue makes of the card and returns the card to be used from now on.
func (ri reissue) carryOut(
	w *writing, before card.Card, bin program.Bin, pin *vault.Pin,
) (card.Card, error) {
	s := w.service
	act, reason := before.ReissueAs(ri.act, ri.reason)
	if act == card.Renew {
		after := before.Renew(s.Mode, ri.QualifierCode, w.Now())
		order := store.ProcessorOrder{Kind: store.OrderRenew}
		w.take(&order, &after)
		if err := w.change(before, &after); err != nil {
			return card.Card{}, err
		}
		return after, w.order(order, after.ID, pin)
	}

	drawn, err := w.draw(bin)
	if err != nil {
		return card.Card{}, err
	}
	old, replacement := before.Replace(
		s.Mode, reason, ri.QualifierCode, bin.ValidMonths, w.localNow())
	replacement.BinID, replacement.LastFour = bin.ID, drawn.LastFour()
	// The old card gives up tag and nickname before the new one takes them.
	if err := w.change(before, &old); err != nil {
		return card.Card{}, err
	}
	err = w.create(&replacement, drawn, pin)
	return replacement, err
}
