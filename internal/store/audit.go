package store

import "mintmark/internal/audit"

// Audit is the record of all acts. Entries are never changed.
type Audit interface {
	// List returns at most limit entries about a card, newest first; those about no card with the
	// number 0.
	List(programID, cardID, limit int) ([]audit.Entry, error)
	Put(e audit.Entry) error
}
