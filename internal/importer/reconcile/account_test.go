package reconcile

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
	"mintmark/internal/store/reconciled"
)

func money(exact int64) value.Amount { return value.Amount{TenThousandths: exact} }

// TestCompareAccounts checks the differences, those explained by a change, and the accounts that
// are not compared.
func TestCompareAccounts(t *testing.T) {
	t.Parallel()
	earlier := at.Add(-time.Hour)
	kept := reconciled.Account{
		ID: 9, Status: customer.Open, Balance: money(1_000_000), Available: money(700_000),
		Held: money(300_000), Changed: earlier,
	}
	changed, closed := kept, kept
	changed.Changed, closed.Status = at, customer.Closed
	differs := func(sort reconciled.DifferenceKind, there string) []reconciled.Difference {
		return []reconciled.Difference{{
			Sort: sort, ID: 9, Here: "100.00", There: there, Available: "70.00", Holds: "30.00",
		}}
	}
	rows := []struct {
		name             string
		there            *Account
		here             *reconciled.Account
		found, explained []reconciled.Difference
		apart            bool
	}{
		{name: "equal", there: &Account{9, money(1_000_000)}, here: &kept},
		{name: "one ten-thousandth", there: &Account{9, money(1_000_001)}, here: &kept,
			found: differs(reconciled.Balance, "100.0001")},
		{name: "moved since", there: &Account{9, money(990_000)}, here: &changed,
			explained: differs(reconciled.Balance, "99.00")},
		{name: "not there", here: &kept, found: differs(reconciled.MissingThere, "")},
		{name: "opened since", here: &changed, explained: differs(reconciled.MissingThere, "")},
		{name: "closed, not there", here: &closed, apart: true},
		{name: "closed, another balance", there: &Account{9, money(0)}, here: &closed,
			found: differs(reconciled.Balance, "0.00")},
		{name: "not here", there: &Account{9, money(-5)}, found: []reconciled.Difference{{
			Sort: reconciled.MissingHere, ID: 9, There: "-0.0005",
		}}},
	}
	for _, row := range rows {
		differences, explained, compared := compareAccounts(row.there, row.here, at, 2)
		if !cmp.Equal(differences, row.found) || !cmp.Equal(explained, row.explained) ||
			compared == row.apart {
			t.Errorf("%s: %+v, explained %+v, compared %v", row.name, differences, explained, compared)
		}
	}
}
