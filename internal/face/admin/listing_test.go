package admin

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	wire "mintmark/client/admin"
)

// TestSortedList sorts cards by a member across pages, and counts them.
func TestSortedList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	read := func(query string) wire.List[wire.Card] {
		t.Helper()
		return done[wire.List[wire.Card]](w,
			testRequest{token: "support", method: "GET", path: "cards?" + query}, http.StatusOK)
	}
	var statuses []string
	for cursor := ""; ; {
		page := read("sort=-status&limit=3&count=true&programId=1&cursor=" + url.QueryEscape(cursor))
		for _, card := range page.Items {
			statuses = append(statuses, strings.ToLower(card.Status))
		}
		if page.Next == "" {
			if page.Total == nil || *page.Total != len(statuses) || len(statuses) < 5 {
				t.Errorf("%v are said of %d", page.Total, len(statuses))
			}
			break
		}
		cursor = page.Next
	}
	slices.Reverse(statuses)
	if !slices.IsSorted(statuses) || statuses[0] == statuses[len(statuses)-1] {
		t.Errorf("the list is %q", statuses)
	}
	if page := read("limit=1"); page.Total != nil {
		t.Error("counted unasked")
	}
	for _, query := range []string{"sort=holder", "sort=acts", "count=yes"} {
		w.problem(testRequest{token: "support", method: "GET", path: "cards?" + query}, wire.Invalid)
	}
}

// TestOrdersOfATime lists the orders created within a span of time.
func TestOrdersOfATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	done[wire.CardDetail](w, onCard("lock", `"lockReasonTypeCode":"ADM",`), http.StatusOK)
	read := func(query string) (kinds string) {
		t.Helper()
		for _, o := range done[wire.List[wire.Order]](w, testRequest{
			token: "support", method: "GET", path: "orders?cardId=5001" + query,
		}, http.StatusOK).Items {
			kinds += o.Kind + " "
		}
		return kinds
	}
	all := done[wire.List[wire.Order]](w, testRequest{
		token: "support", method: "GET", path: "orders?cardId=5001",
	}, http.StatusOK).Items
	written := url.QueryEscape(all[0].Created.Format("2006-01-02T15:04:05.000Z07:00"))
	if got := read("&from=" + written); !strings.HasPrefix(got, "card.lock ") {
		t.Errorf("from its moment on: %q", got)
	}
	if got := read("&to=" + written); strings.Contains(got, "card.lock ") {
		t.Errorf("before its moment: %q", got)
	}
}

// TestWrongFilters checks that every filter with an invalid value is reported.
func TestWrongFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for query, want := range map[string][]string{
		"authorizations?cardId=-1&from=noon&q=a": {
			"the parameter cardId must be a positive whole number",
			"the parameter from must be a moment, such as 2026-03-14T15:09:26Z, or a day",
		},
		"approvals?mine=yes": {"the parameter mine must be true or false"},
	} {
		var texts []string
		for _, e := range w.problem(as("support", "GET", query, ""), wire.Invalid).Errors {
			texts = append(texts, e.Detail)
		}
		if !slices.Equal(texts, want) {
			t.Errorf("%s: %q, want %q", query, texts, want)
		}
	}
}

// TestWrongQueryAndBody checks that the problems of the body are reported with those of the query,
// and that a wrong query alone changes nothing.
func TestWrongQueryAndBody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const bin = `{"vendorTypeCode":"VS","firstBody":"400000000000000","lastBody":"400000000000009"`
	reason := []string{"Mintmark-Reason", "told by the scheme"}
	before := w.dumpTables()
	for _, row := range []struct {
		request testRequest
		want    []string
	}{
		{as("administrator", "POST", "programs/1/bins?a=1", bin+`,"validMonths":0}`),
			[]string{` the parameter "a" is unknown`, "/validMonths must be a whole number from 1 to 240"}},
		{as("administrator", "POST", "programs/1/bins?a=1", bin+`}`),
			[]string{` the parameter "a" is unknown`}},
		{as("administrator", "POST", "compromises?programId=x&name=n&act=replace&perDay=0", "4005", reason...),
			[]string{
				" the parameter perDay must be a positive whole number",
				" the parameter programId must be a positive whole number",
				"/1 line 1 must have 13 to 19 digits",
			}},
		{as("administrator", "POST", "compromises?programId=1&act=lock&perDay=x", w.demoNumber(), reason...),
			[]string{" the parameter perDay must be a positive whole number", "/name a value is required"}},
		{as("administrator", "POST", "cards/search?a=1", `{"number":1}`),
			[]string{` the parameter "a" is unknown`, "/number must be a text"}},
		{as("administrator", "POST", "feed?accept=&a=1", "{"), []string{` the parameter "a" is unknown`}},
	} {
		var got []string
		for _, e := range w.problem(row.request, wire.Invalid).Errors {
			got = append(got, e.Pointer+" "+e.Detail)
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.request.path, got, row.want)
		}
	}
	if after := w.dumpTables(); after != before {
		t.Errorf("the tables have changed: %s", after)
	}
}
