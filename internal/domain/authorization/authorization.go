// Package authorization decides card-based transfers: whether to approve a purchase, a withdrawal
// or a deposit, which account of the card pays, and how each step changes the balances of that
// account and the sums that limits are compared with. It uses no clock and no database: package
// issuing passes in what it has read and stores the result.
//
// Money is exact. Every amount is a whole number of ten-thousandths, and a sum that does not fit is
// an error rather than a wrong number.
package authorization

import (
	"fmt"
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
)

// Kind is the kind of a transfer.
type Kind string

// The kinds of transfer.
const (
	Purchase   Kind = "purchase"
	Withdrawal Kind = "withdrawal"
	Deposit    Kind = "deposit"
)

// Kinds lists the kinds of transfer.
var Kinds = []Kind{Purchase, Withdrawal, Deposit}

// Direction is the direction in which money moves. Limits are set per direction.
type Direction string

// The directions. Purchases and withdrawals share Withdraws.
const (
	Withdraws Direction = "withdraw"
	Deposits  Direction = "deposit"
)

// Direction returns whether money leaves the account or arrives in it.
func (k Kind) Direction() Direction {
	if k == Deposit {
		return Deposits
	}
	return Withdraws
}

// Reason is the reason why a transfer is approved or declined.
type Reason string

// The reasons in order: the decision gives the first that applies.
const (
	Reversed          Reason = "reversed"
	UnknownCard       Reason = "unknownCard"
	CardStatus        Reason = "cardStatus"
	Locked            Reason = "locked"
	Expired           Reason = "expired"
	Customer          Reason = "customer"
	OtherCurrency     Reason = "currency"
	OverLimit         Reason = "limit"
	NoAccount         Reason = "noAccount"
	InsufficientFunds Reason = "insufficientFunds"
	Approved          Reason = "approved"
)

// Reasons lists the reasons in their order.
var Reasons = []Reason{
	Reversed, UnknownCard, CardStatus, Locked, Expired, Customer, OtherCurrency, OverLimit, NoAccount,
	InsufficientFunds, Approved,
}

// Transfer is a transfer that the processor asks Mintmark to approve.
type Transfer struct {
	Kind     Kind
	Category card.Category // empty if the transfer names none
	Amount   value.Amount  // more than zero
}

// Card holds the properties of a card that a decision needs.
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

// View is everything that is read for a decision. If there is no such card, its Card.ID is 0 and
// the rest is empty.
type View struct {
	Card            Card
	Creator, Holder customer.Standing
	Accounts        map[int]Account // accounts on the card, by ID
	ProgramRevision int             // of the settings that hold the limits

	// User and Program are the sums for the transfer's direction. Their revision is 0 if the store
	// has no row.
	User    Usage
	Program ProgramUsage
}

// Question is a transfer to decide, with the details that affect the decision.
type Question struct {
	Transfer
	Currency  string // of the amount; empty if the message names none
	Partial   bool   // a smaller amount may be approved
	AccountID int    // the only account that may pay: that of a growing hold; 0 for any
}

// Decision is the decision on a transfer.
type Decision struct {
	Reason    Reason
	AccountID int          // the account that pays or is paid; 0 if declined
	Amount    value.Amount // the approved amount
}

// Approved reports whether the transfer was approved.
func (d Decision) Approved() bool { return d.Reason == Approved }

// Why holds the figures on which a decision is based.
type Why struct {
	Obstacle *Obstacle           `json:"obstacle,omitempty"` // declined it before any amount counted
	Limit    *Exceeded           `json:"limit,omitempty"`    // did not allow the amount
	Tried    []ConsideredAccount `json:"tried,omitempty"`    // accounts in order, up to the one that pays
}

// Obstacle describes what declined a transfer, as of the decision. Only the members for its reason
// are set.
type Obstacle struct {
	CardStatus card.Status   `json:"cardStatus,omitempty"`
	LockType   card.LockType `json:"lockTypeCode,omitempty"`
	LockReason card.Reason   `json:"lockReasonTypeCode,omitempty"`
	LastMonth  string        `json:"lastMonth,omitempty"`  // of the card, for example 2026-06
	CustomerID int           `json:"customerId,omitempty"` // the creator or the holder
	Customer   string        `json:"customer,omitempty"`   // why that customer may not pay
	Currency   string        `json:"currency,omitempty"`   // of the program
}

// Exceeded is a limit that did not allow an amount.
type Exceeded struct {
	Name  string        `json:"name"` // member of the program object
	Least *value.Amount `json:"minimumAmount,omitempty"`
	Most  *value.Amount `json:"maximumAmount,omitempty"`
	Sum   value.Amount  `json:"sum"` // the compared sum, including the amount
}

// ConsideredAccount is an account that was considered for payment, as of the decision.
type ConsideredAccount struct {
	AccountID int                    `json:"accountId"`
	Status    customer.AccountStatus `json:"status"`
	Available value.Amount           `json:"availableBalance"`
}

