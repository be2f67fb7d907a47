package api

import (
	"errors"
	"log/slog"
	"net/url"
	"reflect"
	"strings"

	"mintmark/internal/domain/fault"
	"mintmark/internal/face/injection"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// call is an authenticated request with its route.
type call struct {
	*web.Exchange
	route      *route
	who        issuing.Caller
	version    int
	parameters []string // path parameters, in order, decoded; absent ones are empty
	query      map[string][]string
	body       []byte
	trial      *injection.Trial // nil if no fault rule can apply to the request

	memory // of the answer
}

// actor returns the log attribute of a request's key, empty while the key is unknown.
func actor(key string) slog.Attr { return slog.String(ActorKey, key) }

// ActorKey is the attribute name of a request's key in the log.
const ActorKey = "key"

// Texts of faults that are this implementation's choice.
const (
	bodyTooLarge   = "The request body is too large."
	bodyUnreadable = "The request body could not be read."
)

// readBody reads the body if the route has one.
func (c *call) readBody() error {
	if c.route.Request == nil {
		return nil
	}
	body, err := c.ReadBody()
	switch {
	case errors.Is(err, web.ErrBodyTooLarge):
		return fault.New(fault.BodyUnreadable, bodyTooLarge)
	case errors.Is(err, web.ErrBodyUnreadable):
		return fault.New(fault.BodyUnreadable, bodyUnreadable)
	}
	c.body = body
	return err
}

// pathSegments splits a path into its decoded segments. Repeated and trailing slashes are ignored;
// an encoded slash is part of its segment.
func pathSegments(target *url.URL) ([]string, error) {
	const most = 4 // segments of a route, parameters included
	segments := make([]string, 0, most)
	for segment := range strings.SplitSeq(target.EscapedPath(), "/") {
		if segment == "" {
			continue
		}
		decoded, err := url.PathUnescape(segment)
		if err != nil {
			return nil, err
		}
		segments = append(segments, decoded)
	}
	return segments, nil
}

// queryOf parses a query; names are case-insensitive. A badly encoded value is kept as sent, so
// that validation rejects it: if it were dropped, it would look absent.
func queryOf(target *url.URL) map[string][]string {
	if target.RawQuery == "" {
		return nil
	}
	query := make(map[string][]string)
	for pair := range strings.SplitSeq(target.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name = strings.ToLower(unescapeQuery(name))
		query[name] = append(query[name], unescapeQuery(value))
	}
	return query
}

func unescapeQuery(text string) string {
	if decoded, err := url.QueryUnescape(text); err == nil {
		return decoded
	}
	return text
}

// tag returns the tag from the path or, as older callers send it, from the query.
func (c *call) tag() string {
	if tag := c.parameters[1]; tag != "" {
		return tag
	}
	for _, tag := range c.query["tag"] {
		return tag
	}
	return ""
}

// documentType returns the document type to list, empty for all. Older callers send null for none.
func (c *call) documentType() string {
	if c.parameters[1] == "null" {
		return ""
	}
	return c.parameters[1]
}

// trim trims white space from every string of a request. A string of only white space counts as
// absent.
func trim(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(strings.TrimSpace(v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				trim(v.Field(i))
			}
		}
	}
}
