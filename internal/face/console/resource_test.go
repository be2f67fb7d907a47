package console

import (
	"encoding/json"
	"net/http/httptest"
	"regexp"
	"slices"
	"testing"

	wire "mintmark/client/admin"
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

// TestTriedChanges holds that what a dry run found is named by labels, and that neither the reason
// of the dry run nor a list in JSON stands among it.
func TestTriedChanges(t *testing.T) {
	p := &pages{Resource: resourceAt("orders")}
	got := p.changes([]wire.Change{
		{Pointer: "/state", From: json.RawMessage(`"failed"`), To: json.RawMessage(`"dropped"`)},
		{Pointer: "/lastError", From: json.RawMessage(`"503"`), To: json.RawMessage(`"` + tryReason + `"`)},
		{Pointer: "/tries", From: json.RawMessage(`[]`), To: json.RawMessage(`[{"error":"503"}]`)},
	})
	if want := []change{{"State", "failed", "dropped"}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
