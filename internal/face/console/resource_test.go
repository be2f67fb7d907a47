package console

import (
	"net/http/httptest"
	"regexp"
	"testing"
)

// TestRowsAreReached holds that no page stands in the way of another: those of resources are made,
// and an item may be called as a form is.
func TestRowsAreReached(t *testing.T) {
	c := New(Settings{})
	param := regexp.MustCompile(`\{[^}]*\}`)
	for _, row := range c.rows {
		path := param.ReplaceAllString(row.path, "7")
		r, _ := c.find(httptest.NewRequest(row.method, Prefix+path, nil))
		if r == nil || r.path != row.path || r.method != row.method {
			t.Errorf("%s %s is answered by %+v", row.method, row.path, r)
		}
	}
}
