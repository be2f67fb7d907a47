package store

import "mintmark/internal/domain/digests"

// CardNumbers are the encrypted numbers (PANs) of cards, their digests, and the keys of the
// digests. Package digests explains the phases of a key rotation.
type CardNumbers interface {
	// FindCard returns the ID of the card with a PAN, which it looks up by its digests.
	FindCard(number digests.Number) (cardID int, err error)
	// FindCards returns the cards of a program with the given PANs, which it looks up by their
	// digests, in order of the card IDs.
	FindCards(programID int, numbers []digests.Number) ([]NumberedCard, error)
	// Has reports whether a PAN was ever issued. It looks it up by its digests.
	Has(number digests.Number) (bool, error)
	// Find returns the PAN of a card.
	Find(programID, cardID int) (SealedNumber, error)
	// ListOfProgram returns at most limit PANs of the cards of a program, in order of the card IDs,
	// after a card.
	ListOfProgram(programID, after, limit int) ([]SealedNumber, error)
	// Count returns how many PANs were issued under a BIN.
	Count(binID int) (int64, error)
	// Put stores the PAN of a card, which never changes. It fails with ErrLostUpdate when the
	// digests are of another generation than the stored digests.State.
	Put(p SealedNumber) error

	// FindDigestState returns the stored digests.State.
	FindDigestState() (digests.State, error)
	// PutDigestState replaces the generation that was read with the next one. It fails with
	// ErrLostUpdate when the stored digests.State has another generation, and with ErrExists when
	// the new state claims to be the first but one is stored.
	PutDigestState(s digests.State) error
	// CountDigests returns how many card numbers there are, and how many have a second digest.
	CountDigests() (numbers, seconds int64, err error)
	// ListUndigested returns at most limit card numbers without a second digest, in order of the
	// card IDs, after a card.
	ListUndigested(after, limit int) ([]digests.Sealed, error)
	// PutSecondDigest adds the second digest to the number of a card. It fails with ErrLostUpdate
	// when the number has one.
	PutSecondDigest(cardID int, second []byte) error
	// ChangeFirstDigests replaces the first digest with the second for at most limit card numbers,
	// and returns how many it changed.
	ChangeFirstDigests(limit int) (int, error)
}

// SealedNumber is a PAN as it is stored: encrypted, with digests to find it by.
type SealedNumber struct {
	CardID   int
	BinID    int
	Digest   digests.Number
	Sealed   []byte
	LastFour string
}
