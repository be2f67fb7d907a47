package issuing

import (
	"slices"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// Outcomes of audit entries.
const (
	OutcomeCreated   = "created"
	OutcomeChanged   = "changed"
	OutcomeDeleted   = "deleted"
	OutcomeUnchanged = "unchanged" // the act was allowed and had nothing to do
	OutcomeRefused   = "refused"   // the act was refused, and the attempt is counted

	OutcomeElapsed = "noted" // something happened as time passed, and changed no row
)

// NewCardEntry returns an entry about a card. customerID is the customer who acted, 0 for none.
func NewCardEntry(cardID, customerID int, outcome string) audit.Entry {
	return audit.Entry{
		Subject: audit.Of(audit.Card, cardID), CustomerID: customerID, Outcome: outcome,
	}
}

// PutEntry stores an entry with the time, actor, act, program and bank of the transaction.
func (tx *Tx) PutEntry(entry audit.Entry) error {
	entry.At, entry.Actor, entry.Act = tx.Now(), tx.Caller.Actor, tx.Caller.Route
	entry.ProgramID, entry.BankID = tx.Caller.ProgramID, tx.Caller.BankID
	return tx.Audit().Put(entry)
}

// AuditEntry is an audit entry as shown to operators: with its bank and, once sealed, its sequence.
type AuditEntry struct {
	store.LogEntry
	KeyLabel string // of the issued key that acted
}

// LabelKeys sets the KeyLabel of entries about acts of issued keys.
func LabelKeys(r store.Tx, entries []AuditEntry) error {
	byKey := func(e AuditEntry) bool { return e.Kind == audit.APIKey }
	if !slices.ContainsFunc(entries, byKey) {
		return nil
	}
	keys, err := r.Keys().List()
	for _, key := range keys {
		for i := range entries {
			if byKey(entries[i]) && entries[i].Name == key.Name {
				entries[i].KeyLabel = key.Label
			}
		}
	}
	return err
}

// SealSlack bounds how far the times of entries may deviate from their sealed order.
const SealSlack = 10 * time.Minute

// Span is a span of time. From is included, To is not; a zero time means no bound.
type Span struct{ From, To time.Time }

// Includes reports whether a time is in the span.
func (s Span) Includes(at time.Time) bool {
	return (s.From.IsZero() || !at.Before(s.From)) && (s.To.IsZero() || at.Before(s.To))
}
