package cards

import (
	"context"

	"mintmark/internal/domain/card"
	"mintmark/internal/issuing"
)

// Archive archives a card permanently and returns no data (interface §8.13).
func (s *Service) Archive(ctx context.Context, who issuing.Caller, req issuing.CardRef) error {
	_, err := issuing.Write(ctx, s.Service, who, func(tx *issuing.Tx) (CardDetail, error) {
		view, err := loadCard(tx, card.Archive, req)
		if err != nil {
			return CardDetail{}, err
		}
		return saveAndShow(tx, view, view.Card.Archive(tx.Now()))
	})
	return err
}
