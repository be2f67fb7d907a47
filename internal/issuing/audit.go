package issuing

import "mintmark/internal/audit"

// Outcomes in the audit.
const (
	created   = "created"
	changed   = "changed"
	unchanged = "unchanged" // the act was allowed and had nothing to do
	refused   = "refused"   // the act was refused, and the attempt counts
	unlooked  = "refused without looking"

	pinOrdered = "PIN ordered"
	pinExpired = "PIN expired" // destroyed, because the processor did not take it in time
)

// audit writes an entry about a card: with what an act has changed of it, nothing for an attempt
// that was refused, and nothing before for a card that is new.
func (w *writing) audit(outcome string, cardID int, before, after string) error {
	return w.Audit().Put(audit.Entry{
		At: w.Now(), Actor: w.who.Actor, Act: w.who.Route, ProgramID: w.who.ProgramID,
		CustomerID: w.actor.ID, Subject: audit.Of(audit.Card, cardID),
		Outcome: outcome, Before: before, After: after,
	})
}
