package sqlstore_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/testkit/pgtest"
)

// BenchmarkClaim claims and settles an order while other orders are stuck: each on another card,
// waiting for its next attempt, or all on one card behind a held order.
func BenchmarkClaim(b *testing.B) {
	const stuck = 100_000
	for engine, open := range map[string]func(*testing.B) (db.Engine, error){
		"embedded": func(b *testing.B) (db.Engine, error) {
			path := filepath.Join(b.TempDir(), "mintmark.db")
			return sqlite.Open(context.Background(), path, sqlite.Options{})
		},
		"postgresql": func(b *testing.B) (db.Engine, error) {
			return postgres.Open(context.Background(), pgtest.URL(b), postgres.Options{})
		},
	} {
		for _, crowd := range []struct {
			name          string
			cards, orders int
		}{{"none", 0, 0}, {"of cards", stuck, 1}, {"of one card", 1, stuck}} {
			b.Run(fmt.Sprintf("%s/stuck %s", engine, crowd.name), func(b *testing.B) {
				opened, err := open(b)
				if err != nil {
					b.Fatal(err)
				}
				kept := sqlstore.New(opened)
				defer kept.Close()
				benchmarkClaim(b, kept, crowd.cards, crowd.orders)
			})
		}
	}
}

func benchmarkClaim(b *testing.B, kept store.Store, cards, orders int) {
	now := time.Now().UTC().Truncate(time.Millisecond).Add(-time.Hour)
	update := func(fn func(store.Tx) error) {
		b.Helper()
		if err := kept.Update(context.Background(), fn); err != nil {
			b.Fatal(err)
		}
	}
	update(func(tx store.Tx) error { return claimBackground(tx) })
	for from := 1; from <= cards*orders; from += 1000 {
		update(func(tx store.Tx) error {
			for i := from; i < from+1000 && i <= cards*orders; i++ {
				cardID, sequence := 1+(i-1)/orders, 1+(i-1)%orders
				if sequence == 1 {
					if err := putClaimCard(tx, cardID, now); err != nil {
						return err
					}
				}
				o := order.Order{
					CardID: cardID, Sequence: sequence, Kind: order.Remake, State: order.Waiting,
					Created: now, NextTry: now,
				}
				switch {
				case orders == 1:
					o.NextTry = now.Add(1000 * time.Hour)
				case sequence == 1:
					o.State = order.Held
				}
				if err := tx.Orders().Put(o); err != nil {
					return err
				}
			}
			return nil
		})
	}
	const own = 1_000_000
	update(func(tx store.Tx) error { return putClaimCard(tx, own, now) })
	sequence := 0
	for b.Loop() {
		sequence++
		update(func(tx store.Tx) error {
			return tx.Orders().Put(order.Order{
				CardID: own, Sequence: sequence, Kind: order.Unlock, State: order.Waiting,
				Created: now, NextTry: now,
			})
		})
		err := kept.Dispatch(context.Background(), func(o store.OrderQueue) error {
			list, err := o.Claim(store.OrderClaim{
				Node: "node", Until: o.Now().Add(time.Minute), Limit: 1,
			})
			if err != nil || len(list) == 0 {
				return err
			}
			after, _ := list[0].After(order.IsDone, order.Note{}, o.Now())
			return o.Change(list[0], &after)
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func claimBackground(tx store.Tx) error {
	for _, err := range []error{
		tx.Banks().Put(store.Bank{ID: 1}),
		tx.Programs().Put(program.Program{Issuing: program.Issuing{ID: 1, BankID: 1}}),
		tx.Programs().PutBin(program.Bin{ID: 1, ProgramID: 1, Vendor: "VS"}),
		tx.Customers().Put(customer.Customer{Standing: customer.Standing{
			ID: 1, ProgramID: 1, Status: customer.Verified, AccessType: customer.Full,
		}}),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

func putClaimCard(tx store.Tx, id int, at time.Time) error {
	return tx.Cards().Put(&card.Card{
		ID: id, ProgramID: 1, CustomerID: 1, HolderID: 1, Type: "DBT", Vendor: "VS", BinID: 1,
		Status: card.Initiated, Lock: card.Lock{Type: card.Unlocked, Reason: card.Unknown},
		NickName: fmt.Sprint("card ", id), LastFour: "1111", ExpireMonth: 1, ExpireYear: 2030,
		PrimaryCategory: customer.Checking, Created: at, Modified: at,
	})
}
