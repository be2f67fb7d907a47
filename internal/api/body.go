package api

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mintmark/internal/fault"
)

// Texts of faults that are this implementation's choice.
const (
	bodyTooLarge   = "The request body is too large."
	bodyUnreadable = "The request body could not be read."
	keyMalformed   = "1 to 255 visible ASCII characters are required."
)

// readBody reads a body of at most the limit. A caller that is too slow is hung up on.
func (x *exchange) readBody() ([]byte, error) {
	control := http.NewResponseController(x.writer)
	if err := control.SetReadDeadline(time.Now().Add(x.settings.BodyTimeout)); err != nil {
		return nil, err
	}
	if x.request.ContentLength > x.settings.BodyLimit {
		x.header.Set("Connection", "close")
		return nil, fault.New(fault.BodyUnreadable, bodyTooLarge)
	}
	body, err := io.ReadAll(io.LimitReader(x.request.Body, x.settings.BodyLimit+1))
	if timeout := (net.Error)(nil); errors.As(err, &timeout) && timeout.Timeout() {
		return nil, errHangUp
	}
	if err != nil {
		x.header.Set("Connection", "close")
		return nil, fault.New(fault.BodyUnreadable, bodyUnreadable)
	}
	if int64(len(body)) > x.settings.BodyLimit {
		x.header.Set("Connection", "close")
		return nil, fault.New(fault.BodyUnreadable, bodyTooLarge)
	}
	x.read = true
	// Without a deadline again, or the connection would be taken for dead while the act is at
	// work.
	return body, control.SetReadDeadline(time.Time{})
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

// queryOf reads a query, its names in any letter case. What is not encoded as it should be counts
// as it stands, so that it is refused by whoever asks for it, and never taken for nothing.
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

// idempotencyKey returns the caller's key for a request to be done once (this implementation's
// extension).
func idempotencyKey(header http.Header) (key string, given bool, err error) {
	const maxLength = 255
	values, given := header["Idempotency-Key"]
	if !given {
		return "", false, nil
	}
	key = values[0]
	invisible := func(r rune) bool { return r <= ' ' || r > '~' }
	oneKey := len(values) == 1 && key != "" && len(key) <= maxLength
	if !oneKey || strings.ContainsFunc(key, invisible) {
		return "", true, fault.New(fault.ValueNotAcceptable, "Idempotency-Key", keyMalformed)
	}
	return key, true, nil
}

// baseURL is the address under which the caller has reached the service, for links in answers.
func (x *exchange) baseURL() string {
	if x.settings.PublicURL != "" {
		return strings.TrimRight(x.settings.PublicURL, "/")
	}
	scheme := "http"
	if x.overTLS() {
		scheme = "https"
	}
	return scheme + "://" + x.request.Host
}
