package sqlstore

import (
	"strings"

	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// documents implements store.Documents on the tables documents and document_drafts.
type documents struct{ *tx }

// documentColumns lists the columns of a document that is in force. It leaves out the PDF, and the
// revision, which is stored after the PDF: SQLite would have to read past it.
const documentColumns = `document_id, bank_id, culture, type, title, html, effective_at, expires_at`

func scanDocument(row db.Scan) (bankdoc.Document, error) {
	var d bankdoc.Document
	err := row(append(documentFields(&d), &d.HasPDF)...)
	return d, err
}

// documentFields returns the scan destinations for documentColumns.
func documentFields(d *bankdoc.Document) []any {
	return []any{&d.ID, &d.BankID, &d.Culture, &d.Type, &d.Title, &d.HTML,
		db.Time{To: &d.Effective}, db.Time{To: &d.Expires}}
}

// Names of cultures are ASCII, for which lower() gives the same result on both databases.
const listDocuments = `SELECT document_id, bank_id, culture, type, title, '', effective_at,
		expires_at, pdf IS NOT NULL FROM documents
	WHERE bank_id = $1 AND lower(culture) = $2 ORDER BY document_id`

func (t documents) List(bankID int, culture string) ([]bankdoc.Document, error) {
	return db.List(t.session, scanDocument, listDocuments, bankID, lowerASCII(culture))
}

func lowerASCII(culture string) string {
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			return c - 'A' + 'a'
		}
		return c
	}, culture)
}

// An index includes the dates, so that other versions of a document are not read.
const (
	fromInForce = ` FROM documents WHERE bank_id = $1 AND effective_at <= $2
		AND (expires_at IS NULL OR expires_at > $2)
		AND lower(culture) = $3 AND ($4 = '' OR type = $4)`
	measureInForce = `SELECT COALESCE(SUM(octet_length(html)), 0)` + fromInForce
	listInForce    = `SELECT ` + documentColumns + `, pdf IS NOT NULL` + fromInForce + `
		AND ($5 = 0 OR $5 >= (` + measureInForce + `)) ORDER BY document_id`
)

// ListInForce measures and lists the documents in one round trip.
func (t documents) ListInForce(
	q store.DocumentsInForce, maxBytes int,
) (all []bankdoc.Document, err error) {
	args := []any{q.BankID, q.At.UnixMilli(), lowerASCII(q.Culture), string(q.Type)}
	length := 0
	err = t.session.Query(
		db.Row([]any{&length}, measureInForce, args...),
		db.Rows(&all, scanDocument, listInForce, append(args, maxBytes)...),
	)
	if err == nil && maxBytes != store.NoLimit && length > maxBytes {
		err = store.ErrTooMany
	}
	return all, err
}

const listDocumentsOfBank = `SELECT document_id, bank_id, culture, type, title, '', effective_at,
		expires_at, pdf IS NOT NULL, revision, published_at FROM documents
	WHERE bank_id = $1 AND document_id > $2 ORDER BY document_id LIMIT 0 + $3`

func (t documents) ListOfBank(bankID, after, limit int) ([]bankdoc.Document, error) {
	return db.List(t.session, func(row db.Scan) (bankdoc.Document, error) {
		var d bankdoc.Document
		err := row(append(documentFields(&d), &d.HasPDF, &d.Revision,
			db.Time{To: &d.Published})...)
		return d, err
	}, listDocumentsOfBank, bankID, after, limit)
}

const findDocument = `SELECT ` + documentColumns + `, pdf, revision, published_at FROM documents
	WHERE bank_id = $1 AND document_id = $2`

func (t documents) Find(bankID, documentID int) (bankdoc.Document, error) {
	var d bankdoc.Document
	into := append(documentFields(&d), &d.PDF, &d.Revision, db.Time{To: &d.Published})
	err := t.find(into, findDocument, bankID, documentID)
	if err != nil {
		return bankdoc.Document{}, err
	}
	d.HasPDF = len(d.PDF) > 0
	return d, nil
}

const (
	insertDocument = `INSERT INTO documents (` + documentColumns + `, pdf, published_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
	updateDocument = `UPDATE documents SET bank_id = $2, culture = $3, type = $4, title = $5,
			html = $6, effective_at = $7, expires_at = $8, pdf = $9, published_at = $10,
			revision = revision + 1
		WHERE document_id = $1 AND revision = $11`
)

// Put inserts a document, or replaces the revision that was read. Drafts get higher IDs, so that
// each can be published under its own ID.
func (t documents) Put(d bankdoc.Document) error {
	if err := t.session.AdvanceSequence(draftID, d.ID); err != nil {
		return err
	}
	return db.Put(t.session, d.Revision, insertDocument, updateDocument, d.ID, d.BankID, d.Culture,
		d.Type,
		d.Title, d.HTML, db.Millis(d.Effective), db.Millis(d.Expires), db.OrNull(d.PDF),
		db.Millis(d.Published))
}

func (t documents) FindBank(documentID int) (int, error) {
	var bankID int
	const findBank = `SELECT bank_id FROM documents WHERE document_id = $1`
	err := t.find([]any{&bankID}, findBank, documentID)
	return bankID, err
}

const (
	draftDates = `effective_at, expires_at, revision`

	findDraft = `SELECT document_id, bank_id, culture, type, title, ` + draftDates + `, html, pdf
		FROM document_drafts WHERE bank_id = $1 AND document_id = $2`
	listDrafts = `SELECT document_id, bank_id, culture, type, title, ` + draftDates + `,
			pdf IS NOT NULL
		FROM document_drafts WHERE bank_id = $1 AND document_id > $2
		ORDER BY document_id LIMIT 0 + $3`
)

// draftFields returns the scan destinations for the columns with which both queries begin.
func draftFields(d *bankdoc.Document) []any {
	return []any{&d.ID, &d.BankID, &d.Culture, &d.Type, &d.Title,
		db.Time{To: &d.Effective}, db.Time{To: &d.Expires}, &d.Revision}
}

func (t documents) FindDraft(bankID, documentID int) (bankdoc.Document, error) {
	var d bankdoc.Document
	into := append(draftFields(&d), &d.HTML, &d.PDF)
	err := t.find(into, findDraft, bankID, documentID)
	d.HasPDF = len(d.PDF) > 0
	return d, err
}

func (t documents) ListDrafts(bankID, after, limit int) ([]bankdoc.Document, error) {
	return db.List(t.session, func(row db.Scan) (bankdoc.Document, error) {
		var d bankdoc.Document
		err := row(append(draftFields(&d), &d.HasPDF)...)
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

var draftID = db.Serial{Table: "document_drafts", Column: "document_id"}

// PutDraft inserts a draft, or replaces the revision that was read.
func (t documents) PutDraft(d *bankdoc.Document) error {
	args := []any{d.BankID, d.Culture, d.Type, d.Title, d.HTML, db.Millis(d.Effective),
		db.Millis(d.Expires), db.OrNull(d.PDF)}
	return putNumbered(t.session, numbered{
		id: &d.ID, revision: &d.Revision, serial: draftID, insert: insertDraft, update: updateDraft,
	}, args...)
}

// DeleteDraft deletes a draft at the revision that was read.
func (t documents) DeleteDraft(d bankdoc.Document) error {
	return t.session.Change(deleteDraft, d.ID, d.Revision)
}
