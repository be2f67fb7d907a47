package console

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"testing"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/face/admin"
)

// TestRowsAreReached checks that no row of the console shadows another, even if an item has the
// name of a form.
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

// TestTriedChanges checks that the changes of a dry run are shown under their labels, without the
// reason of the dry run and without lists in JSON.
func TestTriedChanges(t *testing.T) {
	p := &pages{Resource: resourceAt("orders")}
	v := &visit{frame: &frame{Zone: time.FixedZone("", 3600)}}
	got := p.changes(v, []wire.Change{
		{Pointer: "/state", From: json.RawMessage(`"failed"`), To: json.RawMessage(`"dropped"`)},
		{Pointer: "/lastError", From: json.RawMessage(`"503"`), To: json.RawMessage(`"` + tryReason + `"`)},
		{Pointer: "/ended", To: json.RawMessage(`"2026-11-28T02:47:47.944Z"`)},
		{Pointer: "/tries", From: json.RawMessage(`[]`), To: json.RawMessage(`[{"error":"503"}]`)},
	})
	want := []change{{"State", "failed", "dropped"}, {"Ended", "", "2026-11-28 03:47:47"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestNumbersOfAddresses checks that a word in place of an ID is not found, without a read and so
// without an audit entry.
func TestNumbersOfAddresses(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	for _, path := range []string{
		"cards/x", "cards/5001x/lock", "customers/-1", "customers/x/edit", "webhooks/4/deliveries/x",
		"bins/x", "audit/x", "audit/x/proof.json", "banks/1/encryption-keys/x/rotate", "approvals/1.5",
		"documents/x/pdf",
	} {
		w.asked = nil
		if answer := w.get("/console/" + path); answer.Code != http.StatusNotFound || len(w.asked) > 0 {
			t.Errorf("%s: answered %d, asked for %q", path, answer.Code, w.asked)
		}
	}
}

// TestFlagsOfFilters checks that a filter's flag is named as in its command.
func TestFlagsOfFilters(t *testing.T) {
	v := &visit{frame: &frame{Zone: time.UTC, address: &url.URL{
		RawQuery: "documentType=terms&programId=1&sort=-title",
	}}}
	const want = "--type terms --program 1 --sort=-title"
	got := v.flags(pagesAt("documents").List, "documentType", "programId", "sort")
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestNavHasEveryList checks that each list with a place in the navigation gets an entry.
func TestNavHasEveryList(t *testing.T) {
	t.Parallel()
	for _, r := range admin.Resources() {
		isEntry := func(e entry) bool { return e.Group == r.Nav.Group && e.Text == r.Nav.Title }
		if r.Nav != (admin.Nav{}) && !slices.ContainsFunc(entries(), isEntry) {
			t.Errorf("%s: the navigation has no group %q", r.Noun, r.Nav.Group)
		}
	}
}
