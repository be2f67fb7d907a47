package issuing

import (
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// Outcomes in the audit.
const (
	created   = "created"
	changed   = "changed"
	deleted   = "deleted"
	unchanged = "unchanged" // the act was allowed and had nothing to do
	refused   = "refused"   // the act was refused, and the attempt counts

	noted = "noted" // something has come to pass with time, and changed no row
)

// about returns an entry about a card, and the customer who acted on it, 0 for none.
func about(cardID, customerID int, outcome string) audit.Entry {
	return audit.Entry{
		Subject: audit.Of(audit.Card, cardID), CustomerID: customerID, Outcome: outcome,
	}
}

// audit stores an entry with the actor, the act and the time of the request.
func (tx *Tx) audit(entry audit.Entry) error {
	entry.At, entry.Actor, entry.Act = tx.Now(), tx.caller.Actor, tx.caller.Route
	entry.ProgramID, entry.BankID = tx.caller.ProgramID, tx.caller.BankID
	return tx.Audit().Put(entry)
}

// AuditEntry is an entry of the audit as operators read it: with its bank, and with its sequence
// once it is sealed.
type AuditEntry struct{ store.LogEntry }

// sealSlack is how far the moments of entries may be out of their sealed order.
const sealSlack = 10 * time.Minute

// Span is a span of time. To is not included; a zero moment stands for no bound.
type Span struct{ From, To time.Time }
