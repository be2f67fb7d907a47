package orders

import (
	"context"
	"errors"

	"mintmark/internal/domain/order"
	"mintmark/internal/store"
)

// UnfetchedFiles returns the numbers of the files of orders that the card processor has not
// fetched, as far as is known, in their order.
func (s *Service) UnfetchedFiles(ctx context.Context) ([]int, error) {
	return store.ViewOf(ctx, s.Store, func(r store.Tx) ([]int, error) {
		return r.Orders().ListFiles()
	})
}

// FileFetched settles the orders of a file that the card processor has fetched, as its report that
// it has taken them would. An order that another transaction is changing is left for the next call.
func (s *Service) FileFetched(ctx context.Context, number int) error {
	query := store.OrderQuery{File: number, Limit: ordersAtOnce}
	for {
		listed, err := store.ViewOf(ctx, s.Store, func(r store.Tx) ([]order.Order, error) {
			return r.Orders().List(query)
		})
		if err != nil || len(listed) == 0 {
			return err
		}
		err = s.Store.Dispatch(ctx, func(o store.OrderQueue) error {
			return settleFetched(o, listed, number)
		})
		if err != nil {
			return err
		}
		query.Before = listed[len(listed)-1].ID
	}
}

func settleFetched(o store.OrderQueue, listed []order.Order, number int) error {
	for _, row := range listed {
		before, err := o.Find(row.ID)
		if errors.Is(err, store.ErrNotFound) || err == nil && before.File != number {
			continue
		}
		if err == nil {
			err = settleIn(o, before, order.Taken.Event(before.Kind), order.Note{})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
