package doccheck

import (
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
)

// policy keeps the text and what shapes it. Scripts, styles, forms, frames and whatever is fetched
// from elsewhere are taken out, so that a preview asks nothing of anybody.
var policy = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowStandardAttributes()
	p.AllowElements("article", "section", "header", "footer", "div", "span", "p", "br", "hr", "h1",
		"h2", "h3", "h4", "h5", "h6", "strong", "b", "em", "i", "u", "s", "small", "sub", "sup",
		"blockquote", "pre", "code", "abbr", "address", "time")
	p.AllowLists()
	p.AllowTables()
	return p
}()

// Preview returns the HTML form of a document as a console may show it, and whether that is less
// than there is: an element or an attribute was taken out.
func Preview(text string) (clean string, less bool) {
	clean = policy.Sanitize(text)
	return clean, count(clean) != count(text)
}

// count is how many elements and attributes there are in a text.
func count(text string) int {
	n := 0
	for reader := html.NewTokenizer(strings.NewReader(text)); ; {
		switch reader.Next() {
		case html.ErrorToken:
			return n
		case html.StartTagToken, html.SelfClosingTagToken:
			token := reader.Token()
			if token.Data == "html" || token.Data == "head" || token.Data == "body" {
				continue // a whole page is shown by what is in it
			}
			n += 1 + len(token.Attr)
		}
	}
}
