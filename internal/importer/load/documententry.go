package load

import (
	"strconv"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/bankdoc"
)

// documentEntry names its forms as files beside the loaded file.
type documentEntry struct {
	DocumentID    int        `json:"documentId"`
	BankID        int        `json:"bankId"`
	Culture       string     `json:"culture"`
	DocumentType  string     `json:"documentType"`
	Title         string     `json:"title"`
	EffectiveDate value.Time `json:"effectiveDate"`
	ExpireDate    value.Time `json:"expireDate"`
	HTML          string     `json:"html"`
	PDF           string     `json:"pdf"`
}

var documentForm = form{
	title: "documents",
	members: map[string]string{
		"documentId":    "Number of the document.",
		"bankId":        "Bank whose document it is.",
		"culture":       "Language and region, such as en-US.",
		"documentType":  "Kind of document.",
		"title":         "Title, the text of the link.",
		"effectiveDate": "When it comes into force.",
		"expireDate":    "When it expires, after effectiveDate; never when left out.",
		"html": "File with the text in HTML: at most " + strconv.Itoa(bankdoc.MaxHTMLMegabytes) +
			" MB of UTF-8, beside the loaded file or " +
			"below.",
		"pdf": "File with the PDF form, beside the loaded file or below.",
	},
	rules:  problem.Describe(bankdoc.Document{}),
	hidden: []string{"html", "pdf"},
}

func entryOfDocument(d bankdoc.Document) documentEntry {
	return documentEntry{
		DocumentID: d.ID, BankID: d.BankID, Culture: d.Culture, DocumentType: string(d.Type),
		Title: d.Title, EffectiveDate: value.Time{Time: d.Effective},
		ExpireDate: value.Time{Time: d.Expires},
	}
}

// document returns the document with the stored forms and revision.
func (e *documentEntry) document(stored bankdoc.Document) bankdoc.Document {
	return bankdoc.Document{
		ID: e.DocumentID, BankID: e.BankID, Culture: e.Culture,
		Type: bankdoc.Type(e.DocumentType), Title: e.Title,
		Effective: e.EffectiveDate.UTC(), Expires: e.ExpireDate.UTC(),
		HTML: stored.HTML, PDF: stored.PDF, Published: stored.Published,
		Revision: stored.Revision,
	}
}
