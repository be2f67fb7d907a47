package store

import "mintmark/internal/domain/digests"

// PANs are the sealed numbers of cards.
type PANs interface {
	// Has reports whether a PAN was ever issued, by its digests.
	Has(number digests.Number) (bool, error)
	// Find returns the PAN of a card.
	Find(programID, cardID int) (SealedPAN, error)
	// Count returns how many PANs of a BIN were issued.
	Count(binID int) (int64, error)
	// Put stores the PAN of a card, which never changes. It fails with ErrLostUpdate when the
	// digests are of another generation than the stored digests.State.
	Put(p SealedPAN) error
}

// SealedPAN is a PAN as it is stored: sealed, with digests by which it is found.
type SealedPAN struct {
	CardID   int
	BinID    int
	Digest   digests.Number
	Sealed   []byte
	LastFour string
}
