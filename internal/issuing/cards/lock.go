package cards

import (
	"context"

	"mintmark/internal/domain/card"
	"mintmark/internal/issuing"
)

// LockRequest requests that a card be locked or hotlisted.
type LockRequest struct {
	issuing.CardRef
	LockReasonTypeCode string `json:"lockReasonTypeCode"`
}

// Lock locks a card until it is unlocked, or permanently with the reason FRD (interface §8.7).
func (s *Service) Lock(
	ctx context.Context, who issuing.Caller, req LockRequest,
) (CardDetail, error) {
	reason, err := card.LockReason(req.LockReasonTypeCode)
	if err != nil {
		return CardDetail{}, err
	}
	return issuing.Write(ctx, s.Service, who, lockBy(card.LockCard, req.CardRef, reason))
}

// Hotlist locks a card permanently (interface §8.8 and §8.9).
func (s *Service) Hotlist(
	ctx context.Context, who issuing.Caller, req LockRequest,
) (CardDetail, error) {
	reason, err := card.HotlistReason(req.LockReasonTypeCode)
	if err != nil {
		return CardDetail{}, err
	}
	return issuing.Write(ctx, s.Service, who, lockBy(card.Hotlist, req.CardRef, reason))
}

// lockBy returns an act that locks a card.
func lockBy(
	act card.Act, ref issuing.CardRef, reason card.Reason,
) func(*issuing.Tx) (CardDetail, error) {
	return func(tx *issuing.Tx) (CardDetail, error) {
		view, err := loadCard(tx, act, ref)
		if err != nil {
			return CardDetail{}, err
		}
		after, err := view.Card.LockByCustomer(reason, tx.Now())
		if err != nil {
			return CardDetail{}, err
		}
		return saveAndShow(tx, view, after)
	}
}

// Unlock clears a customer's lock (interface §8.10).
func (s *Service) Unlock(
	ctx context.Context, who issuing.Caller, req issuing.CardRef,
) (CardDetail, error) {
	return issuing.Write(ctx, s.Service, who, func(tx *issuing.Tx) (CardDetail, error) {
		view, err := loadCard(tx, card.Unlock, req)
		if err != nil {
			return CardDetail{}, err
		}
		after, err := view.Card.UnlockByCustomer(tx.Now())
		if err != nil {
			return CardDetail{}, err
		}
		return saveAndShow(tx, view, after)
	})
}
