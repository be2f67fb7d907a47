package sqlstore

import (
	"math"
	"slices"
	"time"

	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// approvals implements store.Approvals on the table approvals.
type approvals struct{ *tx }

const (
	approvalColumns = `approval_id, revision, state, act, method, path, body, if_match, roles,
		program_id, bank_id, subject, reason, asked_by, asked_at, lapses_at, ended_by, ended_kind,
		ended_id, ended_at, why, begun_at, status, result`

	findApproval  = `SELECT ` + approvalColumns + ` FROM approvals WHERE approval_id = $1`
	listApprovals = `SELECT ` + approvalColumns + ` FROM approvals
		WHERE approval_id < $1 ORDER BY approval_id DESC LIMIT 0 + $2`
	// The plus signs keep the databases from scanning the IDs of all approvals for the waiting
	// ones.
	approvalsWaiting = `SELECT ` + approvalColumns + ` FROM approvals
		WHERE state = 'waiting' AND lapses_at > $3 AND +approval_id < $1`
	newestApprovals            = ` ORDER BY +approval_id DESC LIMIT 0 + $2`
	listApprovalsWaiting       = approvalsWaiting + newestApprovals
	listApprovalsWaitingOfBank = approvalsWaiting + ` AND bank_id = $4` + newestApprovals
	listApprovalsOfOwner       = `SELECT ` + approvalColumns + ` FROM approvals
		WHERE owner_kind = $3 AND owner_id = $4 AND approval_id < $1
		ORDER BY approval_id DESC LIMIT 0 + $2`
)

func scanApproval(row db.Scan) (operator.Approval, error) {
	var a operator.Approval
	var state, endedKind string
	err := row(&a.ID, &a.Revision, &state, &a.Act, &a.Method, &a.Path, &a.Body, &a.IfMatch,
		db.JSON{To: &a.Roles}, &a.ProgramID, &a.BankID, &a.Subject, &a.Reason,
		db.JSON{To: &a.AskedBy}, db.Time{To: &a.Asked}, db.Time{To: &a.Lapses}, &a.EndedBy.Name,
		&endedKind, &a.EndedBy.ID, db.Time{To: &a.Ended}, &a.Why, db.Time{To: &a.Begun}, &a.Status,
		&a.Result)
	a.State = operator.ApprovalState(state)
	a.EndedBy.IsToken = endedKind == operator.Identity{IsToken: true}.Kind()
	return a, err
}

// Find returns an approval, regardless of who requested it.
func (t approvals) Find(id int) (operator.Approval, error) {
	return db.One(t.session, scanApproval, findApproval, id)
}

// List returns a page of approvals, read from an index.
func (t approvals) List(q store.ApprovalQuery) ([]operator.Approval, error) {
	below := q.Below
	if below == 0 {
		below = math.MaxInt64
	}
	switch {
	case q.Banks != nil:
		var approvals []operator.Approval
		var queries []db.Query
		for _, bank := range q.Banks {
			queries = append(queries, db.Rows(&approvals, scanApproval, listApprovalsWaitingOfBank,
				below, q.Limit, q.WaitingAt.UnixMilli(), bank))
		}
		if err := t.session.Query(queries...); err != nil {
			return nil, err
		}
		slices.SortFunc(approvals, func(a, b operator.Approval) int { return b.ID - a.ID })
		return approvals[:min(len(approvals), q.Limit)], nil
	case !q.WaitingAt.IsZero():
		return db.List(t.session, scanApproval, listApprovalsWaiting, below, q.Limit,
			q.WaitingAt.UnixMilli())
	case q.Owner != nil:
		return db.List(t.session, scanApproval, listApprovalsOfOwner, below, q.Limit,
			string(q.Owner.Kind), q.Owner.ID)
	}
	return db.List(t.session, scanApproval, listApprovals, below, q.Limit)
}

const (
	insertApproval = `INSERT INTO approvals (state, act, method, path, body, if_match, roles,
			program_id, bank_id, subject, reason, asked_by, owner_kind, owner_id, asked_at,
			lapses_at, ended_by, ended_kind, ended_id, ended_at, why, begun_at, status, result)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
			$19, $20, $21, $22, $23, $24)`
	endApproval = `UPDATE approvals SET state = $1, ended_by = $2, ended_kind = $3, ended_id = $4,
			ended_at = $5, why = $6, begun_at = $7, status = $8, result = $9,
			revision = revision + 1
		WHERE approval_id = $10 AND revision = $11`
)

// deleteApprovalResults does not change the revision, because no operator has changed the approval.
const deleteApprovalResults = `UPDATE approvals SET result = NULL WHERE approval_id IN (
		SELECT approval_id FROM approvals WHERE result IS NOT NULL AND ended_at < $1 AND status < $2
		ORDER BY ended_at LIMIT 0 + $3)`

// DeleteResultsBefore deletes the answers that the requester has not read in time. Refusals stay.
func (t approvals) DeleteResultsBefore(moment time.Time, limit int) (int, error) {
	deleted, err := t.session.Exec(deleteApprovalResults, moment.UnixMilli(), operator.FirstRefusal, limit)
	return int(deleted), t.session.Fail(err)
}

const deleteApprovals = `DELETE FROM approvals WHERE approval_id IN (
		SELECT approval_id FROM approvals WHERE lapses_at < $1 ORDER BY lapses_at LIMIT 0 + $2)`

// DeleteBefore deletes the approvals that lapsed before a given time.
func (t approvals) DeleteBefore(moment time.Time, limit int) (int, error) {
	deleted, err := t.session.Exec(deleteApprovals, moment.UnixMilli(), limit)
	return int(deleted), t.session.Fail(err)
}

var approvalID = db.Serial{Table: "approvals", Column: "approval_id"}

// Put inserts an approval, or stores its outcome.
func (t approvals) Put(a *operator.Approval) error {
	ender := a.EndedBy
	endedKind := ""
	if ender.ID != 0 {
		endedKind = ender.Kind()
	}
	if a.Revision != 0 {
		err := t.session.Change(endApproval, string(a.State), ender.Name, endedKind, ender.ID,
			db.Millis(a.Ended), a.Why, db.Millis(a.Begun), a.Status, db.OrNull(a.Result), a.ID,
			a.Revision)
		if err == nil {
			a.Revision++
		}
		return err
	}
	texts, err := db.JSONTexts(a.Roles, a.AskedBy)
	if err != nil {
		return t.session.Fail(err)
	}
	owner := a.AskedBy.Person()
	id, err := t.session.Insert(approvalID, insertApproval, string(a.State), a.Act, a.Method,
		a.Path, db.OrEmpty(a.Body), a.IfMatch, texts[0], a.ProgramID, a.BankID, a.Subject, a.Reason,
		texts[1], string(owner.Kind), owner.ID, db.Millis(a.Asked), db.Millis(a.Lapses), ender.Name,
		endedKind, ender.ID, db.Millis(a.Ended), a.Why, db.Millis(a.Begun), a.Status,
		db.OrNull(a.Result))
	if err == nil {
		a.ID, a.Revision = id, 1
	}
	return err
}
