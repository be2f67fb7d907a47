package issuing

import (
	"context"

	"mintmark/internal/domain/card"
)

// Archive puts a card away for ever and answers nothing (interface §8.13).
func (s *Service) Archive(ctx context.Context, who Caller, req CardRef) error {
	_, err := write(ctx, s, who, func(w *writeTx) (CardDetail, error) {
		found, err := w.loadCard(card.Archive, req)
		if err != nil {
			return CardDetail{}, err
		}
		return w.saveAndShow(found, found.Card.Archive(w.tx.Now()))
	})
	return err
}
