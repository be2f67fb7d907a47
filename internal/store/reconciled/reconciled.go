// Package reconciled defines what the store holds for reconciliations: their reports, and the
// cards, balances and orders of a program with which a list of the card processor or of the core
// banking system is compared. Package reconcile decides what matches; package sqlstore has the
// statements.
package reconciled

import (
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/order"
)

// Kind is the kind of rows in a list.
type Kind string

// The kinds of list.
const (
	Cards    Kind = "cards"    // of the card processor
	Balances Kind = "balances" // of the core banking system
)

// Kinds lists the kinds of list.
var Kinds = []Kind{Cards, Balances}

// DifferenceKind is the kind of a difference between a list and the stored data.
type DifferenceKind string

// The sorts of difference.
const (
	MissingHere  DifferenceKind = "missingHere"  // in the list, but not in this program
	MissingThere DifferenceKind = "missingThere" // in this program, but not in the list
	State        DifferenceKind = "state"        // of a card
	LastFour     DifferenceKind = "lastFour"     // last digits of its PAN
	Expiry       DifferenceKind = "expiry"       // end of its validity
	Balance      DifferenceKind = "balance"      // of an account
)

// DifferenceKinds lists the sorts of difference.
var DifferenceKinds = []DifferenceKind{MissingHere, MissingThere, State, LastFour, Expiry, Balance}

// Difference is one difference between a list and the stored data.
type Difference struct {
	Sort  DifferenceKind `json:"sort"`
	ID    int            `json:"id"` // of the card or the account
	Here  string         `json:"here,omitempty"`
	There string         `json:"there,omitempty"`

	// Available and Holds belong to an account: a card draws on the available balance, which is the
	// core's balance minus the open holds.
	Available string `json:"available,omitempty"`
	Holds     string `json:"holds,omitempty"`
}

// Counts holds how many rows were compared. A row counts once, whether it is in both sides or in
// one.
type Counts struct {
	Compared  int `json:"compared"`
	Equal     int `json:"equal"`
	InFlight  int `json:"inFlight"` // differ only by an order or a change that the list lacks
	Different int `json:"different"`
}

// Report is the result of comparing a list.
type Report struct {
	ID        int // 0 before it is stored
	ProgramID int
	Kind      Kind
	At        time.Time // the time as of which its author made the list
	Made      time.Time // when it was compared
	Digest    string    // SHA-256 of the list
	Who       string    // who requested the comparison

	Counts
	BySort map[DifferenceKind]int
	// Differences are those with the smallest IDs. Lists of reports omit them.
	Differences []Difference
}

// Query selects reports. A zero field does not restrict the result.
type Query struct {
	Programs []int // nil for all
	Kind     Kind
	// Last selects only the newest report of each program and kind; not with Programs.
	Last   bool
	Before int // reports with smaller numbers
	Limit  int // never 0
}

// Card is the stored card with which a card of the processor is compared.
type Card struct {
	ID                      int
	Status                  card.Status
	Lock                    card.Lock
	LastFour                string
	ExpireYear, ExpireMonth int
	Created                 time.Time

	// Asked are the orders that the list may lack: those without a final answer of the processor,
	// except held ones, and those answered since the list was made. A lock that the processor has
	// reported since then is included as an order that requests it.
	Asked []Asked
}

// Asked is an order that a list may lack.
type Asked struct {
	Kind  order.Kind
	Since time.Time // when it was answered, or else when it was written
}

// Account is the stored account with which a balance of the core is compared.
type Account struct {
	ID                       int
	Status                   customer.AccountStatus
	Balance, Available, Held value.Amount
	// Changed is when the balance last changed, or when the account was opened. Holds do not change
	// a balance.
	Changed time.Time
}

// OrderCount is the number of orders of a kind in a state.
type OrderCount struct {
	Kind    order.Kind
	State   order.State
	Dropped bool // by an operator
	InFile  bool // sent in a file that the processor has not fetched
	Count   int
}

// OrderQuery selects orders of a program by when they were written: From is included, To is not.
type OrderQuery struct {
	ProgramID int
	From, To  time.Time

	// Failed selects the failed orders, except those that an operator dropped. Otherwise a list has
	// the orders without a final answer of the processor: waiting, held or sent.
	Failed bool
	Limit  int // of a list, never 0
}

// Reconciliations are the stored reports, and the data that lists are compared with.
type Reconciliations interface {
	// Find returns a report with its differences.
	Find(id int) (Report, error)
	// List returns reports without their differences, newest first.
	List(of Query) ([]Report, error)
	// Put inserts a report, whose ID must be 0, and assigns it the next number.
	Put(r *Report) error

	// ListCards returns at most limit cards of a program with IDs greater than after, in order.
	// Their Asked are the orders that a list made at the given time may lack.
	ListCards(programID, after, limit int, at time.Time) ([]Card, error)
	// ListAccounts returns at most limit accounts of a program with IDs greater than after, in
	// order.
	ListAccounts(programID, after, limit int) ([]Account, error)

	// CountOrders counts the selected orders by kind and state.
	CountOrders(of OrderQuery) ([]OrderCount, error)
	// ListOrders returns the selected orders, oldest first.
	ListOrders(of OrderQuery) ([]order.Order, error)
}
