package programs

import (
	"context"
	"time"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/issuing"
)

// PublishDraft publishes a draft at a revision, 0 for any. It becomes effective at the given time;
// without one, at its effective date, or immediately if that has passed. Documents of its culture
// and type that are in force then end at that time. A published document never changes.
func (s *Service) PublishDraft(
	ctx context.Context, who issuing.Operator, bankID, id, revision int, effective time.Time,
) (DocumentDetail, error) {
	var published DocumentDetail
	act := draftAct{publishDocument, bankID, id, revision}
	err := s.Act(ctx, who, issuing.InBank(bankID), publishDocument, func(tx *issuing.Tx) error {
		draft, err := findDraft(tx, act)
		if err != nil {
			return err
		}
		after := draft
		if err := date(tx, &after, effective); err != nil {
			return err
		}
		if err := endEarlier(tx, after); err != nil {
			return err
		}
		if err := tx.Documents().DeleteDraft(draft); err != nil {
			return err
		}
		after.Published, after.Revision = tx.Now(), 0
		if err := tx.Documents().Put(after); err != nil {
			return err
		}
		after.Revision = 1
		published = DocumentDetail{after, after.StateAt(tx.Now())}
		if err := auditDocument(tx, issuing.OutcomeChanged, draft, after); err != nil {
			return err
		}
		return notifyPrograms(tx, after)
	})
	return published, err
}

// date sets when a document becomes effective, and returns the problems that keep it from being
// published.
func date(tx *issuing.Tx, d *bankdoc.Document, at time.Time) error {
	now := tx.Now()
	switch {
	case !at.IsZero():
		d.Effective = wholeMillis(at)
	case d.Effective.Before(now):
		d.Effective = now
	}
	wrong := d.ValidateUnnumbered()
	if d.Effective.Before(now) {
		wrong.Add("effectiveDate", "lies in the past")
	}
	return wrong.Err()
}

// endEarlier ends the documents that a document succeeds. A document of its kind that becomes
// effective later must have its turn, so an earlier one without an end cannot be published.
func endEarlier(tx *issuing.Tx, d bankdoc.Document) error {
	all, err := tx.Documents().List(d.BankID, d.Culture)
	if err != nil {
		return err
	}
	var wrong problem.List
	for _, listed := range all {
		switch {
		case d.Precedes(listed):
			wrong.Add("effectiveDate", "document %d of this culture and type is effective at %s: "+
				"become effective later, or expire by then", listed.ID,
				audit.Moment(listed.Effective))
		case d.Succeeds(listed):
			before, err := tx.Documents().Find(d.BankID, listed.ID)
			if err != nil {
				return err
			}
			after := before
			after.Expires = d.Effective
			if err := tx.Documents().Put(after); err != nil {
				return err
			}
			entry := documentEntry(tx, before, after)
			entry.Outcome, entry.Act = issuing.OutcomeChanged, endDocument
			if err := tx.Audit().Put(entry); err != nil {
				return err
			}
		}
	}
	return wrong.Err()
}

// documentPublished is the act in the audit entries that inform the programs of a bank.
const documentPublished = "document published"

// notifyPrograms stores an entry for each program of the bank that a document is published, for its
// subscribers.
func notifyPrograms(tx *issuing.Tx, d bankdoc.Document) error {
	programs, err := tx.Programs().List()
	if err != nil {
		return err
	}
	for _, id := range programs {
		p, err := tx.Programs().Find(id)
		if err != nil {
			return err
		}
		if p.BankID != d.BankID {
			continue
		}
		err = tx.Audit().Put(audit.Entry{
			At: tx.Now(), Actor: tx.Caller.Actor, Act: documentPublished, ProgramID: id,
			Subject: audit.Of(audit.Document, d.ID), Outcome: issuing.OutcomeElapsed,
			After: audit.Members("culture", d.Culture, "documentType", string(d.Type),
				"effectiveDate", audit.Moment(d.Effective)),
		})
		if err != nil {
			return err
		}
	}
	return nil
}
