package admin

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"mintmark/internal/issuing"
	"mintmark/internal/operator"
	"mintmark/internal/problem"
	"mintmark/internal/web"
)

// call is a request that the operator may make, on its way to its act.
type call struct {
	operator.Identity
	who      issuing.Operator
	params   map[string]string
	query    url.Values
	revision int // of If-Match, 0 without it
	body     []byte
	exchange *web.Exchange
}

// number returns a parameter of the path that is a number. Any other names nothing.
func (c *call) number(name string) (int, error) {
	number, err := strconv.Atoi(c.params[name])
	if err != nil || number < 1 || number > problem.MaxID {
		return 0, web.NotFound()
	}
	return number, nil
}

// queryNumber returns a member of the query that is a number, 0 where it is not given.
func (c *call) queryNumber(name string) (int, error) {
	text := c.query.Get(name)
	if text == "" {
		return 0, nil
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 || number > problem.MaxID {
		return 0, invalidQuery(name, "must be a positive whole number")
	}
	return number, nil
}

func (c *call) truth(name string) (bool, error) {
	switch c.query.Get(name) {
	case "":
		return false, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, invalidQuery(name, "must be true or false")
}

func invalidQuery(name, text string) error {
	return web.Invalid(problem.List{{Path: "", Text: "the parameter " + name + " " + text}})
}

// The lengths of a page.
const (
	usualPage = 50
	mostItems = 200
)

// page returns which page of a list is asked for.
func (c *call) page(path string) (issuing.Page, error) {
	page := issuing.Page{Limit: usualPage}
	if text := c.query.Get("limit"); text != "" {
		limit, err := strconv.Atoi(text)
		if err != nil || limit < 1 || limit > mostItems {
			return page, invalidQuery("limit", "must be from 1 to 200")
		}
		page.Limit = limit
	}
	text := c.query.Get("cursor")
	if text == "" {
		return page, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	mark := c.mark(path)
	if err != nil || !bytes.HasPrefix(raw, mark) {
		return page, invalidQuery("cursor", "is of another list or filter")
	}
	page.After = string(raw[len(mark):])
	return page, nil
}

// cursor is the address of the page behind a key. It belongs to one list with one filter.
func (c *call) cursor(path, last string) string {
	return base64.RawURLEncoding.EncodeToString(append(c.mark(path), last...))
}

// mark tells lists and filters apart.
func (c *call) mark(path string) []byte {
	filter := url.Values{"": {path}}
	for name, values := range c.query {
		if name != "cursor" && name != "limit" {
			filter[name] = values
		}
	}
	for name, value := range c.params {
		filter["{"+name] = []string{value}
	}
	sum := sha256.Sum256([]byte(filter.Encode()))
	return sum[:6]
}

func etag(revision int) string { return strconv.Quote(strconv.Itoa(revision)) }

// readRevision reads If-Match.
func (c *call) readRevision(row *route) error {
	text := c.exchange.Request.Header.Get("If-Match")
	if text == "" {
		if row.revision {
			return ifMatchRequired()
		}
		return nil
	}
	unquoted, err := strconv.Unquote(text)
	if err == nil {
		c.revision, err = strconv.Atoi(unquoted)
	}
	if err != nil || c.revision < 1 {
		return stale()
	}
	return nil
}

// bind reads a body, and the reason for the audit, which stands in it or in the header.
func bind[Q any](c *call, o Operation) (Q, error) {
	var asked Q
	var reasoned struct {
		Reason string `json:"reason"`
	}
	body := c.body
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}")
	}
	if err := json.Unmarshal(body, &reasoned); err == nil && reasoned.Reason != "" {
		c.who.Reason = reasoned.Reason
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&asked); err != nil {
		return asked, web.Invalid(problem.List{{Text: err.Error()}})
	}
	if o.Reason && c.who.Reason == "" {
		return asked, web.Invalid(problem.List{{Path: "reason", Text: "is required"}})
	}
	return asked, nil
}

// merged applies the body, a merge patch, to a resource.
func merged[A any](c *call, before A) (A, error) {
	var after A
	text, err := json.Marshal(before)
	if err != nil {
		return after, err
	}
	text, err = jsonpatch.MergePatch(text, c.body)
	if err != nil {
		return after, web.Invalid(problem.List{{Text: "is no JSON"}})
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&after); err != nil {
		return after, web.Invalid(problem.List{{Text: err.Error()}})
	}
	return after, nil
}
