package issuing

import "mintmark/internal/domain/audit"

// Outcomes in the audit.
const (
	created   = "created"
	changed   = "changed"
	deleted   = "deleted"
	unchanged = "unchanged" // the act was allowed and had nothing to do
	refused   = "refused"   // the act was refused, and the attempt counts
	unread    = "refused without looking"
	ignored   = "ignored" // a report that contradicts the state of the card

	noted = "noted" // something has come to pass with time, and changed no row

	pinOrdered = "PIN ordered"
	pinExpired = "PIN expired" // destroyed, because the processor did not take it in time
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
