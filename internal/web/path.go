package web

import (
	"net/http"
	"net/url"
	"strings"
)

// Segments returns the parts of the path behind a prefix. A slash that is escaped in the path
// belongs to its part.
func Segments(r *http.Request, prefix string) []string {
	parts := strings.Split(strings.TrimPrefix(r.URL.EscapedPath(), prefix), "/")
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
