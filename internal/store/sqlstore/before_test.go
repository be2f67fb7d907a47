package sqlstore_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/store"
)

// openWithOldRows opens a database with the current tables and rows of the first versions, for
// statements of the previous version.
func (e engine) openWithOldRows(t *testing.T) (store.Store, *sql.DB) {
	t.Helper()
	driver, name := e.connect(t)
	kept, err := e.open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeStore(t, kept) })
	db := connected(t, driver, name)
	for _, file := range []string{"00001_programs.sql", "00002_customers.sql", "00003_cards.sql"} {
		rows, err := os.ReadFile(filepath.Join("testdata/rows", file))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), string(rows)); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	return kept, db
}

// TestHoldsWithPreviousVersion lets the previous version write the balances of a loaded file while
// a hold is open. The hold must stay in force, and its release must return only the held amount.
func TestHoldsWithPreviousVersion(t *testing.T) {
	t.Parallel()
	for name, e := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept, db := e.openWithOldRows(t)
			amount := func(n int64) value.Amount { return value.Amount{TenThousandths: n} }
			want := func(available int64) (account authorization.Account) {
				err := kept.View(context.Background(), func(r store.Tx) (err error) {
					account, err = r.Balances().Find(2001)
					return err
				})
				if err != nil || account.Available != amount(available) {
					t.Errorf("available is %s (%v), want %s", account.Available, err,
						amount(available))
				}
				return account
			}
			change := func(a authorization.Account) {
				err := kept.Update(context.Background(), func(tx store.Tx) error {
					return tx.Balances().Change(a)
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			a := want(1)
			a.Balance, a.Available, a.Held = amount(1000), amount(700), amount(300)
			change(a)
			want(700)
			_, err := db.ExecContext(t.Context(), `UPDATE accounts SET balance = 500,
				available_balance = 500, revision = revision + 1 WHERE account_id = 2001`)
			if err != nil {
				t.Fatal(err)
			}
			a, err = want(200).Release(authorization.Hold{
				Kind: authorization.Purchase, Amount: amount(300),
			}, a.Modified)
			if err != nil {
				t.Fatal(err)
			}
			change(a)
			want(500)
		})
	}
}
