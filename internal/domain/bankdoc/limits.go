package bankdoc

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"mintmark/internal/base/problem"
)

// Maximum lengths in characters.
const (
	MaxCulture     = 20
	MaxTitle       = 100
	MaxDownloadURL = 255
)

// MaxHTMLBytes is the maximum size of the HTML form.
const MaxHTMLBytes = MaxHTMLMegabytes << 20

// MaxHTMLMegabytes is the same maximum in the unit that messages use.
const MaxHTMLMegabytes = 2

// culture matches a language and a region, in any letter case.
var culture = regexp.MustCompile(`^[A-Za-z]{2,3}-([A-Za-z]{4}-)?([A-Za-z]{2}|[0-9]{3})$`)

// Rules checks each member of a document.
func (d Document) Rules(r *problem.Rules) {
	r.Number("documentId", d.ID, 1, problem.MaxGivenID)
	r.ID("bankId", d.BankID)
	r.Text("culture", d.Culture, MaxCulture)
	if !culture.MatchString(d.Culture) {
		r.Add("culture", "%q is not a language and a region, such as en-US", d.Culture)
	}
	problem.OneOf(r, "documentType", d.Type, Types)
	r.Name("title", d.Title, MaxTitle)
	r.Require("effectiveDate", !d.Effective.IsZero())
	r.Given("html")
	switch {
	case len(d.HTML) > MaxHTMLBytes || !utf8.ValidString(d.HTML):
		r.Add("html", "must be a file of UTF-8 text of at most %d MB", MaxHTMLMegabytes)
	case strings.TrimSpace(d.HTML) == "":
		r.Add("html", "is empty")
	}
	if len(d.PDF) > 0 {
		if _, err := d.File(""); err != nil {
			r.Add("pdf", "is not a PDF: it does not begin with %%PDF")
		}
	}
}
