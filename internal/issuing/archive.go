package issuing

import (
	"context"

	"mintmark/internal/domain/card"
)

// Archive puts a card away for ever and answers nothing (interface §8.13).
func (s *Service) Archive(ctx context.Context, who Caller, req CardRef) error {
	_, err := write(ctx, s, who, func(tx *Tx) (CardDetail, error) {
		found, err := tx.loadCard(card.Archive, req)
		if err != nil {
			return CardDetail{}, err
		}
		return tx.saveAndShow(found, found.Card.Archive(tx.Now()))
	})
	return err
}
