package orders

import (
	"context"
	"errors"

	"mintmark/internal/domain/order"
	"mintmark/internal/store"
)

// UnknownOrder returns the first of some public identifiers that no order has; empty when there is
// none such.
func (s *Service) UnknownOrder(ctx context.Context, orderIDs []string) (string, error) {
	unknown := ""
	err := s.Store.View(ctx, func(r store.Tx) error {
		for _, public := range orderIDs {
			number, ok := order.ParseID(public)
			o, err := order.Order{}, store.ErrNotFound
			if ok {
				o, err = r.Orders().Find(number)
			}
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			if err != nil || !o.Is(public) {
				unknown = public
				return nil
			}
		}
		return nil
	})
	return unknown, err
}
