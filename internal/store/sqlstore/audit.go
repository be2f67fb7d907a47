package sqlstore

import (
	"fmt"
	"slices"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// auditEntries implements store.Audit on the tables audit and person_keys.
type auditEntries struct{ *tx }

// Rows are listed in the order in which they were written, because several can share a millisecond.
const listAudit = `SELECT ` + entryColumns + `
	FROM audit WHERE program_id = $1 AND card_id = $2 ORDER BY audit_id DESC LIMIT 0 + $3`

// List returns the entries about a card, newest first.
func (t auditEntries) List(programID, cardID, limit int) ([]audit.Entry, error) {
	return db.List(t.session, func(row db.Scan) (audit.Entry, error) {
		e, err := scanEntry(row)
		return e.Entry, err
	}, listAudit, programID, cardID, limit)
}

const putAudit = `INSERT INTO audit (acted_at, actor_kind, key_name, address, route, request_id,
		reason, program_id, customer_id, card_id, subject_kind, subject_id, outcome, card_before,
		card_after, digest, bank_id, actor_id)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`

// Put inserts an entry with its digest.
func (t auditEntries) Put(e audit.Entry) error {
	e = e.Clean()
	var digest []byte
	if t.digest != nil {
		digest = t.digest(e)
	}
	return t.session.Write(putAudit, db.Millis(e.At), e.Kind, e.Name, e.Address, e.Act, e.RequestID,
		e.Reason, e.ProgramID, e.CustomerID, e.Subject.Number(audit.Card), e.Subject.Kind,
		e.Subject.ID, e.Outcome, e.Before, e.After, db.OrNull(digest), e.BankID,
		e.Actor.ID)
}

const entryColumns = `audit_id, digest, acted_at, actor_kind, key_name, address, route, request_id,
		reason, program_id, customer_id, card_id, subject_kind, subject_id, outcome, card_before,
		card_after, bank_id, actor_id`

// scanEntry scans entryColumns.
func scanEntry(row db.Scan) (store.LogEntry, error) {
	var e store.LogEntry
	var cardID int
	err := row(&e.Row, &e.Digest, db.Time{To: &e.At}, &e.Kind, &e.Name, &e.Address, &e.Act,
		&e.RequestID, &e.Reason, &e.ProgramID, &e.CustomerID, &cardID, &e.Subject.Kind,
		&e.Subject.ID, &e.Outcome, &e.Before, &e.After, &e.BankID,
		&e.Actor.ID)
	if e.Kind == "" {
		e.Actor = audit.OlderActor(e.Actor)
	}
	switch {
	case e.Subject.Kind == "" && cardID != 0:
		e.Subject = audit.Of(audit.Card, cardID)
	case cardID != e.Subject.Number(audit.Card):
		// The row was changed by hand, and would be listed under another card. The entry gets a
		// subject that it never had, so that neither its digest nor its hash matches.
		e.Subject.ID = fmt.Sprintf("%s, listed under card %d", e.Subject.ID, cardID)
	}
	return e, err
}

const findLock = `SELECT ` + entryColumns + ` FROM audit
	WHERE program_id = $1 AND card_id = $2 AND card_after LIKE '%"lock%TypeCode":%'
	ORDER BY audit_id DESC LIMIT 1`

// FindLock returns the newest entry that changed the lock of a card.
func (t auditEntries) FindLock(programID, cardID int) (store.LogEntry, error) {
	return db.One(t.session, scanEntry, findLock, programID, cardID)
}

// The newest rows are found by their numbers, regardless of their program.
const countHours = `SELECT program_id, acted_at / 3600000, actor_kind, COUNT(*), SUM(own_reads),
		SUM(refusals)
	FROM (SELECT program_id, acted_at, actor_kind,
			CASE WHEN actor_kind = $2 AND key_name = $3 AND (route LIKE 'read %' OR route LIKE 'find %'
				OR route LIKE 'list %' OR route = 'search') THEN 1 ELSE 0 END AS own_reads,
			CASE WHEN outcome LIKE 'refused%' THEN 1 ELSE 0 END AS refusals
		FROM audit ORDER BY audit_id DESC LIMIT 0 + $1) newest
	GROUP BY program_id, acted_at / 3600000, actor_kind
	ORDER BY acted_at / 3600000 DESC, actor_kind`

// CountHours counts the newest entries, and the refused ones among them, by hour and kind of actor.
func (t auditEntries) CountHours(
	programIDs []int, asker audit.Actor, limit int,
) ([]store.HourCount, error) {
	var hours []store.HourCount
	total, earliest := 0, time.Time{}
	err := t.session.Query(db.Query{
		Text: countHours, Args: []any{limit, asker.Kind, asker.Name},
		Each: func(row db.Scan) error {
			var programID, hour, count, ownReads, refused int
			var kind audit.Kind
			err := row(&programID, &hour, &kind, &count, &ownReads, &refused)
			at := beginningOf(hour)
			total, earliest = total+count, at
			if count == ownReads || programIDs != nil && !slices.Contains(programIDs, programID) {
				return err
			}
			last := len(hours) - 1
			if last < 0 || !hours[last].Hour.Equal(at) || hours[last].Kind != kind {
				hours = append(hours, store.HourCount{Hour: at, Kind: kind})
				last++
			}
			hours[last].Count += count - ownReads
			hours[last].Refused += refused
			return err
		},
	})
	if total == limit {
		hours = slices.DeleteFunc(hours, func(h store.HourCount) bool { return h.Hour.Equal(earliest) })
	}
	return hours, err
}
