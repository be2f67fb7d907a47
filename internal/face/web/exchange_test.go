package web

import (
	"net/http"
	"strings"
	"testing"
)

// newID is the identifier of requests that carry none.
const newID = "00000000-0000-4000-8000-000000000001"

func TestRequestID(t *testing.T) {
	t.Parallel()
	const (
		sent  = "3F2504E0-4f89-41d3-9a0c-0305e82c3301"
		other = "11111111-2222-3333-4444-555555555555"
	)
	for _, row := range []struct {
		name, own, legacy, want string
	}{
		{"none", "", "", newID},
		{"one", sent, "", strings.ToLower(sent)},
		{"the other name", "", sent, strings.ToLower(sent)},
		{"both", other, sent, other},
		{"malformed, and the other name", "x", other, other},
		{"no UUID", "1234", "", newID},
		{"in braces", "{" + sent + "}", "", newID},
		{"as a URN", "urn:uuid:" + sent, "", newID},
		{"without dashes", strings.ReplaceAll(sent, "-", ""), "", newID},
		{"with more behind it", sent + "x", "", newID},
	} {
		header := make(http.Header)
		if row.own != "" {
			header.Set("X-Request-Id", row.own)
		}
		if row.legacy != "" {
			header.Set("X-CorePro-RequestId", row.legacy)
		}
		if got := requestID(header, func() string { return newID }); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}