// Rules holds what a program allows.
type Rules struct {
	Limits          // of the direction
	Currency string // of its amounts; empty for any
	Decimals int    // maximum number of decimal places of an amount
}

// Decide decides a transfer: it approves it with an account, or declines it with the first reason
// that applies. now is in the time zone of the program. The sums in the view must be as of now: see
// Usage.At.
func Decide(q Question, v View, rules Rules, now time.Time) (Decision, Why) {
	if reason, obstacle := v.refusal(now); reason != "" {
		return Decision{Reason: reason}, Why{Obstacle: obstacle}
	}
	if q.Currency != "" && rules.Currency != "" && q.Currency != rules.Currency {
		return Decision{Reason: OtherCurrency}, Why{Obstacle: &Obstacle{Currency: rules.Currency}}
	}
	if room := truncated(rules.room(v.User, v.Program.UpperBound()), rules.Decimals); q.Partial &&
		room.TenThousandths > 0 {
		q.Amount = minAmount(q.Amount, room)
	}
	if exceeded := rules.exceeded(q.Amount, v.User, v.Program.UpperBound()); exceeded != nil {
		return Decision{Reason: OverLimit}, Why{Limit: exceeded}
	}
	d, tried := v.choose(q)
	if d.Reason == InsufficientFunds && q.Partial {
		d = v.chooseRichest(tried, rules)
	}
	return d, Why{Tried: tried}
}

// refusal returns the first reason why the card cannot be used at all, with the obstacle, or an
// empty reason.
func (v View) refusal(now time.Time) (Reason, *Obstacle) {
	switch c := v.Card; {
	case c.ID == 0:
		return UnknownCard, nil
	case c.Status != card.Verified:
		return CardStatus, &Obstacle{CardStatus: c.Status}
	case c.Lock.Type != card.Unlocked:
		return Locked, &Obstacle{LockType: c.Lock.Type, LockReason: c.Lock.Reason}
	case c.expired(now):
		return Expired, &Obstacle{LastMonth: fmt.Sprintf("%04d-%02d", c.ExpireYear, c.ExpireMonth)}
	}
	for _, who := range []customer.Standing{v.Creator, v.Holder} {
		if !who.MayPay() {
			return Customer, &Obstacle{CustomerID: who.ID, Customer: who.Obstacle()}
		}
	}
	return "", nil
}

// expired reports whether the month in which the card expires is over.
func (c Card) expired(now time.Time) bool {
	year, month, _ := now.Date()
	return year*12+int(month) > c.ExpireYear*12+c.ExpireMonth
}

// choose returns the first open account that can pay, and all accounts that it tried. If the
// transfer names no category, choose tries the accounts of the primary category, which start with
// the primary account.
func (v View) choose(q Question) (Decision, []ConsideredAccount) {
	category := q.Category
	if category == "" {
		category = v.Card.PrimaryCategory
	}
	asks := v.Card.Slots.Of(category)
	if q.AccountID != 0 {
		asks = []int{q.AccountID}
	}
	reason := NoAccount
	var tried []ConsideredAccount
	for _, id := range asks {
		account, known := v.Accounts[id]
		if !known {
			continue
		}
		available := account.Available
		tried = append(tried, ConsideredAccount{id, account.Status, available.Fixed(available.Digits())})
		if account.Status != customer.Open {
			continue
		}
		if account.Covers(q.Transfer) {
			return Decision{Approved, id, q.Amount}, tried
		}
		reason = InsufficientFunds
	}
	return Decision{Reason: reason}, tried
}

// Payer returns the account that pays a transfer that was decided elsewhere: the one that would
// pay, or else the primary account, or 0 if there is none.
func (v View) Payer(q Question) int {
	if d, _ := v.choose(q); d.Approved() {
		return d.AccountID
	}
	if first := v.Card.Slots.Of(v.Card.PrimaryCategory); len(first) > 0 {
		return first[0]
	}
	return 0
}

// chooseRichest approves the available balance of the open account that has the most, the first of
// several. It declines if that is nothing, or if a limit does not allow it.
func (v View) chooseRichest(tried []ConsideredAccount, rules Rules) Decision {
	best := Decision{Reason: InsufficientFunds}
	for _, t := range tried {
		has := truncated(t.Available, rules.Decimals)
		if t.Status == customer.Open && has.TenThousandths > best.Amount.TenThousandths {
			best = Decision{Approved, t.AccountID, has}
		}
	}
	if best.Approved() && rules.exceeded(best.Amount, v.User, v.Program.UpperBound()) != nil {
		return Decision{Reason: InsufficientFunds}
	}
	return best
}

// truncated truncates an amount to a number of decimal places.
func truncated(a value.Amount, digits int) value.Amount {
	unit := int64(1)
	for range value.AmountDigits - digits {
		unit *= 10
	}
	return value.Amount{TenThousandths: a.TenThousandths - a.TenThousandths%unit}
}

func minAmount(a, b value.Amount) value.Amount {
	if b.TenThousandths < a.TenThousandths {
		return b
	}
	return a
}
