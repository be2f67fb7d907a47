package doccheck

import (
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
)

// policy allows text and its formatting. It removes scripts, styles, forms, frames and everything
// that is fetched from elsewhere, so that a preview makes no requests.
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

// Preview returns the HTML form of a document as a console may show it. less reports whether an
// element or an attribute was removed.
func Preview(text string) (clean string, less bool) {
	clean = policy.Sanitize(text)
	return clean, count(clean) != count(text)
}

// count returns the number of elements and attributes.
func count(text string) int {
	n := 0
	for reader := html.NewTokenizer(strings.NewReader(text)); ; {
		switch reader.Next() {
		case html.ErrorToken:
			return n
		case html.StartTagToken, html.SelfClosingTagToken:
			token := reader.Token()
			if token.Data == "html" || token.Data == "head" || token.Data == "body" {
				continue // a preview omits the tags of the page itself
			}
			n += 1 + len(token.Attr)
		}
	}
}
