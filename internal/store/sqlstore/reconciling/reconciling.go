// Package reconciling holds the SQL of reconciliations: the rows of the table reconciliations, in
// this file, and the cards, accounts and orders that lists are compared with, in compared.go. What
// agrees is decided in package reconcile.
package reconciling

import (
	"math"
	"slices"

	"mintmark/internal/store"
	"mintmark/internal/store/reconciled"
	"mintmark/internal/store/sqlstore/db"
)

// Reconciliations are the rows of the table reconciliations.
type Reconciliations struct{ Session db.Session }

// Of returns the reconciliations of a transaction.
func Of(s db.Session) reconciled.Reconciliations { return Reconciliations{s} }

const (
	columns = `r.reconciliation_id, r.program_id, r.kind, r.list_at, r.made_at, r.digest, r.who,
		r.compared, r.same, r.in_flight, r.different, r.sorts`

	findReport = `SELECT ` + columns + `, r.differences FROM reconciliations r
		WHERE r.reconciliation_id = $1`
	listReports = `SELECT ` + columns + `, '[]' FROM reconciliations r
		WHERE ($1 = '' OR r.kind = $1) AND r.reconciliation_id < $2
		ORDER BY r.reconciliation_id DESC LIMIT 0 + $3`
	listOfProgram = `SELECT ` + columns + `, '[]' FROM reconciliations r
		WHERE ($1 = '' OR r.kind = $1) AND r.reconciliation_id < $2 AND r.program_id = $4
		ORDER BY r.reconciliation_id DESC LIMIT 0 + $3`
	listLast = `SELECT ` + columns + `, '[]' FROM reconciliations r
		WHERE r.reconciliation_id IN
				(SELECT MAX(reconciliation_id) FROM reconciliations GROUP BY program_id, kind)
			AND ($1 = '' OR r.kind = $1) AND r.reconciliation_id < $2
		ORDER BY r.reconciliation_id DESC LIMIT 0 + $3`

	insertReport = `INSERT INTO reconciliations (program_id, kind, list_at, made_at, digest, who,
			compared, same, in_flight, different, sorts, differences)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`
)

var serial = db.Serial{Table: "reconciliations", Column: "reconciliation_id"}

func scan(row db.Scan) (reconciled.Report, error) {
	var r reconciled.Report
	err := row(&r.ID, &r.ProgramID, &r.Kind, db.Time{To: &r.At}, db.Time{To: &r.Made}, &r.Digest,
		&r.Who, &r.Compared, &r.Equal, &r.InFlight, &r.Different, db.JSON{To: &r.BySort},
		db.JSON{To: &r.Differences})
	return r, err
}

// Find returns a report with its differences.
func (t Reconciliations) Find(id int) (reconciled.Report, error) {
	found, err := db.List(t.Session, scan, findReport, id)
	if err == nil && len(found) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return reconciled.Report{}, err
	}
	return found[0], nil
}

// List returns reports, the newest first.
func (t Reconciliations) List(of reconciled.Query) ([]reconciled.Report, error) {
	before := of.Before
	if before == 0 {
		before = math.MaxInt32 + 1
	}
	args := []any{string(of.Kind), before, of.Limit}
	if of.Programs == nil {
		text := listReports
		if of.Last {
			text = listLast
		}
		return db.List(t.Session, scan, text, args...)
	}
	var found []reconciled.Report
	var queries []db.Query
	for _, id := range of.Programs {
		queries = append(queries, db.Rows(&found, scan, listOfProgram, append(args, id)...))
	}
	if len(queries) == 0 {
		return nil, nil
	}
	if err := t.Session.Query(queries...); err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b reconciled.Report) int { return b.ID - a.ID })
	return found[:min(len(found), of.Limit)], nil
}

// Put inserts a report under the next number.
func (t Reconciliations) Put(r *reconciled.Report) error {
	texts, err := db.JSONTexts(r.BySort, r.Differences)
	if err != nil {
		return t.Session.Fail(err)
	}
	r.ID, err = t.Session.Insert(serial, insertReport, r.ProgramID, string(r.Kind),
		r.At.UnixMilli(), r.Made.UnixMilli(), r.Digest, r.Who, r.Compared, r.Equal, r.InFlight,
		r.Different, texts[0], texts[1])
	return err
}
