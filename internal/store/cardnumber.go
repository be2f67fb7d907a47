package store

import "mintmark/internal/domain/digests"

// CardNumbers are the sealed numbers of cards, the keys under which they are digested, and their
// digests. What the phases of a rotation mean is told in package digests.
type CardNumbers interface {
	// FindCard returns the number of the card that a PAN belongs to, by the digests of the PAN.
	FindCard(number digests.Number) (cardID int, err error)
	// FindCards returns the cards of a program that PANs belong to, by their digests, in the order of the cards.
	FindCards(programID int, numbers []digests.Number) ([]NumberedCard, error)
	// Has reports whether a PAN was ever issued, by its digests.
	Has(number digests.Number) (bool, error)
	// Find returns the PAN of a card.
	Find(programID, cardID int) (SealedNumber, error)
	// ListOfProgram returns at most limit PANs of the cards of a program behind a card, in the order
	// of the cards.
	ListOfProgram(programID, after, limit int) ([]SealedNumber, error)
	// Count returns how many PANs of a BIN were issued.
	Count(binID int) (int64, error)
	// Put stores the PAN of a card, which never changes. It fails with ErrLostUpdate when the
	// digests are of another generation than the stored digests.State.
	Put(p SealedNumber) error

	// FindDigestState returns the digests.State.
	FindDigestState() (digests.State, error)
	// PutDigestState replaces the generation that was read by the next one. It fails with
	// ErrLostUpdate when the stored digests.State is of another generation, and with
	// ErrExists when it is not the first that it was said to be.
	PutDigestState(s digests.State) error
	// CountDigests returns how many numbers there are, and how many of them have a second digest.
	CountDigests() (numbers, seconds int64, err error)
	// ListUndigested returns at most limit numbers without a second digest, of cards behind one, in
	// the order of the cards.
	ListUndigested(after, limit int) ([]digests.Sealed, error)
	// PutSecondDigest gives the number of a card its second digest, and is ErrLostUpdate when it
	// has one.
	PutSecondDigest(cardID int, second []byte) error
	// ChangeFirstDigests has the second digest take the place of the first, for at most limit
	// numbers, and returns for how many.
	ChangeFirstDigests(limit int) (int, error)
}

// SealedNumber is a PAN as it is stored: sealed, with digests by which it is found.
type SealedNumber struct {
	CardID   int
	BinID    int
	Digest   digests.Number
	Sealed   []byte
	LastFour string
}
