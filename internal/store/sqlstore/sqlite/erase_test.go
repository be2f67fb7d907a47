package sqlite_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

// TestErasedPinsLeaveTheFile erases the PINs of orders, and then searches the file for them. By
// default SQLite leaves erased bytes in place until the space is reused.
func TestErasedPinsLeaveTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mintmark.db")
	s := opened(t, path)
	const orders = 500
	pin := bytes.Repeat([]byte("sealed PIN "), 9)
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	update := func(fn func(store.Tx) error) {
		t.Helper()
		if err := s.Update(context.Background(), fn); err != nil {
			t.Fatal(err)
		}
	}
	update(func(tx store.Tx) error { return putCardOfOrders(tx, at) })
	update(func(tx store.Tx) error {
		for range orders {
			err := tx.Orders().Put(order.Order{
				CardID: 1, Kind: order.SetPin, State: order.Waiting, SealedPin: pin, Created: at,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	update(func(tx store.Tx) error {
		old, err := tx.Orders().ListOldPins(1, at.Add(time.Hour), orders)
		for _, before := range old {
			after := before
			after.SealedPin, after.PinExpired = nil, at.Add(time.Hour)
			if err := tx.Orders().Change(before, &after); err != nil {
				return err
			}
		}
		return err
	})
	closed(t, s) // writes the log back into the file
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if left := bytes.Count(file, pin[:22]); left > 0 {
		t.Errorf("%d PINs are still in the file", left)
	}
}

// putCardOfOrders stores a card that orders can refer to.
func putCardOfOrders(tx store.Tx, at time.Time) error {
	for _, err := range []error{
		tx.Banks().Put(store.Bank{ID: 1}),
		tx.Programs().Put(program.Program{Issuing: program.Issuing{ID: 1, BankID: 1}}),
		tx.Programs().PutBin(program.Bin{ID: 1, ProgramID: 1, Vendor: "VS"}),
		tx.Customers().Put(customer.Customer{
			Standing: customer.Standing{
				ID: 1, ProgramID: 1, Status: customer.Verified, AccessType: customer.Full,
			},
		}),
		tx.Cards().Put(&card.Card{
			ID: 1, ProgramID: 1, CustomerID: 1, HolderID: 1, Type: "DBT", Vendor: "VS", BinID: 1,
			Status: card.Initiated, Lock: card.Lock{Type: card.Unlocked, Reason: card.Unknown},
			ExpireMonth: 1, ExpireYear: 2030, PrimaryCategory: customer.Checking,
			Created: at, Modified: at,
		}),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}
