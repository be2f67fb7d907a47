package store

import (
	"time"

	"mintmark/internal/domain/bankdoc"
)

// Documents are the texts that banks publish to their customers.
type Documents interface {
	// List returns a bank's documents of a culture in order of their numbers, without their forms
	// and without revisions, so a listed document cannot be put. The culture is case-insensitive.
	List(bankID int, culture string) ([]bankdoc.Document, error)
	// ListInForce returns documents like List, and with their HTML. It fails with ErrTooMany when
	// the HTML has more than maxBytes. NoLimit lists all.
	ListInForce(q DocumentsInForce, maxBytes int) ([]bankdoc.Document, error)
	// ListOfBank returns at most limit documents of a bank with numbers greater than after, in
	// order, without their forms.
	ListOfBank(bankID, after, limit int) ([]bankdoc.Document, error)
	Find(bankID, documentID int) (bankdoc.Document, error)
	// FindBank returns the bank to which a document belongs.
	FindBank(documentID int) (int, error)
	// Put inserts a document, or replaces the revision that was found.
	Put(d bankdoc.Document) error

	// A draft is an unpublished document. Callers do not see it.

	FindDraft(bankID, documentID int) (bankdoc.Document, error)
	// ListDrafts returns at most limit drafts of a bank with numbers greater than after, in order,
	// without their forms.
	ListDrafts(bankID, after, limit int) ([]bankdoc.Document, error)
	// PutDraft inserts a draft, whose ID must be 0, under the next number, or replaces the revision
	// that was read. Numbers are never reused.
	PutDraft(d *bankdoc.Document) error
	// DeleteDraft removes a draft. It fails with ErrLostUpdate when the stored row has another
	// revision or is gone.
	DeleteDraft(d bankdoc.Document) error
}

// DocumentsInForce selects the documents of a bank and a culture that are in force at a time.
type DocumentsInForce struct {
	BankID  int
	Culture string
	Type    bankdoc.Type // empty for all
	At      time.Time
}
