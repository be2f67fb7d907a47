package programs

import (
	"fmt"
	"strconv"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/issuing"
)

// Helpers shared by the acts on documents.

// wholeMillis returns a time as it is stored: in milliseconds, and in UTC.
func wholeMillis(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Truncate(time.Millisecond)
}

// auditDocument stores the entry of an act on a draft.
func auditDocument(tx *issuing.Tx, outcome string, before, after bankdoc.Document) error {
	entry := documentEntry(tx, before, after)
	entry.Outcome = outcome
	return tx.Audit().Put(entry)
}

// documentEntry returns the audit entry about a change of a document. Either state may be the zero
// value. It shows the lengths of the forms.
func documentEntry(tx *issuing.Tx, before, after bankdoc.Document) audit.Entry {
	return audit.Entry{
		At: tx.Now(), Actor: tx.Caller.Actor, Act: tx.Caller.Route, BankID: tx.Caller.BankID,
		Subject: audit.Of(audit.Document, max(before.ID, after.ID)),
		Before:  documentText(before, after), After: documentText(after, before),
	}
}

// documentText returns the members of a document that differ from another state of it.
func documentText(d, other bankdoc.Document) string {
	if d.ID == 0 {
		return ""
	}
	mine, others := documentMembers(d), documentMembers(other)
	var different []string
	for i := 0; i < len(mine); i += 2 {
		if mine[i+1] != others[i+1] {
			different = append(different, mine[i], mine[i+1])
		}
	}
	return audit.Members(different...)
}

func documentMembers(d bankdoc.Document) []string {
	bytes := func(count int) string { return fmt.Sprintf("%d bytes", count) }
	return []string{
		"culture", d.Culture, "documentType", string(d.Type), "title", d.Title,
		"html", bytes(len(d.HTML)), "pdf", bytes(len(d.PDF)),
		"effectiveDate", audit.Moment(d.Effective), "expireDate", audit.Moment(d.Expires),
		"published", audit.Moment(d.Published), "revision", strconv.Itoa(d.Revision),
	}
}
