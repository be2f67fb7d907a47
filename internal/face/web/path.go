package web

import (
	"net/url"
	"slices"
	"strings"
)

// Segments returns the parts of a path, which is escaped. A slash that is escaped belongs to its
// part.
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

// Match compares the parts of a path with a template such as cards/{id}/lock, and returns the
// parameters by their names. A parameter is a whole part and has at least one character.
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

// named are the parameters of a query that name a thing.
var named = []string{"programId", "bankId", "customerId", "accountId", "cardId"}

// maxDigits is below the length of a card number.
const maxDigits = 12

// Subject is what a request is about.
type Subject struct {
	Route string // as the log has it; empty where none is found
	Path  string // escaped
	Query url.Values
	Allow string // the methods that the path has
	Most  int64  // greatest length of the body in bytes, 0 where it is not known
}

func (x *Exchange) subject() Subject {
	return Subject{
		Route: x.Route, Path: x.Request.URL.EscapedPath(), Query: x.Request.URL.Query(),
		Allow: x.Header.Get("Allow"), Most: x.most,
	}
}

// thing names what a request is about by the parameters of its path, such as "BIN 3 of program 1",
// or by those of its query. It is empty where the route is not known or has neither.
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
				return "such " + noun // it may be the number of a card
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

// exceptions are words of paths whose singular is not the word without its last letter.
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
