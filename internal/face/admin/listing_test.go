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
	first := read("limit=1")
	if first.Total != nil {
		t.Error("counted unasked")
	}
	counted := read("limit=1&count=true")
	second := read("limit=1&count=true&cursor=" + url.QueryEscape(first.Next))
	if second.Total == nil || *second.Total != *counted.Total || second.Items[0].ID == first.Items[0].ID {
		t.Errorf("counted on its second page, the list is %+v", second)
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
