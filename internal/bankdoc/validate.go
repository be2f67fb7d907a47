package bankdoc

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"mintmark/internal/problem"
)

// MaxHTMLBytes is the greatest size of the HTML form (section 2.7).
const MaxHTMLBytes = 2 << 20

// culture is the form of a language and a region, in any letter case.
var culture = regexp.MustCompile(`^[A-Za-z]{2,3}-([A-Za-z]{4}-)?([A-Za-z]{2}|[0-9]{3})$`)

// Validate returns what is wrong with a document that an operator wants kept.
func (d Document) Validate() problem.List {
	var found problem.List
	if d.Culture != "" && !culture.MatchString(d.Culture) {
		found.Add("culture", "%q is not a language and a region, such as en-US", d.Culture)
	}
	if !d.Expires.IsZero() && !d.Expires.After(d.Effective) {
		found.Add("expireDate", "does not lie behind effectiveDate")
	}
	switch {
	case len(d.HTML) > MaxHTMLBytes || !utf8.ValidString(d.HTML):
		found.Add("html", "must be a file of UTF-8 text of at most 2 MB")
	case strings.TrimSpace(d.HTML) == "":
		found.Add("html", "is empty")
	}
	if len(d.PDF) > 0 {
		if _, err := d.File(); err != nil {
			found.Add("pdf", "is no PDF: it does not begin with %%PDF")
		}
	}
	return found
}
