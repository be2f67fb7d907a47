package sqlstore

import (
	"strings"

	"mintmark/internal/bankdoc"
)

const documentColumns = `document_id, bank_id, culture, type, title, html, effective_at, expires_at`

func scanDocument(row scan) (bankdoc.Document, error) {
	var d bankdoc.Document
	err := row(append(documentFields(&d), &d.HasPDF)...)
	return d, err
}

// documentFields are where documentColumns belong.
func documentFields(d *bankdoc.Document) []any {
	return []any{&d.ID, &d.BankID, &d.Culture, &d.Type, &d.Title, &d.HTML,
		timeColumn{&d.Effective}, timeColumn{&d.Expires}}
}

// A list leaves the PDFs out, which may be megabytes each. Both databases make small letters of
// those of ASCII only, of which the names of cultures consist.
const listDocuments = `SELECT ` + documentColumns + `, pdf IS NOT NULL FROM documents
	WHERE bank_id = $1 AND lower(culture) = $2 ORDER BY document_id`

func (r *reader) ListDocuments(bankID int, culture string) ([]bankdoc.Document, error) {
	small := strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			return c - 'A' + 'a'
		}
		return c
	}, culture)
	return list(r, scanDocument, listDocuments, bankID, small)
}

const findDocument = `SELECT ` + documentColumns + `, pdf FROM documents
	WHERE bank_id = $1 AND document_id = $2`

func (r *reader) FindDocument(bankID, documentID int) (bankdoc.Document, error) {
	var d bankdoc.Document
	err := r.row(findDocument, bankID, documentID)(append(documentFields(&d), &d.PDF)...)
	if err != nil {
		return bankdoc.Document{}, err
	}
	d.HasPDF = len(d.PDF) > 0
	return d, nil
}

const putDocument = `INSERT INTO documents (` + documentColumns + `, pdf)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
	ON CONFLICT (document_id) DO UPDATE SET bank_id = excluded.bank_id,
		culture = excluded.culture, type = excluded.type, title = excluded.title,
		html = excluded.html, effective_at = excluded.effective_at,
		expires_at = excluded.expires_at, pdf = excluded.pdf`

func (t *tx) PutDocument(d bankdoc.Document) error {
	return t.write(putDocument, d.ID, d.BankID, d.Culture, d.Type, d.Title, d.HTML,
		millis(d.Effective), millis(d.Expires), orNull(d.PDF))
}
