// Package order defines what the service orders from the card processor, and what the processor
// reports: orders with their kinds, states and times of retry, and reports. It knows no database
// and no HTTP. Package issuing writes orders and applies reports, package processor carries both.
package order

import (
	"time"

	"mintmark/internal/domain/customer"
)

// Kind is what the processor is asked to do.
type Kind string

// The kinds of order.
const (
	Make        Kind = "card.make"     // make a new card
	Remake      Kind = "card.remake"   // make the card again, with the same PAN
	Lock        Kind = "card.lock"     // refuse the card until it is unlocked
	Unlock      Kind = "card.unlock"   // let the card be used again
	Hotlist     Kind = "card.hotlist"  // refuse the card for ever
	Close       Kind = "card.close"    // the card is archived, replaced or denied
	SetAccounts Kind = "card.accounts" // the card draws on these accounts, in this order
	SetPin      Kind = "card.pin"      // change the PIN
)

// Kinds lists the kinds of order.
var Kinds = []Kind{Make, Remake, Lock, Unlock, Hotlist, Close, SetAccounts, SetPin}

// Urgent reports whether orders of the kind go before all others and wait for nothing but the
// order to make their own card.
func (k Kind) Urgent() bool { return k == Lock || k == Hotlist }

// State is how far an order has come.
type State string

// The states of an order.
const (
	Waiting State = "waiting" // to be sent, at once or at its next try
	Sent    State = "sent"    // accepted, or in a file to be fetched; the outcome is to come
	Done    State = "done"
	Failed  State = "failed" // refused or given up; an operator retries or drops it
	Held    State = "held"   // by an operator
)

// Blocks reports whether later orders of a card wait for one in this state. The processor has an
// order that is sent, and an order that has failed is out of the way.
func (s State) Blocks() bool { return s == Waiting || s == Held }

// Order is an order to the card processor. It is written in the transaction of its act, so that
// both are kept or neither is.
type Order struct {
	ID        int
	Token     string // the random part of its public identifier
	ProgramID int
	CardID    int
	Sequence  int // among the orders of the card: 1, 2, 3 without gaps
	Kind      Kind
	State     State
	Snapshot  Snapshot
	Created   time.Time

	// ExpireMonth and ExpireYear are the end of the card's validity when the order was written.
	ExpireMonth, ExpireYear int

	SealedPin  []byte    // empty when the order has no PIN, or has it no more
	PinExpired time.Time // when the PIN was destroyed because it was too old; zero if never

	Begun       time.Time // when an operator began the tries anew; zero if never
	Attempts    int       // since then
	LastError   string
	Unreachable bool      // the last try did not reach the processor
	Tries       []Try     // the last ones; empty as long as none has failed
	NextTry     time.Time // a waiting order is not sent before; the end of the claim on it
	ClaimedBy   string    // the node that is sending it; empty when none is
	File        int       // the number of the file that it was sent in, until that is fetched
	Ended       time.Time // when it became done or failed; zero before
	Dropped     time.Time // when an operator dropped it; zero if never

	// Revision counts the changes of the stored order. The store refuses a change that was made to
	// an older one.
	Revision int
}

// Snapshot is what the processor needs to know of the card, as it was when the order was written: a
// later change of the customer does not change a card on its way. An order holds what its kind
// needs. The whole number, the expiry and the PIN are not in it: they go sealed.
type Snapshot struct {
	Status             string `json:"status,omitempty"`
	LockTypeCode       string `json:"lockTypeCode,omitempty"`
	LockReasonTypeCode string `json:"lockReasonTypeCode,omitempty"`
	TypeCode           string `json:"typeCode,omitempty"`
	VendorTypeCode     string `json:"vendorTypeCode,omitempty"`
	BinID              int    `json:"binId,omitempty"`
	CustomerID         int    `json:"customerId,omitempty"`
	HolderID           int    `json:"cardHolderCustomerId,omitempty"`
	NameOnCard         string `json:"nameOnCard,omitempty"`
	QualifierCode      string `json:"qualifierCode,omitempty"`
	DigitalOnly        bool   `json:"isDigitalOnly,omitempty"`
	LastFour           string `json:"lastFour,omitempty"`
	// ShipTo is where the card is sent: the name and the address of its creator.
	ShipTo   *Recipient `json:"shipTo,omitempty"`
	Accounts *Accounts  `json:"accounts,omitempty"`
	// Replaces is the card that a new card is made for, ReplacedBy the new card of one that closes.
	Replaces   *CardLink `json:"replaces,omitempty"`
	ReplacedBy *CardLink `json:"replacedBy,omitempty"`
}

// CardLink names another card.
type CardLink struct {
	CardID int `json:"cardId"`
}

// WithoutPeople returns the snapshot without personal data: the name on the card, and to whom and
// where it was sent.
func (s Snapshot) WithoutPeople() Snapshot {
	s.NameOnCard, s.ShipTo = "", nil
	return s
}

// Recipient is to whom a card is sent.
type Recipient struct {
	FirstName string           `json:"firstName"`
	LastName  string           `json:"lastName"`
	Address   customer.Address `json:"address"`
}

// Accounts are what a card draws on, by category, in the order of their priorities.
type Accounts struct {
	PrimaryAccountID int   `json:"primaryAccountId"`
	Checking         []int `json:"checking"`
	Savings          []int `json:"savings"`
}

// HoldsUpLocks reports whether a card stays open at the processor while the order is held: it is to
// lock the card, or later orders to lock it wait for this one, to make a card that the processor may
// know already.
func (o Order) HoldsUpLocks() bool {
	wasSent := o.Attempts > 0 || !o.Begun.IsZero() || o.ClaimedBy != ""
	return o.Kind.Urgent() || o.Kind == Make && wasSent
}
