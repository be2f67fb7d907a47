package store

import "mintmark/internal/domain/program"

// BankKeys are the keys under which the card numbers and PINs of banks are sealed. A pciKeyId has
// one after the other.
type BankKeys interface {
	// Find returns a key by its number.
	Find(id int) (program.BankKey, error)
	// List returns all keys in the order of their pciKeyIds, the oldest of each first.
	List() ([]program.BankKey, error)
	// Put inserts a key, or replaces the state and the text of the revision that was read. A
	// pciKeyId has one active key at most: another one is ErrExists.
	Put(k program.BankKey) error

	// A sealed text, a card number or a PIN, begins with the mark of its key: see package vault.

	// CountSealed returns how many numbers and PINs are sealed under a key, by bank.
	CountSealed(mark []byte) ([]SealedCount, error)
	// HasSealed reports whether a number or a PIN is sealed under a key.
	HasSealed(mark []byte) (bool, error)
	// ListSealedNumbers returns at most limit numbers of a bank's cards that are sealed under a
	// key, of cards behind one, in the order of the cards.
	ListSealedNumbers(of SealedQuery) ([]SealedText, error)
	// ListSealedPins is ListSealedNumbers for the PINs of orders, in the order of the orders.
	ListSealedPins(of SealedQuery) ([]SealedText, error)
	// ChangeSealedNumber replaces the sealed number of a card, and is ErrLostUpdate when it is not
	// the one that was read.
	ChangeSealedNumber(before SealedText, sealed []byte) error
	// ChangeSealedPin is ChangeSealedNumber for the PIN of an order, which has another revision
	// then.
	ChangeSealedPin(before SealedText, sealed []byte) error
}

// SealedCount counts what a bank has sealed under a key.
type SealedCount struct {
	BankID        int
	Numbers, Pins int64
}

// SealedQuery names sealed texts of a bank.
type SealedQuery struct {
	BankID int
	Mark   []byte
	After  int // number of a card, or of an order
	Limit  int // never 0
}

// SealedText is the sealed number of a card, or the sealed PIN of an order for it.
type SealedText struct {
	OrderID int // 0 for a number
	CardID  int
	Sealed  []byte
}
