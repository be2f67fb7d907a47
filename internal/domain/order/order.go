// Package order defines the orders to the card processor and the processor's reports: the kinds,
// states and retry times of orders, and reports. It uses no database and no HTTP. Package issuing
// writes orders and applies reports; package processor transmits both.
package order

import (
	"time"

	"mintmark/internal/domain/customer"
)

// Kind is the kind of an order.
type Kind string

// The kinds of order.
const (
	Make        Kind = "card.make"     // make a new card
	Remake      Kind = "card.remake"   // remake the card with the same PAN
	Lock        Kind = "card.lock"     // decline transactions until the card is unlocked
	Unlock      Kind = "card.unlock"   // accept transactions again
	Hotlist     Kind = "card.hotlist"  // decline transactions permanently
	Close       Kind = "card.close"    // the card is archived, replaced or denied
	SetAccounts Kind = "card.accounts" // the card draws on these accounts, in this order
	SetPin      Kind = "card.pin"      // change the PIN
)

// Kinds lists the kinds of order.
var Kinds = []Kind{Make, Remake, Lock, Unlock, Hotlist, Close, SetAccounts, SetPin}

// Urgent reports whether orders of the kind go before all others and wait for no order except the
// one to make the same card.
func (k Kind) Urgent() bool { return k == Lock || k == Hotlist }

// State is the state of an order.
type State string

// The states of an order.
const (
	Waiting State = "waiting" // to be sent now or at the next attempt
	Sent    State = "sent"    // accepted, or in a file to be fetched; the outcome is pending
	Done    State = "done"
	Failed  State = "failed" // refused or given up; an operator can retry or drop it
	Held    State = "held"   // by an operator
)

// Blocks reports whether later orders for the same card wait for an order in this state. A sent
// order is already at the processor, and a failed order is out of the way.
func (s State) Blocks() bool { return s == Waiting || s == Held }

// Order is an order to the card processor. It is written in the transaction of its act, so that
// both are committed or neither is.
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

	// ExpireMonth and ExpireYear are the card's expiry when the order was written.
	ExpireMonth, ExpireYear int

	SealedPin  []byte    // empty if the order has no PIN or no longer has it
	PinExpired time.Time // when the PIN was destroyed because of its age; zero if never

	Begun       time.Time // when an operator last restarted the attempts; zero if never
	Attempts    int       // since then
	LastError   string
	Unreachable bool      // the last attempt did not reach the processor
	Tries       []Attempt // the most recent attempts; empty if the first did the order
	NextTry     time.Time // earliest time to send a waiting order; the end of a claim
	ClaimedBy   string    // the node that is sending it; empty if none is
	File        int       // number of the file with the order, until the processor fetches it
	Ended       time.Time // when it became done or failed; zero before
	Dropped     time.Time // when an operator dropped it; zero if never

	// Revision counts the changes of the stored order. The store rejects a change based on an older
	// revision.
	Revision int
}

// Snapshot is the data about the card that the processor needs, as of the writing of the order: a
// later change of the customer does not affect a card that is already on its way. An order contains
// what its kind needs. The full card number, the expiry and the PIN are not in it: they are sent
// encrypted.
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
	// ShipTo is the recipient of the card: the name and the address of its creator.
	ShipTo   *Recipient `json:"shipTo,omitempty"`
	Accounts *Accounts  `json:"accounts,omitempty"`
	// Replaces is the card that a new card replaces, ReplacedBy the replacement of a closed card.
	Replaces   *CardLink `json:"replaces,omitempty"`
	ReplacedBy *CardLink `json:"replacedBy,omitempty"`
}

// CardLink refers to another card.
type CardLink struct {
	CardID int `json:"cardId"`
}

// WithoutPeople returns the snapshot without personal data: the name on the card, and the
// recipient.
func (s Snapshot) WithoutPeople() Snapshot {
	s.NameOnCard, s.ShipTo = "", nil
	return s
}

// Recipient is the person and the address to which a card is sent.
type Recipient struct {
	FirstName string           `json:"firstName"`
	LastName  string           `json:"lastName"`
	Address   customer.Address `json:"address"`
}

// Accounts holds the accounts that a card draws on, by category, in order of priority.
type Accounts struct {
	PrimaryAccountID int   `json:"primaryAccountId"`
	Checking         []int `json:"checking"`
	Savings          []int `json:"savings"`
}

// BlocksLocks reports whether holding the order prevents locks from reaching the processor. It
// does if the order locks the card, or if it makes a card that the processor may already know,
// because later orders to lock the card wait for it.
func (o Order) BlocksLocks() bool {
	wasSent := o.Attempts > 0 || !o.Begun.IsZero() || o.ClaimedBy != ""
	return o.Kind.Urgent() || o.Kind == Make && wasSent
}
