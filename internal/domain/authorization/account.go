package authorization

import (
	"errors"
	"math"
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
)

// Account is an account as far as transfers change it. Its available balance is its balance less
// the holds that stand and less what the bank has set aside itself, which is zero unless a loaded
// file says otherwise. Every step keeps that: Hold and Release move Available and Held, Post moves
// Balance and Available.
type Account struct {
	ID         int
	ProgramID  int
	CustomerID int // the owner
	Status     customer.AccountStatus

	Balance   value.Amount
	Available value.Amount
	Held      value.Amount // the sum of the holds that stand
	Modified  time.Time    // when a balance changed

	Revision int // of the stored row
}

// ErrRange says that a balance or a sum would be too large to be held.
var ErrRange = errors.New("authorization: the amount is too large for the account")

// Covers reports whether the account can pay. A deposit needs no balance.
func (a Account) Covers(t Transfer) bool {
	return t.Kind == Deposit || a.Available.TenThousandths >= t.Amount.TenThousandths
}

// Hold places a hold: the available balance falls, the balance does not. A hold for a deposit
// changes neither, because a deposit counts when it is posted.
func (a Account) Hold(h Hold) (Account, error) {
	if h.Kind == Deposit {
		return a, nil
	}
	return a.moved(0, h.Amount.TenThousandths, h.Placed)
}

// Release ends a hold, and gives back what it held.
func (a Account) Release(h Hold, now time.Time) (Account, error) {
	if h.Kind == Deposit {
		return a, nil
	}
	return a.moved(0, -h.Amount.TenThousandths, now)
}

// Adjust changes what a hold of a kind holds, by an amount that may be less than zero.
func (a Account) Adjust(kind Kind, more int64, now time.Time) (Account, error) {
	if kind == Deposit {
		return a, nil
	}
	return a.moved(0, more, now)
}

// Post moves the balance by an amount, as it is: a posting may be smaller or larger than its hold,
// and may take a balance below zero.
func (a Account) Post(kind Kind, amount value.Amount, now time.Time) (Account, error) {
	if kind.Direction() == Withdraws {
		return a.moved(-amount.TenThousandths, 0, now)
	}
	return a.moved(amount.TenThousandths, 0, now)
}

// moved changes the balance and what is held; the available balance follows.
func (a Account) moved(balance, held int64, now time.Time) (Account, error) {
	var fits [4]bool
	a.Balance, fits[0] = plus(a.Balance, balance)
	a.Held, fits[1] = plus(a.Held, held)
	a.Available, fits[2] = plus(a.Available, balance-held)
	_, fits[3] = plus(a.Available, a.Held.TenThousandths) // the store holds this sum
	if fits != [4]bool{true, true, true, true} {
		return Account{}, ErrRange
	}
	a.Modified = now
	return a, nil
}

// plus adds ten-thousandths to an amount, and reports whether the sum fits.
func plus(a value.Amount, more int64) (value.Amount, bool) {
	sum := a.TenThousandths + more
	if more > 0 && sum < a.TenThousandths || more < 0 && sum > a.TenThousandths ||
		sum == math.MinInt64 {
		return a, false
	}
	a.TenThousandths = sum
	return a, true
}
