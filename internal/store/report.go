package store

import (
	"time"

	"mintmark/internal/domain/order"
)

// Reports are the messages of the card processor, each with its result. They never change.
type Reports interface {
	// Find returns the report with an identifier.
	Find(reportID string) (ReceivedReport, error)
	// FindMany returns the reports with the given identifiers, in no particular order.
	FindMany(reportIDs []string) ([]ReceivedReport, error)
	// FindProgram returns the program of a card: reports do not name it.
	FindProgram(cardID int) (int, error)
	// ListByCard returns at most limit reports about a card, newest first.
	ListByCard(cardID, limit int) ([]ReceivedReport, error)
	// ListIgnored returns at most limit reports that contradicted the state of their card, newest
	// first.
	ListIgnored(limit int) ([]ReceivedReport, error)
	// Put stores a report. It fails with ErrExists when the identifier was used before.
	Put(r ReceivedReport) error
}

// ReceivedReport is a report of the card processor with its result.
type ReceivedReport struct {
	order.Report
	ProgramID int // of the card; 0 when the card does not exist
	Received  time.Time
	Result    order.Result // Applied or Ignored
	Why       string       // why the report was ignored
}
