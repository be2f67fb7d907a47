package issuing

import (
	"context"

	"mintmark/internal/card"
)

// LockRequest asks for a card to be locked or hotlisted.
type LockRequest struct {
	CardRef
	LockReasonTypeCode string `json:"lockReasonTypeCode"`
}

// Lock locks a card until it is unlocked (section 4.2, /card/lock).
func (s *Service) Lock(ctx context.Context, who Caller, req LockRequest) (CardDetail, error) {
	reason, err := card.LockReason(req.LockReasonTypeCode)
	if err != nil {
		return CardDetail{}, err
	}
	return s.changeCard(ctx, who, card.LockCard, req.CardRef,
		func(w *writing, c card.Card) (card.Card, error) {
			return c.LockBy(req.CustomerID, reason, w.Now())
		})
}

// Hotlist locks a card for ever (section 4.2, /card/hotlist and /card/lostOrStolen).
func (s *Service) Hotlist(ctx context.Context, who Caller, req LockRequest) (CardDetail, error) {
	reason, err := card.HotlistReason(req.LockReasonTypeCode)
	if err != nil {
		return CardDetail{}, err
	}
	return s.changeCard(ctx, who, card.Hotlist, req.CardRef,
		func(w *writing, c card.Card) (card.Card, error) {
			return c.HotlistBy(req.CustomerID, reason, w.Now())
		})
}

// Unlock takes a customer's lock away (section 4.2, /card/unlock).
func (s *Service) Unlock(ctx context.Context, who Caller, req CardRef) (CardDetail, error) {
	return s.changeCard(ctx, who, card.Unlock, req,
		func(w *writing, c card.Card) (card.Card, error) {
			return c.UnlockBy(req.CustomerID, w.Now())
		})
}

// Archive puts a card away for ever and answers nothing (section 4.2, /card/archive).
func (s *Service) Archive(ctx context.Context, who Caller, req CardRef) error {
	_, err := s.changeCard(ctx, who, card.Archive, req,
		func(w *writing, c card.Card) (card.Card, error) {
			return c.ArchiveBy(req.CustomerID, w.Now())
		})
	return err
}

// changeCard is the frame of an act on one stored card: the customer may act, the card is there,
// the rule decides, the change is kept.
func (s *Service) changeCard(
	ctx context.Context, who Caller, act card.Act, ref CardRef,
	rule func(*writing, card.Card) (card.Card, error),
) (CardDetail, error) {
	return write(ctx, s, who, func(w *writing) (CardDetail, error) {
		before, err := w.admitTo(act, ref)
		if err != nil {
			return CardDetail{}, err
		}
		after, err := rule(w, before)
		if err != nil {
			return CardDetail{}, err
		}
		if err := w.change(before, &after); err != nil {
			return CardDetail{}, err
		}
		return w.detail(after)
	})
}
