package store

import "time"

// Audit is the record of all acts. Entries are never changed.
type Audit interface {
	// List returns at most limit entries about a card, newest first.
	List(programID, cardID, limit int) ([]AuditEntry, error)
	Put(e AuditEntry) error
}

// AuditEntry is one row of the audit: who did what to which card, and what it changed.
type AuditEntry struct {
	At         time.Time
	Key        string // name of the key, or of the duty that acted
	Address    string
	Route      string
	RequestID  string
	ProgramID  int
	CustomerID int // 0 when none was named
	CardID     int // 0 when none
	Outcome    string
	Before     string // the properties that changed, as they were, in JSON; empty for a new card
	After      string // the same properties as they are; both are empty when nothing changed
}
