// Package store says what Mintmark keeps and how it is found again: the contract between the acts
// of the service and a database. It decides nothing. Package sqlstore keeps the contract in SQL,
// package storetest is the suite that every keeper of the contract must pass.
package store

import (
	"context"
	"errors"
	"time"

	"mintmark/internal/apikey"
	"mintmark/internal/bankdoc"
	"mintmark/internal/card"
	"mintmark/internal/customer"
	"mintmark/internal/program"
)

// What a store answers besides success. Other errors are faults of the database.
var (
	// ErrMany: there is more than was asked for.
	ErrMany = errors.New("store: many of them")

	// ErrNotFound: there is no such thing in the program or bank that was named.
	ErrNotFound = errors.New("store: not found")
	// ErrExists: something else holds what has to be unique: a tag, a nickname, a number, a key.
	ErrExists = errors.New("store: exists already")
	// ErrLostUpdate: what is to be changed was changed by somebody else since it was read.
	ErrLostUpdate = errors.New("store: changed since it was read")
	// ErrUnavailable: the database cannot be reached, or the store is closed.
	ErrUnavailable = errors.New("store: database out of reach")
	// ErrBusy: another process writes at the moment. It is an ErrUnavailable, too.
	ErrBusy = errors.New("store: another program is writing")
	// ErrUnknownOutcome: the database was lost or its disk failed while it committed, and whether
	// it has kept what was written cannot be found out.
	ErrUnknownOutcome = errors.New("store: it is not known whether this was kept")
)

// Store runs closures over what is kept. A closure may run more than once, so it only reads,
// decides and writes through what it is handed, and sets its results at its end. An error of the
// closure comes back unchanged, and then nothing it wrote is kept.
type Store interface {
	// View runs a closure over one stable picture.
	View(ctx context.Context, fn func(Reader) error) error

	// Glance runs a closure in which each find sees a stable picture of its own. For a closure that
	// finds one thing it is a View, and may be faster.
	Glance(ctx context.Context, fn func(Reader) error) error

	// Update runs a closure and keeps what it wrote, all of it or nothing. When Update returns
	// nil, it is on disk. ErrExists and ErrLostUpdate may be reported by the write that meets
	// them or by Update itself. Once a write has failed nothing is kept, even if the closure
	// returns nil: Update then returns the error of that write. The closure must return: it may
	// run in the goroutine of another caller.
	Update(ctx context.Context, fn func(Tx) error) error

	// FindStanding is the FindStanding of a Glance of its own, which a store may answer faster. The
	// answer is never older than the last Update that returned before the call. It may be shared
	// with other callers, so nobody changes what it refers to.
	FindStanding(ctx context.Context, programID, customerID int, of CardKey) (Standing, error)
	// FindHoldings is the FindHoldings of a Glance of its own.
	FindHoldings(ctx context.Context, programID, customerID int) (Holdings, error)
	// FindFewHoldings is a FindHoldings that a store may answer faster, in the same way, and that
	// answers ErrMany when there are so many cards that their memory is worth asking for.
	FindFewHoldings(ctx context.Context, programID, customerID int) (Holdings, error)

	// Close ends the store. Calls that come later answer ErrUnavailable.
	Close() error
}

// Announcer is a store that several nodes may share, and that tells them when a key has changed.
type Announcer interface {
	// Announce sends a token for each change, or for several, until the context ends. It may miss
	// a change.
	Announce(ctx context.Context, changed chan<- struct{})
}

// Breakable is a store that ends for good when the disk has failed in a way that leaves open what
// was kept. No request is answered from it any more, and the next start finds out.
type Breakable interface {
	// Broken is closed when the store has broken, and Breakage then says why.
	Broken() <-chan struct{}
	Breakage() error
}

