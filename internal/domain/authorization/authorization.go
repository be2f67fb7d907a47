// Package authorization decides about card-based transfers: whether a purchase, a withdrawal or a
// deposit is approved, which account of the card pays, and what each step does to the balances of
// that account and to the sums that limits are compared with. It knows no clock and no database:
// package issuing hands in what was read and stores what comes out.
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
	User    Usage
	Program ProgramUsage
}

// Question is what a decision is about: the transfer with what bears on the answer.
type Question struct {
	Transfer
	Currency  string // of the amount; empty when the message does not say
	Partial   bool   // less may be approved
	AccountID int    // the only account that may pay: that of a hold that grows; 0 for any
}

// Decision is the answer to a transfer.
type Decision struct {
	Reason    Reason
	AccountID int          // which account pays or is paid; 0 when declined
	Amount    value.Amount // how much is approved
}

// Approved reports whether the transfer was approved.
func (d Decision) Approved() bool { return d.Reason == Approved }

// Why holds the numbers that a decision went by.
type Why struct {
	Obstacle *Obstacle `json:"obstacle,omitempty"` // what declined the transfer before any amount counted
	Limit    *Exceeded `json:"limit,omitempty"`    // that did not allow the amount
	Tried    []Tried   `json:"tried,omitempty"`    // the accounts in their order, up to the one that pays
}

// Obstacle is what declined a transfer, as it was at that moment: the members of one reason.
type Obstacle struct {
	CardStatus card.Status   `json:"cardStatus,omitempty"`
	LockType   card.LockType `json:"lockTypeCode,omitempty"`
	LockReason card.Reason   `json:"lockReasonTypeCode,omitempty"`
	LastMonth  string        `json:"lastMonth,omitempty"`  // of the card, such as 2026-06
	CustomerID int           `json:"customerId,omitempty"` // the creator or the holder
	Customer   string        `json:"customer,omitempty"`   // what keeps that customer from paying
	Currency   string        `json:"currency,omitempty"`   // of the program
}

// Exceeded is a limit that did not allow an amount.
type Exceeded struct {
	Name  string        `json:"name"` // of the member of the program object
	Least *value.Amount `json:"minimumAmount,omitempty"`
	Most  *value.Amount `json:"maximumAmount,omitempty"`
	Sum   value.Amount  `json:"sum"` // that was compared, the amount among it
}

// Tried is an account that was asked to pay, as it was at that moment.
type Tried struct {
	AccountID int                    `json:"accountId"`
	Status    customer.AccountStatus `json:"status"`
	Available value.Amount           `json:"availableBalance"`
}

// Rules are what a program allows.
type Rules struct {
	Limits          // of the direction
	Currency string // of its amounts; empty for any
	Decimals int    // the most digits that an amount has after the decimal point
}

// Decide answers a transfer: with the account, or with the first reason that declines it. The time
// is in the zone of the program. The sums of the view are those of now: see Usage.At.
func Decide(q Question, v View, rules Rules, now time.Time) (Decision, Why) {
	if reason, obstacle := v.refusal(now); reason != "" {
		return Decision{Reason: reason}, Why{Obstacle: obstacle}
	}
	if q.Currency != "" && rules.Currency != "" && q.Currency != rules.Currency {
		return Decision{Reason: OtherCurrency}, Why{Obstacle: &Obstacle{Currency: rules.Currency}}
	}
	if room := rounded(rules.room(v.User, v.Program.UpperBound()), rules.Decimals); q.Partial &&
		room.TenThousandths > 0 {
		q.Amount = lesser(q.Amount, room)
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

// refusal returns the first reason for which the card cannot be used at all, empty when it can, and
// the obstacle.
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

// choose returns the first open account that can pay, and those that were asked. Without a category
// those of the primary category are asked, whose first is the primary account.
func (v View) choose(q Question) (Decision, []Tried) {
	category := q.Category
	if category == "" {
		category = v.Card.PrimaryCategory
	}
	asks := v.Card.Slots.Of(category)
	if q.AccountID != 0 {
		asks = []int{q.AccountID}
	}
	reason := NoAccount
	var tried []Tried
	for _, id := range asks {
		account, known := v.Accounts[id]
		if !known {
			continue
		}
		available := account.Available
		tried = append(tried, Tried{id, account.Status, available.Fixed(available.Digits())})
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

// Payer returns the account that pays what was decided elsewhere: the one that would pay, else the
// primary account, 0 when there is none.
func (v View) Payer(q Question) int {
	if d, _ := v.choose(q); d.Approved() {
		return d.AccountID
	}
	if first := v.Card.Slots.Of(v.Card.PrimaryCategory); len(first) > 0 {
		return first[0]
	}
	return 0
}

// chooseRichest approves what the open account with the greatest available balance has, the first
// of several. It declines when that is nothing, or less than the limits allow.
func (v View) chooseRichest(tried []Tried, rules Rules) Decision {
	best := Decision{Reason: InsufficientFunds}
	for _, t := range tried {
		has := rounded(t.Available, rules.Decimals)
		if t.Status == customer.Open && has.TenThousandths > best.Amount.TenThousandths {
			best = Decision{Approved, t.AccountID, has}
		}
	}
	if best.Approved() && rules.exceeded(best.Amount, v.User, v.Program.UpperBound()) != nil {
		return Decision{Reason: InsufficientFunds}
	}
	return best
}

// rounded leaves off what is finer than a number of digits after the decimal point.
func rounded(a value.Amount, digits int) value.Amount {
	unit := int64(1)
	for range value.AmountDigits - digits {
		unit *= 10
	}
	return value.Amount{TenThousandths: a.TenThousandths - a.TenThousandths%unit}
}

func lesser(a, b value.Amount) value.Amount {
	if b.TenThousandths < a.TenThousandths {
		return b
	}
	return a
}
