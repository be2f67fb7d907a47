package authorization

import (
	"errors"
	"math"
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
)

// Account is the part of an account that transfers change. Its available balance is its balance
// less its active holds and less what the bank itself has set aside, which is zero unless a loaded
// file says otherwise. Every step preserves that: Hold and Release change Available and Held, Post
// changes Balance and Available.
type Account struct {
	ID         int
	ProgramID  int
	CustomerID int // the owner
	Status     customer.AccountStatus

	Balance   value.Amount
	Available value.Amount
	Held      value.Amount // sum of the active holds
	Modified  time.Time    // when a balance last changed

	Revision int // of the stored row
}

// ErrRange is returned when a balance or a sum would overflow.
var ErrRange = errors.New("authorization: the amount is too large for the account")

// Covers reports whether the account can pay. A deposit needs no balance.
func (a Account) Covers(t Transfer) bool {
	return t.Kind == Deposit || a.Available.TenThousandths >= t.Amount.TenThousandths
}

// Hold places a hold: it lowers the available balance but not the balance. A hold for a deposit
// changes neither, because a deposit counts only once it is posted.
func (a Account) Hold(h Hold) (Account, error) {
	if h.Kind == Deposit {
		return a, nil
	}
	return a.moved(0, h.Amount.TenThousandths, h.Placed)
}

// Release ends a hold and makes its amount available again.
func (a Account) Release(h Hold, now time.Time) (Account, error) {
	if h.Kind == Deposit {
		return a, nil
	}
	return a.moved(0, -h.Amount.TenThousandths, now)
}

// Adjust changes the amount of a hold by more, which may be negative.
func (a Account) Adjust(kind Kind, more int64, now time.Time) (Account, error) {
	if kind == Deposit {
		return a, nil
	}
	return a.moved(0, more, now)
}

// Post changes the balance by the amount of a posting. A posting may be smaller or larger than its
// hold, and may take the balance below zero.
func (a Account) Post(kind Kind, amount value.Amount, now time.Time) (Account, error) {
	if kind.Direction() == Withdraws {
		return a.moved(-amount.TenThousandths, 0, now)
	}
	return a.moved(amount.TenThousandths, 0, now)
}

// moved changes the balance and the held amount; the available balance follows.
func (a Account) moved(balance, held int64, now time.Time) (Account, error) {
	var fits [4]bool
	a.Balance, fits[0] = addChecked(a.Balance, balance)
	a.Held, fits[1] = addChecked(a.Held, held)
	a.Available, fits[2] = addChecked(a.Available, balance-held)
	_, fits[3] = addChecked(a.Available, a.Held.TenThousandths) // the store keeps this sum in a column
	if fits != [4]bool{true, true, true, true} {
		return Account{}, ErrRange
	}
	a.Modified = now
	return a, nil
}

// addChecked adds ten-thousandths to an amount, and reports whether the sum fits.
func addChecked(a value.Amount, more int64) (value.Amount, bool) {
	sum := a.TenThousandths + more
	if more > 0 && sum < a.TenThousandths || more < 0 && sum > a.TenThousandths ||
		sum == math.MinInt64 {
		return a, false
	}
	a.TenThousandths = sum
	return a, true
}
