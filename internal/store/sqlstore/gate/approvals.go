// Package gate holds the SQL of what stands between an operator and an act: the acts that wait for
// a second operator, and where in which bank a thing is. Who may act is decided in packages
// operator and admin.
package gate

import (
	"time"

	"mintmark/internal/operator"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Approvals are the rows of the table approvals.
type Approvals struct{ Session db.Session }

const (
	approvalColumns = `approval_id, revision, state, act, method, path, body, if_match, roles,
		program_id, bank_id, subject, reason, asked_by, asked_at, lapses_at, ended_by, ended_at,
		why, status, result`

	findApproval  = `SELECT ` + approvalColumns + ` FROM approvals WHERE approval_id = $1`
	listApprovals = `SELECT ` + approvalColumns + ` FROM approvals
		WHERE $1 = 0 OR approval_id < $1 ORDER BY approval_id DESC LIMIT 0 + $2`
	listWaiting = `SELECT ` + approvalColumns + ` FROM approvals
		WHERE state = 'waiting' AND lapses_at > $1 ORDER BY approval_id DESC`
)

func scanApproval(row db.Scan) (operator.Approval, error) {
	var a operator.Approval
	var state string
	err := row(&a.ID, &a.Revision, &state, &a.Act, &a.Method, &a.Path, &a.Body, &a.IfMatch,
		db.JSON{To: &a.Roles}, &a.ProgramID, &a.BankID, &a.Subject, &a.Reason,
		db.JSON{To: &a.AskedBy}, db.Time{To: &a.Asked}, db.Time{To: &a.Lapses}, &a.EndedBy,
		db.Time{To: &a.Ended}, &a.Why, &a.Status, &a.Result)
	a.State = operator.ApprovalState(state)
	return a, err
}

// Find returns an approval, whoever has asked for it.
func (t Approvals) Find(id int) (operator.Approval, error) {
	found, err := db.List(t.Session, scanApproval, findApproval, id)
	if err != nil {
		return operator.Approval{}, err
	}
	if len(found) == 0 {
		return operator.Approval{}, store.ErrNotFound
	}
	return found[0], nil
}

// List returns a page of approvals.
func (t Approvals) List(below, limit int) ([]operator.Approval, error) {
	return db.List(t.Session, scanApproval, listApprovals, below, limit)
}

// ListWaiting returns the approvals that wait.
func (t Approvals) ListWaiting(now time.Time) ([]operator.Approval, error) {
	return db.List(t.Session, scanApproval, listWaiting, now.UnixMilli())
}

const (
	insertApproval = `INSERT INTO approvals (state, act, method, path, body, if_match, roles,
			program_id, bank_id, subject, reason, asked_by, asked_at, lapses_at, ended_by, ended_at,
			why, status, result)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
			$19)`
	endApproval = `UPDATE approvals SET state = $1, ended_by = $2, ended_at = $3, why = $4,
			status = $5, result = $6, revision = revision + 1
		WHERE approval_id = $7 AND revision = $8`
)

// deleteResults does not change the revision: nobody has changed the approval.
const deleteResults = `UPDATE approvals SET result = NULL WHERE approval_id IN (
		SELECT approval_id FROM approvals WHERE result IS NOT NULL AND ended_at < $1
		ORDER BY ended_at LIMIT 0 + $2)`

// DeleteResultsBefore removes the answers that nobody has read in time.
func (t Approvals) DeleteResultsBefore(moment time.Time, limit int) (int, error) {
	deleted, err := t.Session.Exec(deleteResults, moment.UnixMilli(), limit)
	return int(deleted), t.Session.Fail(err)
}

// approvalID is the number of an approval.
var approvalID = db.Serial{Table: "approvals", Column: "approval_id"}

// Put inserts an approval, or stores how it has ended.
func (t Approvals) Put(a *operator.Approval) error {
	if a.Revision != 0 {
		err := t.Session.Change(endApproval, string(a.State), a.EndedBy, db.Millis(a.Ended), a.Why,
			a.Status, db.OrNull(a.Result), a.ID, a.Revision)
		if err == nil {
			a.Revision++
		}
		return err
	}
	texts, err := db.JSONTexts(a.Roles, a.AskedBy)
	if err != nil {
		return t.Session.Fail(err)
	}
	id, err := t.Session.Insert(approvalID, insertApproval, string(a.State), a.Act, a.Method,
		a.Path, db.OrEmpty(a.Body), a.IfMatch, texts[0], a.ProgramID, a.BankID, a.Subject, a.Reason,
		texts[1], db.Millis(a.Asked), db.Millis(a.Lapses), a.EndedBy, db.Millis(a.Ended), a.Why,
		a.Status, db.OrNull(a.Result))
	if err == nil {
		a.ID, a.Revision = id, 1
	}
	return err
}
