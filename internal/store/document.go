package store

import "mintmark/internal/bankdoc"

// Documents are the texts that banks publish to their customers.
type Documents interface {
	// List returns a bank's documents of a culture in the order of their numbers, without the bytes
	// of the PDF and without the revision, so what was listed cannot be put. Letter case of the
	// culture does not matter.
	List(bankID int, culture string) ([]bankdoc.Document, error)
	Find(bankID, documentID int) (bankdoc.Document, error)
	// FindBank returns the bank that a document belongs to.
	FindBank(documentID int) (int, error)
	// Put inserts a document, or replaces the revision that was found.
	Put(d bankdoc.Document) error
}
