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
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// call is a request whose row is known, on its way to the act.
type call struct {
	request Request
	operator.Identity
	who      issuing.Operator
	params   map[string]string
	query    url.Values
	revision int // from If-Match, 0 without it
	body     []byte

	desk     *Desk
	row      *Op
	place    issuing.Location // named by the path; zero for none
	approved bool             // by a second operator

	// For a dry run.
	before  any           // the resource before the act, nil for none
	partial bool          // before has members that the answer lacks
	changes []wire.Change // reported by the act itself
}

// parameter returns a numeric path parameter. Any other value is the problem not-found.
func (c *call) parameter(name string) (int, error) {
	number, ok := readNumber(c.params[name])
	if !ok {
		return 0, web.NotFound()
	}
	return number, nil
}

// number returns a numeric filter, 0 if absent. Like flag and span, it relies on checkQuery.
func (c *call) number(name string) int {
	number, _ := readNumber(c.query.Get(name))
	return number
}

// flag returns a boolean filter.
func (c *call) flag(name string) bool { return c.query.Get(name) == "true" }

// span returns the filters from and to.
func (c *call) span() issuing.Span {
	from, _ := readMoment(c.query.Get("from"))
	to, _ := readMoment(c.query.Get("to"))
	return issuing.Span{From: from, To: to}
}

// readNumber parses a positive integer.
func readNumber(text string) (number int, ok bool) {
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 || number > problem.MaxID {
		return 0, false
	}
	return number, true
}

// readMoment parses a time or a day, which begins at midnight UTC.
func readMoment(text string) (at time.Time, ok bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}

// upTo returns a query parameter that is a number from 0 to most, or otherwise if absent.
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

// checkQuery returns the problems of the query as a whole: unknown or duplicate parameters, control
// characters, card numbers (other programs log URLs), and filters of the wrong type.
func (c *call) checkQuery() error {
	filters := map[string]Field{}
	for _, f := range c.row.Filters {
		filters[f.Name] = f
	}
	var problems problem.List
	for name, values := range c.query {
		filter, isFilter := filters[name]
		switch {
		case !isFilter && !slices.Contains(c.row.engineQuery(), name):
			problems.Add("", "the parameter %q is unknown", name)
		case len(values) > 1:
			problems.Add("", "the parameter %s is given twice", name)
		case !strictjson.IsLine(values[0]):
			problems.Add("", "the parameter %s must have no control characters", name)
		case name == "q" && pan.MayContainInURL(values[0]) || name != "cursor" && pan.MayContain(values[0]):
			problems.Add("", "the parameter %s may not be a card number: use cards/search", name)
		case values[0] != "":
			if wrong := filter.mistake(values[0]); wrong != "" {
				problems.Add("", "the parameter %s %s", name, wrong)
			}
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

// mistake returns the problem of a filter value, empty for a valid one.
func (f Field) mistake(text string) string {
	ok, wrong := true, ""
	switch f.Kind() {
	case Number:
		_, ok = readNumber(text)
		wrong = "must be a positive whole number"
	case Truth:
		ok, wrong = text == "true" || text == "false", "must be true or false"
	case Moment:
		_, ok = readMoment(text)
		wrong = "must be a moment, such as 2026-03-14T15:09:26Z, or a day"
	}
	if ok {
		return ""
	}
	return wrong
}

// engineQuery returns the query parameters that the engine reads for a row.
func (o *Op) engineQuery() []string {
	switch {
	case o.List:
		return []string{"limit", "cursor", "sort", "count"}
	case o.Changes():
		return []string{"dryRun"}
	}
	return nil
}

// Page sizes.
const (
	defaultPageSize = 50
	maxPageSize     = 200
)

// page returns the requested page of a list.
func (c *call) page(path string) (issuing.Page, error) {
	page := issuing.Page{Limit: defaultPageSize}
	if text := c.query.Get("limit"); text != "" {
		limit, err := strconv.Atoi(text)
		if err != nil || limit < 1 || limit > maxPageSize {
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

// cursor returns the cursor of the page after a key. It is valid for one list with one filter.
func (c *call) cursor(path, last string) string {
	return base64.RawURLEncoding.EncodeToString(append(c.mark(path), last...))
}

// mark identifies a list with its filter and order.
func (c *call) mark(path string) []byte {
	filter := url.Values{"": {path}}
	for name, values := range c.query {
		if name != "cursor" && name != "limit" && name != "count" {
			filter[name] = values
		}
	}
	for name, value := range c.params {
		filter["{"+name] = []string{value}
	}
	sum := sha256.Sum256([]byte(filter.Encode()))
	return sum[:6]
}

// location returns the path of a created resource, empty if its owner is unknown.
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
		case isParameter:
			return ""
		}
	}
	return wire.Prefix + strings.Join(segments, "/")
}

func etag(revision int) string { return strconv.Quote(strconv.Itoa(revision)) }

// checkRevision reads If-Match and compares it with the resource that a patch has read.
func (c *call) checkRevision() error {
	if !c.row.ifMatch {
		return nil
	}
	if !c.approved { // otherwise it was read when the act was requested
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
