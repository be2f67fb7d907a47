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

// parameter returns a parameter of the path that is a number. Any other names nothing.
func (c *call) parameter(name string) (int, error) {
	number, ok := readNumber(c.params[name])
	if !ok {
		return 0, web.NotFound()
	}
	return number, nil
}

// number returns a filter that is a number, 0 where it is not given. As flag and span it reads what
// checkQuery has checked.
func (c *call) number(name string) int {
	number, _ := readNumber(c.query.Get(name))
	return number
}

// flag returns a filter that is true or false.
func (c *call) flag(name string) bool { return c.query.Get(name) == "true" }

// span returns the filters from and to.
func (c *call) span() issuing.Span {
	from, _ := readMoment(c.query.Get("from"))
	to, _ := readMoment(c.query.Get("to"))
	return issuing.Span{From: from, To: to}
}

// readNumber reads a positive whole number.
func readNumber(text string) (number int, ok bool) {
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 || number > problem.MaxID {
		return 0, false
	}
	return number, true
}

// readMoment reads a moment, or a day, which begins at midnight, UTC.
func readMoment(text string) (at time.Time, ok bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
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
// name given twice, a text that is none, a card number, as addresses are kept by others, and a
// filter of another kind.
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
		case name == "q" && pan.MayHold(values[0]) || name != "cursor" && pan.Holds(values[0]):
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

// mistake says what is wrong with a value of a filter; it is empty for one of its kind.
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
