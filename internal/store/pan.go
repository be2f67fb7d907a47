package store

// PANs are the sealed numbers of cards.
type PANs interface {
	// Has reports whether a PAN was ever issued, by its digest.
	Has(digest []byte) (bool, error)
	// Find returns the PAN of a card.
	Find(programID, cardID int) (SealedPAN, error)
	// Count returns how many PANs of a BIN were issued.
	Count(binID int) (int64, error)
	// Put stores the PAN of a card, which never changes.
	Put(p SealedPAN) error
}

// SealedPAN is a PAN as it is stored: sealed, with a digest by which it is found.
type SealedPAN struct {
	CardID   int
	BinID    int
	Digest   []byte
	Sealed   []byte
	LastFour string
}
