package store

import (
	"time"

	"mintmark/internal/card"
	"mintmark/internal/customer"
	"mintmark/internal/program"
)

// Bank is a bank that issues cards through programs.
type Bank struct {
	ID   int
	Name string
}

// CardKey names a card of a program by its number or, when that is 0, by its tag.
type CardKey struct {
	ID   int
	Tag  string
	Else string // the tag of the card that will do when no card has the first; may be empty
}

// Standing is what a request about one card looks at first: the customer who asks, the card,
// whether the customer has to do with it or not, and the accounts on it. What a customer is called
// and how to reach it is left out, because no act on a stored card looks at that.
type Standing struct {
	Customer customer.Customer        // without names, telephones and addresses
	Card     card.Card                // its ID is 0 when the program has no such card
	Accounts map[int]customer.Account // those on the card, by their number
	Memo     *Memo                    // of the card and the accounts; nil unless they are in memory
}

// DossierKey names a card, the customer who asks for it, and attempts of a kind, at most so many.
type DossierKey struct {
	ProgramID, CustomerID, CardID int

	Kind  AttemptKind
	Limit int
}

// Dossier is a standing and what acts look at besides that make a card anew or prove something
// about who has it. Without the card there is only the standing and the program.
type Dossier struct {
	Standing
	Creator  customer.Customer // of the card; without names, telephones and addresses
	Attempts []time.Time       // the newest first
	Program  program.Program   // without its settings
}

// OpeningKey names what an order for a new card is about.
type OpeningKey struct {
	ProgramID, CreatorID, HolderID, AccountID int

	// Names says whether to look for the tag and the nickname among other cards. The store keeps
	// neither twice, so who hopes that they are free need not look.
	Names    bool
	Tag      string // empty when the card is to have none
	NickName string
}

// Opening is what an order for a new card looks at.
type Opening struct {
	Creator customer.Customer
	Holder  customer.Customer // without names, telephones and addresses; its ID may be 0
	Account customer.Account  // its ID is 0 when the program has no such account
	Access  customer.AccountAccess

	TagTaken bool // as far as it was looked for, as the next
	// NickNameTaken says that the creator has a card of that nickname that may still be used, in
	// any letter case.
	NickNameTaken bool

	Program program.Program // without its settings
}

// CardNames are what no two cards may share: their number in every program, a tag in theirs, and a
// nickname among the creator's cards that may still be used.
type CardNames struct {
	CardID, ProgramID, CreatorID int
	Tag, NickName                string
}

// Taken says which of them another card has.
type Taken struct {
	ProgramID     int // of the card with the number, 0 when there is none
	Tag, NickName bool
}

// Holdings are a customer, the cards that it created or holds, and the accounts on them.
type Holdings struct {
	Customer customer.Customer // without names, telephones and addresses
	Cards    []card.Card
	Accounts map[int]customer.Account // by their number
}

// Environment says what a database is for. What belongs to one is never served as the other.
type Environment string

// The environments.
const (
	Production Environment = "production"
	Sandbox    Environment = "sandbox"
)

// Installation is what a database remembers of the keys that belong to it. A fingerprint tells two
// keys apart and says nothing about either.
type Installation struct {
	Environment Environment
	Keyset      string    // fingerprint of the keys that seal and digest
	PinKey      string    // fingerprint of the key that PINs are encrypted with
	Made        time.Time // when the database was given to the environment
}

// Number is a card number as it is kept: sealed, and found again only by its digest.
type Number struct {
	CardID   int
	BinID    int
	Digest   []byte
	Sealed   []byte
	LastFour string
}

// AttemptKind is a kind of attempt that is counted against a limit.
type AttemptKind string

// The kinds of attempt.
const (
	VerifyFailed AttemptKind = "verify failed"
	PinTaken     AttemptKind = "pin taken"
)

// OrderKind is what the processor is asked to do.
type OrderKind string

// The kinds of order.
const (
	OrderCard  OrderKind = "card"  // make a new card
	OrderRenew OrderKind = "renew" // make a card anew, with the same number
	OrderPin   OrderKind = "pin"   // change the PIN
)

// Order is an order to the card processor. It is written in the transaction of the act that asks
// for it, so an act and its order are kept together or not at all.
type Order struct {
	ID        int
	CardID    int
	Kind      OrderKind
	SealedPin []byte // sealed for the processor; empty when the order has no PIN
	Created   time.Time
	Done      time.Time // zero until the processor has taken it
	// PinExpired is when the PIN was destroyed because it was not taken in time; zero if never.
	// An order to change the PIN can then no longer be carried out; any other goes on without.
	PinExpired time.Time
}

// Audit is one row of the trail: who did what to which card, and what it changed.
type Audit struct {
	At         time.Time
	Key        string // name of the key, or of the duty that acted
	Address    string
	Route      string
	RequestID  string
	ProgramID  int
	CustomerID int // 0 when none was named
	CardID     int // 0 when none
	Outcome    string
	Before     string // the properties that changed, as they were, in JSON; empty for a new card
	After      string // the same properties as they are; both are empty when nothing changed
}

// RetiredSecret is a secret that was taken from a key, by its digest. It never opens again.
type RetiredSecret struct {
	Digest  []byte
	KeyName string
	At      time.Time
}

// ReplayScope is where an idempotency key counts: one API key, one route.
type ReplayScope struct {
	APIKey string
	Route  string
	Key    string
}

// Lease says which node does something for now, so that several do not do it at once.
type Lease struct {
	Name   string
	Holder string
	Until  time.Time // from then on anybody may take it
}

// Replay is an answer that is given again to a repeated request.
type Replay struct {
	ReplayScope
	BodyDigest []byte // SHA-256 of the request's body
	HTTP       int
	Answer     []byte
	At         time.Time
}
