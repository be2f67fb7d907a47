package store

// PANs are the sealed numbers of cards.
type PANs interface {
	// Has reports whether a PAN was ever issued, by its digest.
	Has(digest []byte) (bool, error)
	// Find returns the PAN of a card.
	Find(programID, cardID int) (SealedPAN, error)
	// Count returns how many PANs of a BIN were issued.
	Count(binID int) (int64, error)
	// Put keeps the PAN of a card. A card has one, for ever.
	Put(p SealedPAN) error
}

// SealedPAN is a PAN as it is kept: sealed, and found again by its digest alone.
type SealedPAN struct {
	CardID   int
	BinID    int
	Digest   []byte
	Sealed   []byte
	LastFour string
}
