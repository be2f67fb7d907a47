package web

import (
	"net/url"
	"slices"
	"strings"
)

// Segments splits an escaped path at its slashes and decodes each segment. An escaped slash is part
// of its segment.
func Segments(path string) []string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		plain, err := url.PathUnescape(part)
		if err == nil {
			parts[i] = plain
		}
	}
	return parts
}

// Match matches the segments of a path against a template such as cards/{id}/lock, and returns the
// parameters by name. A parameter is a whole, nonempty segment.
func Match(template string, path []string) (params map[string]string, fits bool) {
	if strings.Count(template, "/")+1 != len(path) {
		return nil, false
	}
	at := 0
	for segment := range strings.SplitSeq(template, "/") {
		given := path[at]
		at++
		name, isParameter := strings.CutPrefix(segment, "{")
		if !isParameter && segment != given || isParameter && given == "" {
			return nil, false
		}
		if !isParameter {
			continue
		}
		if params == nil {
			params = make(map[string]string)
		}
		params[strings.TrimSuffix(name, "}")] = given
	}
	return params, true
}

// named lists the query parameters that identify a resource.
var named = []string{"programId", "bankId", "customerId", "accountId", "cardId"}

// maxDigits is shorter than any card number.
const maxDigits = 12

// Subject describes what a request is about, for the detail of a problem.
type Subject struct {
	Route string // as in the log; empty if none matches
	Path  string // escaped
	Query url.Values
	Allow string // methods allowed for the path
	Most  int64  // limit of the body in bytes, 0 if unknown
}

func (x *Exchange) subject() Subject {
	return Subject{
		Route: x.Route, Path: x.Request.URL.EscapedPath(), Query: x.Request.URL.Query(),
		Allow: x.Header.Get("Allow"), Most: x.most,
	}
}

// thing names the resource that the request is about, from the parameters of the path, such as "BIN
// 3 of program 1", or from those of the query. It returns "" if the route is unknown or has
// neither.
func (s Subject) thing() string {
	_, template, _ := strings.Cut(s.Route, "/")
	params, fits := Match("/"+template, Segments(s.Path))
	if s.Route == "" || !fits {
		return ""
	}
	var things []string
	noun := ""
	for segment := range strings.SplitSeq(template, "/") {
		name, isParameter := strings.CutPrefix(segment, "{")
		if isParameter {
			id := params[strings.TrimSuffix(name, "}")]
			if len(id) > maxDigits && strings.Trim(id, "0123456789 -.") == "" {
				return "such " + noun // it may be a card number
			}
			things = append(things, noun+" "+id)
		}
		noun = singular(segment)
	}
	if len(things) > 0 {
		slices.Reverse(things)
		return strings.Join(things, " of ")
	}
	for _, name := range named {
		if value := s.Query.Get(name); value != "" {
			return strings.TrimSuffix(name, "Id") + " " + value
		}
	}
	return ""
}

// exceptions maps path segments to their singular, where removing the last letter is not enough.
var exceptions = map[string]string{
	"access": "access of customer", "audit": "entry", "bins": "BIN", "deliveries": "delivery",
	"externalAccounts": "external account",
}

func singular(word string) string {
	if noun, ok := exceptions[word]; ok {
		return noun
	}
	return strings.TrimSuffix(strings.ReplaceAll(word, "-", " "), "s")
}
