package load

import (
	"testing"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/customer"
	"mintmark/internal/store"
)

// TestHoldsOutliveALoad checks that the amounts in a file exclude holds: the held amount is
// subtracted whatever is loaded, and does not count as a difference from the file.
func TestHoldsOutliveALoad(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, good)
	want := func(balance, available int64) {
		t.Helper()
		b.view(t, func(r store.Tx) error {
			a, _, err := r.Accounts().FindFor(1, 1, 1)
			if a.Balance.TenThousandths != balance ||
				a.AvailableBalance.TenThousandths != available {
				t.Errorf("%s and %s available", a.Balance.Fixed(4), a.AvailableBalance.Fixed(4))
			}
			return err
		})
	}
	want(12_500, 12_500) // if omitted, it is the balance
	err := b.Update(t.Context(), func(tx store.Tx) error {
		a, err := tx.Balances().Find(1)
		if err != nil {
			return err
		}
		a, err = a.Hold(authorization.Hold{
			Kind: authorization.Purchase, Amount: value.Amount{TenThousandths: 2_500},
			Placed: tx.Now(),
		})
		if err != nil {
			return err
		}
		return tx.Balances().Change(a)
	})
	if err != nil {
		t.Fatal(err)
	}
	want(12_500, 10_000)
	report, err := b.loadWith(t, goodAccount, Options{})
	if err != nil || report.counts.Differs() {
		t.Errorf("the file differs from what it has loaded: %v", err)
	}
	b.mustLoad(t, "accounts: [{accountId: 1, programId: 1, accountBalance: 3}]")
	want(30_000, 27_500)
	b.mustLoad(t, "accounts: [{accountId: 1, programId: 1, name: Other}]")
	want(30_000, 27_500)
	b.mustLoad(t, "accounts: [{accountId: 1, programId: 1, availableBalance: 2}]")
	want(30_000, 17_500) // the bank itself sets an amount aside
	b.view(t, func(r store.Tx) error {
		a, err := r.Balances().Find(1)
		if a.Held.TenThousandths != 2_500 || a.Status != customer.Open {
			t.Errorf("the account is %+v", a)
		}
		return err
	})
}
