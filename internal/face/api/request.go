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

// call is an authenticated request that has found its route.
type call struct {
	*web.Exchange
	route      *route
	who        issuing.Caller
	version    int
	parameters []string // from the path, in order, decoded; missing ones are empty
	query      map[string][]string
	body       []byte
	trial      *injection.Trial // nil where no fault rule can meet the request

	memory // of the answer
}

// actor is what the log says of the key of a request, empty as long as none is known.
func actor(key string) slog.Attr { return slog.String(ActorKey, key) }

// ActorKey is the name under which the log has the key of a request.
const ActorKey = "key"

// Texts of faults that are this implementation's choice.
const (
	bodyTooLarge   = "The request body is too large."
	bodyUnreadable = "The request body could not be read."
)

// readBody reads the body of a request whose route takes one.
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

// pathSegments splits a path into its decoded segments. Repeated slashes and one at the end do
// not count; an encoded slash belongs to its segment.
func pathSegments(target *url.URL) ([]string, error) {
	const most = 4 // that a route has, parameters included
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

// queryOf reads a query, its names in any letter case. A badly encoded value is kept as it was
// sent, so that the checks refuse it: dropped, it would look like one that was not given.
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

// tag is the tag in the path or, as older callers send it, in the query.
func (c *call) tag() string {
	if tag := c.parameters[1]; tag != "" {
		return tag
	}
	for _, tag := range c.query["tag"] {
		return tag
	}
	return ""
}

// documentType is the type to list, empty for all. Older callers write null for none.
func (c *call) documentType() string {
	if c.parameters[1] == "null" {
		return ""
	}
	return c.parameters[1]
}

// trim takes the white space off both ends of every text of a request. A text of nothing but
// white space counts as not given.
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