// Reader finds what is kept. Every Find answers ErrNotFound when there is no such thing; what
// belongs to another program or bank is not found either. What is found may be handed to others,
// too: nobody writes into its lists and maps.
type Reader interface {
	// Now is the time of the transaction, whole milliseconds, UTC; it does not move.
	Now() time.Time

	// FindProgram returns a program with its BINs in the order of their numbers and its bank's
	// encryption keys.
	FindProgram(programID int) (program.Program, error)

	FindCustomer(programID, customerID int) (customer.Customer, error)
	FindAccount(programID, accountID int) (customer.Account, error)
	// FindAccountFor returns an account, and customer.NoAccess where the customer has no access.
	FindAccountFor(programID, accountID, customerID int) (
		customer.Account, customer.AccountAccess, error)
	// FindStanding returns what a request about one card looks at first. ErrNotFound is about
	// the customer: without the card there still is a standing.
	FindStanding(programID, customerID int, of CardKey) (Standing, error)
	// FindDossier returns a standing with what rarer acts look at besides. ErrNotFound is about
	// the customer here, too.
	FindDossier(of DossierKey) (Dossier, error)
	// FindHoldings returns a customer with the cards that it created or holds, by their number.
	FindHoldings(programID, customerID int) (Holdings, error)
	// FindOpening returns what an order for a new card looks at. ErrNotFound is about the creator:
	// without the holder or the account there still is an opening.
	FindOpening(of OpeningKey) (Opening, error)

	// FindCustomers, FindAccounts and ListAccess find by many numbers at once, in every program:
	// an operator's file may name the wrong one. ListAccess is by customer.
	FindCustomers(customerIDs []int) (map[int]customer.Customer, error)
	FindAccounts(accountIDs []int) (map[int]customer.Account, error)
	ListAccess(customerIDs []int) ([]customer.Access, error)
	// HasFinerBalances reports whether an account of a program has a balance with more digits
	// behind the point than so many.
	HasFinerBalances(programID, digits int) (bool, error)
	// FindTaken returns which of the names of a card that is not kept yet are another card's.
	FindTaken(of CardNames) (Taken, error)

	// FindAccess returns customer.NoAccess where there is none.
	FindAccess(customerID, accountID int) (customer.AccountAccess, error)

	FindCard(programID, cardID int) (card.Card, error)
	// ListCards returns the cards that a customer created or holds, by their number.
	ListCards(programID, customerID int) ([]card.Card, error)
	// ListUnverified returns at most limit cards waiting to be verified that were created, or
	// last made anew, before a moment; those that wait longest first.
	ListUnverified(programID int, before time.Time, limit int) ([]card.Card, error)
	// ListCardAccounts returns the accounts on the given cards by their number.
	ListCardAccounts(cards ...card.Card) (map[int]customer.Account, error)

	// HasNumber reports whether a card number was ever issued, by its digest.
	HasNumber(digest []byte) (bool, error)
	// FindNumber returns the number of a card.
	FindNumber(programID, cardID int) (Number, error)
	// CountNumbers returns how many numbers of a BIN were issued.
	CountNumbers(binID int) (int64, error)

	// ListDocuments returns a bank's documents of a culture, in any case of the letters A to Z, by
	// their number, without the bytes
	// of the PDF.
	ListDocuments(bankID int, culture string) ([]bankdoc.Document, error)
	FindDocument(bankID, documentID int) (bankdoc.Document, error)

	// FindDocumentBank returns the bank that a document belongs to.
	FindDocumentBank(documentID int) (int, error)

	ListBankNames() ([]Bank, error)
	// ListPciKeys returns the encryption keys of all banks.
	ListPciKeys() ([]program.PciKey, error)

	// ListBanks returns the numbers of all banks, ListPrograms those of all programs.
	ListBanks() ([]int, error)
	ListPrograms() ([]int, error)
	ListKeys() ([]apikey.Key, error)
	// HasRetiredSecret reports whether a secret was taken from a key for ever, by its digest.
	HasRetiredSecret(digest []byte) (bool, error)
	// AccessRevision grows with every change of a key.
	AccessRevision() (int64, error)

	// ListOrders returns at most limit orders that are left for the processor to take, oldest
	// first.
	ListOrders(limit int) ([]Order, error)
	// ListOldPins returns at most limit orders of a program's cards that hold a PIN and were
	// written before a moment, oldest first.
	ListOldPins(programID int, before time.Time, limit int) ([]Order, error)
	// ListAudit returns at most limit audit rows about a card, newest first.
	ListAudit(programID, cardID, limit int) ([]Audit, error)

	FindReplay(scope ReplayScope) (Replay, error)

	// FindInstallation returns what the database remembers of its keys. There is nothing in one
	// that was never given to an environment.
	FindInstallation() (Installation, error)
}

// Tx finds and writes. Each Put inserts what is new; for banks, programs and what else comes from
// the operator it replaces what had the same number.
type Tx interface {
	Reader

	// PutCard inserts a card whose ID is 0, giving it the next number, or changes a stored one.
	// It counts the revision up in both cases. A card with an ID and revision 0 is inserted
	// under that ID.
	PutCard(c *card.Card) error
	// PutNumber keeps the sealed number of a card. A card has one, for ever.
	PutNumber(n Number) error
	PutAttempt(cardID int, kind AttemptKind) error
	// PutOrder inserts an order whose ID is 0 under the next number, or changes a stored one.
	PutOrder(o Order) error
	PutAudit(a Audit) error
	PutReplay(r Replay) error
	// DropReplays forgets at most limit answers that were given before a moment, and returns how
	// many.
	DropReplays(before time.Time, limit int) (int, error)

	// PutLease takes a lease, or renews that of its holder. A lease that another holds, and that
	// has not run out at the time of the transaction, is ErrExists.
	PutLease(l Lease) error
	// DropLease gives a lease back. One that the holder does not have is ErrNotFound.
	DropLease(name, holder string) error

	PutBank(b Bank) error
	PutPciKey(k program.PciKey) error
	// PutProgram keeps a program but its BINs and encryption keys, which are put by themselves.
	PutProgram(p program.Program) error
	PutBin(b program.Bin) error
	PutCustomer(c customer.Customer) error
	PutAccount(a customer.Account) error
	PutAccess(a customer.Access) error
	PutDocument(d bankdoc.Document) error
	PutKey(k apikey.Key) error
	// PutRetiredSecret keeps the digest of a secret that no key may have again.
	PutRetiredSecret(s RetiredSecret) error
	// PutInstallation replaces what the database remembers of its keys.
	PutInstallation(i Installation) error
}
