package reconcile

import (
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
	"mintmark/internal/store/reconciled"
)

// Account is a row of the list of the core banking system.
type Account struct {
	ID      int
	Balance value.Amount
}

// compareAccounts returns the differences of an account, and separately those that are explained by
// a change that the list may lack. An account that is missing on one side is nil. Amounts have the
// digits that the program shows, or more if necessary. A closed account that the list leaves out is
// not compared.
func compareAccounts(
	there *Account, here *reconciled.Account, at time.Time, digits int,
) (differences, explained []reconciled.Difference, compared bool) {
	amount := func(a value.Amount) string { return a.Fixed(max(digits, a.Digits())).String() }
	if here == nil {
		return []reconciled.Difference{{
			Sort: reconciled.MissingHere, ID: there.ID, There: amount(there.Balance),
		}}, nil, true
	}
	difference := reconciled.Difference{
		Sort: reconciled.Balance, ID: here.ID, Here: amount(here.Balance),
		Available: amount(here.Available), Holds: amount(here.Held),
	}
	changed := !here.Changed.Before(at)
	switch {
	case there == nil && here.Status == customer.Closed:
		return nil, nil, false
	case there == nil:
		difference.Sort = reconciled.MissingThere
	case there.Balance.TenThousandths == here.Balance.TenThousandths:
		return nil, nil, true
	default:
		difference.There = amount(there.Balance)
	}
	if changed {
		return nil, []reconciled.Difference{difference}, true
	}
	return []reconciled.Difference{difference}, nil, true
}
