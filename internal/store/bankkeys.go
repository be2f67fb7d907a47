package store

import "mintmark/internal/domain/program"

// BankKeys are the keys that encrypt the card numbers and PINs of banks. The keys of a pciKeyId
// succeed each other.
type BankKeys interface {
	// Find returns a key by its number.
	Find(id int) (program.BankKey, error)
	// List returns all keys ordered by pciKeyId, oldest first.
	List() ([]program.BankKey, error)
	// Put inserts a key, or replaces the state and the key text of the revision that was read. It
	// fails with ErrExists when the pciKeyId has another active key.
	Put(k program.BankKey) error

	// An encrypted card number or PIN starts with the mark of its key: see package vault.

	// CountSealed returns how many card numbers and PINs a key encrypts, by bank.
	CountSealed(mark []byte) ([]SealedCount, error)
	// HasSealed reports whether a key encrypts any card number or PIN.
	HasSealed(mark []byte) (bool, error)
	// ListSealedNumbers returns at most limit card numbers of a bank that are encrypted under a
	// key, ordered by card, after a card.
	ListSealedNumbers(of SealedQuery) ([]SealedText, error)
	// ListSealedPins is ListSealedNumbers for the PINs of orders, ordered by order.
	ListSealedPins(of SealedQuery) ([]SealedText, error)
	// ChangeSealedNumber replaces the encrypted number of a card. It fails with ErrLostUpdate when
	// the stored number is not the one that was read.
	ChangeSealedNumber(before SealedText, sealed []byte) error
	// ChangeSealedPin is ChangeSealedNumber for the PIN of an order, and gives the order its next
	// revision.
	ChangeSealedPin(before SealedText, sealed []byte) error
}

// SealedCount is the number of values of a bank that are encrypted under a key.
type SealedCount struct {
	BankID        int
	Numbers, Pins int64
}

// SealedQuery selects encrypted card numbers or PINs of a bank.
type SealedQuery struct {
	BankID int
	Mark   []byte
	After  int // a card ID, or an order ID
	Limit  int // never 0
}

// SealedText is the encrypted number of a card, or an encrypted PIN in an order for the card.
type SealedText struct {
	OrderID int // 0 for a card number
	CardID  int
	Sealed  []byte
}
