package store

import "mintmark/internal/domain/audit"

// Audit is the record of all acts. Entries never change.
type Audit interface {
	// List returns at most limit entries about a card, newest first. Card number 0 selects the
	// entries that are not about a card.
	List(programID, cardID, limit int) ([]audit.Entry, error)
	Put(e audit.Entry) error

	// FindLock returns the newest entry that changed the lock of a card.
	FindLock(programID, cardID int) (LogEntry, error)
	// CountHours counts the newest entries, at most limit of all programs, by hour and kind of
	// actor. The counts cover the given programs (nil for all) and exclude the reads of asker. The
	// latest hour comes first. When the limit is reached, the earliest hour is omitted, because it
	// may be incomplete.
	CountHours(programIDs []int, asker audit.Actor, limit int) ([]HourCount, error)

	// A person key encrypts the audit texts about the people of a card. A card has no person key if
	// an earlier version created it or its people were erased.

	// FindPersonKeys returns the encrypted keys by card number. Cards without a key are omitted.
	FindPersonKeys(cardIDs []int) (map[int][]byte, error)
	// PutPersonKey inserts the key of a card. It fails with ErrExists when the card has one.
	PutPersonKey(cardID int, sealed []byte) error
	// DeletePersonKey removes the key of a card, if it has one.
	DeletePersonKey(cardID int) error
}
