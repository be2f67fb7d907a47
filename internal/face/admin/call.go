package admin

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// call is a request that has found its row, on its way to its act.
type call struct {
	request Request
	operator.Identity
	who      issuing.Operator
	params   map[string]string
	query    url.Values
	revision int // of If-Match, 0 without it
	body     []byte

	desk     *Desk
	row      *Op
	place    issuing.Location // that the path names; zero for none
	approved bool             // by a second operator

	// Of a dry run.
	before  any           // the resource as it was, nil for none
	partial bool          // before has members that the answer has not
	changes []wire.Change // that the act has told itself
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

// upTo returns a member of the query that is a number from 0 to most, or otherwise where it is not
// given.
func (c *call) upTo(name string, otherwise, most int) (int, error) {
	text := c.query.Get(name)
	if text == "" {
		return otherwise, nil
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 0 || number > most {
		return 0, invalidQuery(name, fmt.Sprintf("must be a whole number from 0 to %d", most))
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

// checkQuery returns what is wrong with the query as a whole: a name that the row does not read, a
// name given twice, a text that is none, and a card number: addresses are kept by others.
func (c *call) checkQuery() error {
	known := c.row.engineQuery()
	for _, p := range c.row.Filters {
		known = append(known, p.Name)
	}
	var problems problem.List
	for name, values := range c.query {
		switch {
		case !slices.Contains(known, name):
			problems.Add("", "the parameter %q is unknown", name)
		case len(values) > 1:
			problems.Add("", "the parameter %s is given twice", name)
		case !strictjson.IsLine(values[0]):
			problems.Add("", "the parameter %s must have no control characters", name)
		case name == "q" && pan.MayHold(values[0]) || name != "cursor" && pan.Holds(values[0]):
			problems.Add("", "the parameter %s may not be a card number: use cards/search", name)
		}
	}
	if len(problems) == 0 {
		return nil
	}
	slices.SortFunc(problems, func(a, b problem.Problem) int {
		return strings.Compare(a.Text, b.Text)
	})
	return web.Invalid(problems)
}

// engineQuery are the members of the query that the engine reads for a row.
func (o *Op) engineQuery() []string {
	switch {
	case o.List:
		return []string{"limit", "cursor", "sort", "count"}
	case o.Changes():
		return []string{"dryRun"}
	}
	return nil
}

// The lengths of a page.
const (
	usualPage = 50
	maxItems  = 200
)

// page returns which page of a list is asked for.
func (c *call) page(path string) (issuing.Page, error) {
	page := issuing.Page{Limit: usualPage}
	if text := c.query.Get("limit"); text != "" {
		limit, err := strconv.Atoi(text)
		if err != nil || limit < 1 || limit > maxItems {
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
	if err != nil || !bytes.HasPrefix(raw, mark) || !strictjson.IsLine(string(raw[len(mark):])) {
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

// location is the path of what a row has made.
func (c *call) location(id string) string {
	path := c.row.Location
	if path == "" {
		path = c.row.Path + "/{}"
	}
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		name, isParameter := strings.CutPrefix(segment, "{")
		given, isGiven := c.params[strings.TrimSuffix(name, "}")]
		switch {
		case isParameter && i == len(segments)-1:
			segments[i] = url.PathEscape(id)
		case isParameter && isGiven:
			segments[i] = url.PathEscape(given)
		}
	}
	return wire.Prefix + strings.Join(segments, "/")
}

func etag(revision int) string { return strconv.Quote(strconv.Itoa(revision)) }

// checkRevision reads If-Match, and compares it with the resource that a patch has read.
func (c *call) checkRevision() error {
	if !c.row.ifMatch {
		return nil
	}
	if !c.approved { // otherwise it was read when the act was asked for
		if err := c.readRevision(); err != nil {
			return err
		}
	}
	if c.row.Method == http.MethodPatch && revisionOf(c.before) != c.revision {
		return stale()
	}
	return nil
}

func (c *call) readRevision() error {
	if c.request.IfMatch == "" {
		if c.row.Revision {
			return ifMatchRequired()
		}
		return nil
	}
	var err error
	c.revision, err = strconv.Atoi(strings.Trim(c.request.IfMatch, `"`))
	if err != nil || c.revision < 1 || c.revision > problem.MaxID || c.request.IfMatch != etag(c.revision) {
		return stale()
	}
	return nil
}
