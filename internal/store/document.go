package store

import (
	"time"

	"mintmark/internal/domain/bankdoc"
)

// Documents are the texts that banks publish to their customers.
type Documents interface {
	// List returns a bank's documents of a culture in the order of their numbers, without their forms
	// and without the revision, so what was listed cannot be put. Letter case of the culture does
	// not matter.
	List(bankID int, culture string) ([]bankdoc.Document, error)
	// ListInForce returns documents as List does, and their HTML. ErrMany means that this has more
	// than maxBytes. NoLimit lists all.
	ListInForce(q DocumentsInForce, maxBytes int) ([]bankdoc.Document, error)
	// ListOfBank returns at most limit documents of a bank behind a number, in the order of their
	// numbers, without their forms.
	ListOfBank(bankID, after, limit int) ([]bankdoc.Document, error)
	Find(bankID, documentID int) (bankdoc.Document, error)
	// FindBank returns the bank that a document belongs to.
	FindBank(documentID int) (int, error)
	// Put inserts a document, or replaces the revision that was found.
	Put(d bankdoc.Document) error

	// A draft is a document that is not published, of which callers see nothing.

	FindDraft(bankID, documentID int) (bankdoc.Document, error)
	// ListDrafts returns at most limit drafts of a bank behind a number, in the order of their
	// numbers, without their forms.
	ListDrafts(bankID, after, limit int) ([]bankdoc.Document, error)
	// PutDraft inserts a draft, whose ID must be 0, under the next number, or replaces the revision
	// that was read. No number is given twice.
	PutDraft(d *bankdoc.Document) error
	// DeleteDraft removes a draft. It fails with ErrLostUpdate when the stored row has another
	// revision or is gone.
	DeleteDraft(d bankdoc.Document) error
}

// DocumentsInForce asks for the documents of a bank and a culture that are in force at a moment.
type DocumentsInForce struct {
	BankID  int
	Culture string
	Type    bankdoc.Type // empty for all
	At      time.Time
}
