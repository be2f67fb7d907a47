package orders

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"

	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/processor/message"
	"mintmark/internal/store"
)

// UnfetchedFiles returns the numbers of the order files that the card processor has not fetched, as
// far as is known, in order.
func (s *Service) UnfetchedFiles(ctx context.Context) ([]int, error) {
	return store.ViewOf(ctx, s.Store, func(r store.Tx) ([]int, error) {
		return r.Orders().ListFiles()
	})
}

// FileFetched settles the orders of a file that the card processor has fetched, as its report
// order.Taken would. An order that another transaction is changing is left for the next call.
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

// unwrittenWith returns the files with an order that have a number but are not written yet, for
// example because the disk is full: they will be written.
func unwrittenWith(r store.Tx, o order.Order) (with []store.File, err error) {
	files, err := r.Files().ListUnwritten(math.MaxInt32)
	for _, file := range files {
		if bytes.Contains(file.Text, []byte(o.PublicID())) {
			with = append(with, file)
		}
	}
	return with, err
}

// withdraw removes an order from the files that are not written yet. They keep their numbers, even
// without any order. An order that must still be sent goes into a later file, in its later state.
func withdraw(tx *issuing.Tx, o order.Order) error {
	files, err := unwrittenWith(tx, o)
	for _, file := range files {
		if err := removeFromFile(tx, file, o); err != nil {
			return fmt.Errorf("remove order %d from orders-%d.jsonl: %w", o.ID, file.Sequence, err)
		}
	}
	return err
}

func removeFromFile(tx *issuing.Tx, file store.File, o order.Order) error {
	decoded, err := message.DecodeFile(file.Text)
	if err != nil {
		return err
	}
	lines, err := message.WithoutOrder(decoded, o.PublicID())
	if err != nil {
		return err
	}
	file.Text, file.Digest, err = message.EncodeFile(file.Sequence, lines)
	if err != nil {
		return err
	}
	file.Count = len(lines)
	return tx.Files().Change(file)
}
