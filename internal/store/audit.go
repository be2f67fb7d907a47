package store

import "mintmark/internal/domain/audit"

// Audit is the record of all acts. Entries are never changed.
type Audit interface {
	// List returns at most limit entries about a card, newest first. With the number 0 it returns
	// those that are not about a card.
	List(programID, cardID, limit int) ([]audit.Entry, error)
	Put(e audit.Entry) error

	// FindLock returns the newest entry that has changed the lock of a card.
	FindLock(programID, cardID int) (LogEntry, error)
	// CountHours counts the newest entries of all, at most limit, by the hour that they fall in and
	// the kind of actor: those of programs, or for nil all, but for what the asker has read. The
	// latest hour stands first; an earliest one that may not be counted whole is left out.
	CountHours(programIDs []int, asker audit.Actor, limit int) ([]HourCount, error)

	// A person key seals what the audit says of the people of a card. A card of an earlier version
	// has none, and neither has one whose people were erased.

	// FindPersonKeys returns the sealed keys of cards by their numbers. Cards without one are left
	// out.
	FindPersonKeys(cardIDs []int) (map[int][]byte, error)
	// PutPersonKey inserts the key of a card. It fails with ErrExists when the card has one.
	PutPersonKey(cardID int, sealed []byte) error
	// DeletePersonKey removes the key of a card, if it has one.
	DeletePersonKey(cardID int) error
}
