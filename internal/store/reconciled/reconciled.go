// Package reconciled defines what the store keeps of reconciliations, and what they read: the
// cards, balances and orders of a program, with which a list of the card processor or of the core
// banking system is compared. Package reconcile decides what agrees; the statements are in package
// sqlstore.
package reconciled

import (
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/order"
)

// Kind is what a list holds.
type Kind string

// The kinds of list.
const (
	Cards    Kind = "cards"    // of the card processor
	Balances Kind = "balances" // of the core banking system
)

// Kinds lists the kinds of list.
var Kinds = []Kind{Cards, Balances}

// Sort is the kind of a difference between a list and the stored data.
type Sort string

// The sorts of difference.
const (
	MissingHere  Sort = "missingHere"  // the list has it, and this program does not
	MissingThere Sort = "missingThere" // the list lacks it
	State        Sort = "state"        // of a card
	LastFour     Sort = "lastFour"     // digits of its number
	Expiry       Sort = "expiry"       // the end of its validity
	Balance      Sort = "balance"      // of an account
)

// Sorts lists the sorts of difference.
var Sorts = []Sort{MissingHere, MissingThere, State, LastFour, Expiry, Balance}

// Difference is one difference between a list and what is kept here.
type Difference struct {
	Sort  Sort   `json:"sort"`
	ID    int    `json:"id"` // of the card or the account
	Here  string `json:"here,omitempty"`
	There string `json:"there,omitempty"`

	// Available and Holds belong to an account: a card draws on the available balance, which is
	// lower than what the core has said of it by the holds that stand.
	Available string `json:"available,omitempty"`
	Holds     string `json:"holds,omitempty"`
}

// Counts says how much was compared. A row in both, or in only one of them, counts once.
type Counts struct {
	Compared  int `json:"compared"`
	Equal     int `json:"equal"`
	InFlight  int `json:"inFlight"` // what differs only by an order or a change that the list lacks
	Different int `json:"different"`
}

// Report is the result of comparing a list.
type Report struct {
	ID        int // 0 before it is kept
	ProgramID int
	Kind      Kind
	At        time.Time // as of which the list is, by whoever made it
	Made      time.Time // when it was compared
	Digest    string    // SHA-256 of the list
	Who       string    // had it compared

	Counts
	BySort map[Sort]int
	// Differences are those with the smallest numbers. A list of reports leaves them out.
	Differences []Difference
}

// Query says which reports are listed. A zero field does not restrict.
type Query struct {
	Programs []int // nil for all
	Kind     Kind
	// Last restricts to the newest of each program and kind; not with Programs.
	Last   bool
	Before int // reports with smaller numbers
	Limit  int // never 0
}

// Card is what a card of the processor is compared with.
type Card struct {
	ID                      int
	Status                  card.Status
	Lock                    card.Lock
	LastFour                string
	ExpireYear, ExpireMonth int
	Created                 time.Time

	// Asked are the orders that the list may lack: those that the processor has not answered for
	// good, but for held ones, and those that it has answered since the list was made. A lock that
	// the processor has reported since then stands among them as the order that asks for it.
	Asked []Asked
}

// Asked is an order that a list may lack.
type Asked struct {
	Kind  order.Kind
	Since time.Time // when it was written; when it was answered, if it was
}

// Account is what a balance of the core is compared with.
type Account struct {
	ID                       int
	Status                   customer.AccountStatus
	Balance, Available, Held value.Amount
	// Changed is when its balance changed last, or when it was opened. No hold changes a balance.
	Changed time.Time
}

// OrderCount says how many orders of a kind are in a state.
type OrderCount struct {
	Kind    order.Kind
	State   order.State
	Dropped bool // by an operator
	InFile  bool // sent in a file that the processor has not fetched
	Count   int
}

// OrderQuery names orders of a program that were written in a span: from its beginning on, and
// before its end.
type OrderQuery struct {
	ProgramID int
	From, To  time.Time

	// Failed lists the orders that have failed, but for those that an operator has dropped. Else a
	// list has those that the processor has not answered for good: they wait, are held, or sent.
	Failed bool
	Limit  int // of a list, never 0
}

// Reconciliations are the reports that are kept, and what is compared.
type Reconciliations interface {
	// Find returns a report with its differences.
	Find(id int) (Report, error)
	// List returns reports without their differences, the newest first.
	List(of Query) ([]Report, error)
	// Put inserts a report, whose ID must be 0, and gives it the next number.
	Put(r *Report) error

	// ListCards returns at most limit cards of a program behind a number, in their order. Asked
	// are the orders that a list of a moment may lack.
	ListCards(programID, after, limit int, at time.Time) ([]Card, error)
	// ListAccounts returns at most limit accounts of a program behind a number, in their order.
	ListAccounts(programID, after, limit int) ([]Account, error)

	// CountOrders counts the orders of a span by their kinds and states.
	CountOrders(of OrderQuery) ([]OrderCount, error)
	// ListOrders returns orders of a span, the oldest first.
	ListOrders(of OrderQuery) ([]order.Order, error)
}
