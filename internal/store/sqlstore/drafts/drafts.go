// Package drafts holds the SQL of documents that are not published. What callers read stands in the
// table documents, whose SQL is in package sqlstore; what a draft must be, and what becomes of it,
// is decided in packages bankdoc and issuing.
package drafts

import (
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Drafts are the rows of the table document_drafts.
type Drafts struct{ Session db.Session }

const (
	dates = `effective_at, expires_at, revision`

	findDraft = `SELECT document_id, bank_id, culture, type, title, ` + dates + `, html, pdf
		FROM document_drafts WHERE bank_id = $1 AND document_id = $2`
	listDrafts = `SELECT document_id, bank_id, culture, type, title, ` + dates + `,
			pdf IS NOT NULL
		FROM document_drafts WHERE bank_id = $1 AND document_id > $2
		ORDER BY document_id LIMIT 0 + $3`
)

// fields returns where the columns go that both queries begin with.
func fields(d *bankdoc.Document) []any {
	return []any{&d.ID, &d.BankID, &d.Culture, &d.Type, &d.Title,
		db.Time{To: &d.Effective}, db.Time{To: &d.Expires}, &d.Revision}
}

// Find finds a draft of a bank.
func (t Drafts) Find(bankID, documentID int) (bankdoc.Document, error) {
	var d bankdoc.Document
	into := append(fields(&d), &d.HTML, &d.PDF)
	found, err := db.Find(t.Session, into, findDraft, bankID, documentID)
	if err == nil && !found {
		err = store.ErrNotFound
	}
	d.HasPDF = len(d.PDF) > 0
	return d, err
}

// List lists the drafts of a bank.
func (t Drafts) List(bankID, after, limit int) ([]bankdoc.Document, error) {
	return db.List(t.Session, func(row db.Scan) (bankdoc.Document, error) {
		var d bankdoc.Document
		err := row(append(fields(&d), &d.HasPDF)...)
		return d, err
	}, listDrafts, bankID, after, limit)
}

const (
	insertDraft = `INSERT INTO document_drafts (bank_id, culture, type, title, html, effective_at,
			expires_at, pdf)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
	updateDraft = `UPDATE document_drafts SET bank_id = $1, culture = $2, type = $3, title = $4,
			html = $5, effective_at = $6, expires_at = $7, pdf = $8, revision = revision + 1
		WHERE document_id = $9 AND revision = $10`
	deleteDraft = `DELETE FROM document_drafts WHERE document_id = $1 AND revision = $2`
)

var documentID = db.Serial{Table: "document_drafts", Column: "document_id"}

// Put inserts a draft, or replaces the revision that was read.
func (t Drafts) Put(d *bankdoc.Document) error {
	args := []any{d.BankID, d.Culture, d.Type, d.Title, d.HTML, db.Millis(d.Effective),
		db.Millis(d.Expires), db.OrNull(d.PDF)}
	if d.Revision > 0 {
		err := t.Session.Change(updateDraft, append(args, d.ID, d.Revision)...)
		if err == nil {
			d.Revision++
		}
		return err
	}
	id, err := t.Session.Insert(documentID, insertDraft, args...)
	if err == nil {
		d.ID, d.Revision = id, 1
	}
	return err
}

// Delete removes a draft at the revision that was read.
func (t Drafts) Delete(d bankdoc.Document) error {
	return t.Session.Change(deleteDraft, d.ID, d.Revision)
}
