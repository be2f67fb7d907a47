// Package authorization decides about card-based transfers: whether a purchase, a withdrawal or a
// deposit is approved, which account of the card pays, and what each step does to the balances of
// that account and to the sums that limits are compared with. It knows no clock and no database:
// package issuing hands in what was read and stores what comes out.
//
// Money is exact. Every amount is a whole number of ten-thousandths, and a sum that does not fit is
// an error rather than a wrong number.
package authorization

import (
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
)

// Kind is what the holder of a card does with it.
type Kind string

// The kinds of transfer.
const (
	Purchase   Kind = "purchase"
	Withdrawal Kind = "withdrawal"
	Deposit    Kind = "deposit"
)

// Kinds lists the kinds of transfer.
var Kinds = []Kind{Purchase, Withdrawal, Deposit}

// Direction says which way money moves. Limits are set for each direction.
type Direction string

// The directions. Purchases and withdrawals share one.
const (
	Withdraws Direction = "withdraw"
	Deposits  Direction = "deposit"
)

// Direction tells whether money leaves the account or comes to it.
func (k Kind) Direction() Direction {
	if k == Deposit {
		return Deposits
	}
	return Withdraws
}

// Reason says why a transfer is approved or declined.
type Reason string

// The reasons, in their order: the first that holds is the answer.
const (
	UnknownCard       Reason = "unknownCard"
	CardStatus        Reason = "cardStatus"
	Locked            Reason = "locked"
	Expired           Reason = "expired"
	Customer          Reason = "customer"
	OverLimit         Reason = "limit"
	NoAccount         Reason = "noAccount"
	InsufficientFunds Reason = "insufficientFunds"
	Approved          Reason = "approved"
)

// Reasons lists the reasons in their order.
var Reasons = []Reason{
	UnknownCard, CardStatus, Locked, Expired, Customer, OverLimit, NoAccount, InsufficientFunds,
	Approved,
}

// Transfer is what the processor asks about.
type Transfer struct {
	Kind     Kind
	Category card.Category // empty when the transfer names none
	Amount   value.Amount  // more than zero
}

// Card is what a decision needs to know of a card.
type Card struct {
	ID              int
	ProgramID       int
	CreatorID       int // whose limits count
	HolderID        int
	Status          card.Status
	Lock            card.Lock
	ExpireMonth     int
	ExpireYear      int
	Slots           card.Slots
	PrimaryCategory card.Category
}

// View is everything that is read for a decision. The ID of its card is 0 when there is no such
// card, and then the rest is empty.
type View struct {
	Card            Card
	Creator, Holder customer.Standing
	Accounts        map[int]Account // those on the card, by their number
	ProgramRevision int             // of the settings that hold the limits

	// User and Program are the sums of the transfer's direction. Without a row in the store they
	// have the revision 0.
	User, Program Usage
}

// Decision is the answer to a transfer.
type Decision struct {
	Reason    Reason
	AccountID int // which account pays or is paid; 0 when declined
}

// Approved reports whether the transfer was approved.
func (d Decision) Approved() bool { return d.Reason == Approved }

// Decide answers a transfer: with the account, or with the first reason that declines it. The time
// is in the zone of the program. The sums of the view are those of now: see Usage.At.
func Decide(t Transfer, v View, limits Limits, now time.Time) Decision {
	if reason := v.refusal(now); reason != "" {
		return Decision{Reason: reason}
	}
	if !limits.allow(t.Amount, v.User, v.Program) {
		return Decision{Reason: OverLimit}
	}
	return v.choose(t)
}

// refusal returns the first reason for which the card cannot be used at all, empty when it can.
func (v View) refusal(now time.Time) Reason {
	switch {
	case v.Card.ID == 0:
		return UnknownCard
	case v.Card.Status != card.Verified:
		return CardStatus
	case v.Card.Lock.Type != card.Unlocked:
		return Locked
	case v.Card.expired(now):
		return Expired
	case !v.Creator.MayPay() || !v.Holder.MayPay():
		return Customer
	}
	return ""
}

// expired reports whether the month in which the card expires is over.
func (c Card) expired(now time.Time) bool {
	year, month, _ := now.Date()
	return year*12+int(month) > c.ExpireYear*12+c.ExpireMonth
}

// choose returns the first open account that can pay. Without a category those of the primary
// category are asked, whose first is the primary account.
func (v View) choose(t Transfer) Decision {
	category := t.Category
	if category == "" {
		category = v.Card.PrimaryCategory
	}
	reason := NoAccount
	for _, id := range v.Card.Slots.Of(category) {
		account, known := v.Accounts[id]
		if !known || account.Status != customer.Open {
			continue
		}
		if account.Covers(t) {
			return Decision{Approved, id}
		}
		reason = InsufficientFunds
	}
	return Decision{Reason: reason}
}
