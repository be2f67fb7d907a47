package store

import "mintmark/internal/domain/audit"

// Audit is the record of all acts. Entries are never changed.
type Audit interface {
	// List returns at most limit entries about a card, newest first. With the number 0 it returns
	// those that are not about a card.
	List(programID, cardID, limit int) ([]audit.Entry, error)
	Put(e audit.Entry) error
}
