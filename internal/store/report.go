package store

import (
	"time"

	"mintmark/internal/domain/order"
)

// Reports are the messages of the card processor, each with what became of it. They are never
// changed.
type Reports interface {
	// Find returns the report of an identifier.
	Find(reportID string) (ReceivedReport, error)
	// FindMany returns the reports of some identifiers, in no order.
	FindMany(reportIDs []string) ([]ReceivedReport, error)
	// FindProgram returns the program of a card: a report names none.
	FindProgram(cardID int) (int, error)
	// ListByCard returns at most limit reports about a card, newest first.
	ListByCard(cardID, limit int) ([]ReceivedReport, error)
	// ListIgnored returns at most limit reports that contradicted the state of their card, newest
	// first.
	ListIgnored(limit int) ([]ReceivedReport, error)
	// Put keeps a report. It fails with ErrExists when there is one of the same identifier.
	Put(r ReceivedReport) error
}

// ReceivedReport is a report of the card processor with what became of it.
type ReceivedReport struct {
	order.Report
	ProgramID int // of the card; 0 when there is no such card
	Received  time.Time
	Result    order.Result // Applied or Ignored
	Why       string       // a report was ignored
}
