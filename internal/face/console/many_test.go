package console

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	wire "mintmark/client/admin"
)

const failedOrder, waitingOrder = "0b6e41c7-9a50-4a7c-8e0e-d2f6a1b4c310", "order-2"

// TestManyOrders retries two orders with one reason. Each retry is a separate act, done once
// however often the form is sent. The queue also changes orders, so their form has no revision.
func TestManyOrders(t *testing.T) {
	w := newSetupWorld(t, "support")
	order := setupAnswers()["orders/"+failedOrder]
	w.answers["orders/"+waitingOrder] = order
	for _, id := range []string{failedOrder, waitingOrder} {
		w.answers["orders/"+id+"/retry"] = order
	}
	w.failed = 3
	list := w.get("/console/orders").Body.String()
	for _, want := range []string{
		`name="id" value="` + failedOrder + `"`, `formaction="/console/orders/retry"`,
		"Retry all 2 on this page…", "Drop selected…",
	} {
		if !strings.Contains(list, want) {
			t.Errorf("the list has no %s", want)
		}
	}
	if strings.Contains(list, "Drop all") || strings.Contains(list, "Release selected") {
		t.Error("the list offers what cannot be undone for all, or what no order allows")
	}
	address := "/console/orders/retry?id=" + failedOrder + "&id=" + waitingOrder + "&programId=1"
	page := w.get(address).Body.String()
	for _, want := range []string{
		"<h1>Retry 2 orders</h1>", "order retry " + failedOrder, "2 selected",
		"The orders are sent again at once.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s: %s", want, page)
		}
	}
	ids := []string{failedOrder, waitingOrder}
	if answer := w.post(address, url.Values{"id": ids}); answer.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(answer.Body.String(), `href="#reason"`) || len(w.asked) != 0 {
		t.Errorf("without a reason: %d, asked %q", answer.Code, w.asked)
	}
	answer := w.post(address, url.Values{
		"id": ids, "reason": {"the processor is back"}, "once": {"form-1"},
		"revision-" + failedOrder: {"13"},
	})
	want := []string{
		`POST orders/` + failedOrder + `/retry "13" {}`, `POST orders/` + waitingOrder + `/retry  {}`,
	}
	if !slices.Equal(w.asked, want) {
		t.Errorf("asked %q, want %q", w.asked, want)
	}
	if text := answer.Body.String(); !strings.Contains(text, "<h1>Retry 2 orders: 2 done</h1>") ||
		!strings.Contains(text, "1 failed") {
		t.Errorf("answered %d: %s", answer.Code, answer.Body)
	}
	for page, names := range map[string]bool{
		address: false, "/console/cards/archive?id=5001&programId=1": true,
		"/console/orders/" + failedOrder + "/retry?programId=1": false,
	} {
		if text := w.get(page).Body.String(); strings.Contains(text, `name="revision`) != names {
			t.Errorf("%s names a revision: %v, want %v", page, !names, names)
		}
	}
}

// TestManyRefused checks that refusals are reported item by item, and that a form without items
// explains how to select some.
func TestManyRefused(t *testing.T) {
	w := newSetupWorld(t, "support")
	w.refuse = problemOf(http.StatusConflict, "conflict", "", "")
	w.refuse.Detail = "Its state does not allow it."
	page := w.post("/console/orders/drop", url.Values{
		"id": {failedOrder}, "reason": {"settled by telephone"},
	}).Body.String()
	if !strings.Contains(page, ": 0 done") || !strings.Contains(page, w.refuse.Detail) {
		t.Error(page)
	}
	w = newSetupWorld(t, "administrator")
	for _, list := range []string{"orders", "cards", "webhooks/4/deliveries"} {
		act := map[string]string{"orders": "/retry", "cards": "/archive", "webhooks/4/deliveries": "/resend"}[list]
		answer := w.get("/console/" + list + act + "?programId=1")
		back := "/console/" + strings.TrimSuffix(list, "/deliveries")
		if page := answer.Body.String(); answer.Code != http.StatusOK ||
			!strings.Contains(page, "Select 1 to 200 rows of the list.") ||
			!strings.Contains(page, `name="id"`) || !strings.Contains(page, `href="`+back) {
			t.Errorf("%s: without a row answered %d: %s", list, answer.Code, page)
		}
	}
}

// TestManyWaiting marks the chosen objects that a waiting request is about, and leaves out those for
// which the same act waits.
func TestManyWaiting(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	w.answers["orders/"+waitingOrder] = setupAnswers()["orders/"+failedOrder]
	w.answers["approvals"] = listOf(wire.Approval{
		ID: 6, State: "waiting", Method: "POST", Path: wire.Prefix + "orders/" + failedOrder + "/drop",
	})
	page := w.get("/console/orders/drop?programId=1&id=" + failedOrder + "&id=" + waitingOrder).Body.String()
	rows := regexp.MustCompile(`(?s)<tr>.*?</tr>`).FindAllString(page, -1)
	const want = `href="/console/approvals/6?programId=1">Approval 6 waits</a>`
	if len(rows) != 3 || !strings.Contains(rows[1], want) || strings.Contains(rows[2], want) ||
		strings.Contains(rows[1], `name="id"`) || !strings.Contains(rows[2], `name="id"`) {
		t.Errorf("the rows are %q", rows)
	}
	if !strings.Contains(page, "Drop 1 order") {
		t.Errorf("the page is %s", page)
	}
	page = w.get("/console/orders/drop?programId=1&id=" + failedOrder).Body.String()
	if !strings.Contains(page, "already waits for approval") {
		t.Errorf("with nothing left the page is %s", page)
	}
	page = w.get("/console/orders/retry?programId=1&id=" + failedOrder).Body.String()
	if !strings.Contains(page, want) || !strings.Contains(page, `name="id" value="`+failedOrder) {
		t.Errorf("for another act the page is %s", page)
	}
}

// TestDeliveredIsResentBySelection offers to resend delivered events that are selected, and leaves them
// out of all.
func TestDeliveredIsResentBySelection(t *testing.T) {
	w := newSetupWorld(t, "configurator")
	delivered := deliveries()
	for i := range delivered.Items {
		delivered.Items[i].State = "delivered"
	}
	w.answers["webhooks/4/deliveries"] = delivered
	page := w.get("/console/webhooks/4").Body.String()
	if !strings.Contains(page, "Resend selected…") || strings.Contains(page, "Resend all") {
		t.Errorf("the page is %s", page)
	}
}

// TestListIsSorted checks that the header of a column links to the list in its order, and back.
func TestListIsSorted(t *testing.T) {
	w := newSetupWorld(t, "support")
	for address, want := range map[string]string{
		"/console/orders":                `<a href="/console/orders?sort=nextTry">Next attempt</a>`,
		"/console/orders?sort=nextTry":   `aria-sort="ascending"><a href="/console/orders?sort=-nextTry">`,
		"/console/orders?sort=-nextTry":  `aria-sort="descending"><a href="/console/orders">`,
		"/console/cards":                 `<a href="/console/cards?count=true">Count</a>`,
		"/console/orders?state=waiting":  "order list --program 1 --state waiting",
		"/console/orders?sort=-attempts": "--sort=-attempts",
	} {
		if page := w.get(address).Body.String(); !strings.Contains(page, want) {
			t.Errorf("%s has no %s", address, want)
		}
	}
}

// TestListsAreSorted checks, for lists with and without their own template, that each link in a
// header leads to an order that the interface supports, and that refreshing, paging and exporting
// keep it.
func TestListsAreSorted(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	for path, member := range map[string]string{
		"cards": "holderName", "customers": "lastName", "audit": "act", "documents": "title",
		"approvals": "askedBy", "jobs": "node", "reconciliations": "at",
	} {
		page := w.get("/console/" + path + "?sort=" + member).Body.String()
		order := regexp.MustCompile(`\?sort=(-?)([A-Za-z]+)">`)
		for _, link := range order.FindAllStringSubmatch(page, -1) {
			if !resourceOf(path).List.Sortable(link[2]) {
				t.Errorf("%s is sorted by %s", path, link[2])
			}
		}
		for _, want := range []string{
			`aria-sort="ascending"><a href="/console/` + path + `?sort=-` + member + `">`,
			`?sort=` + member + `">Refresh`, "sort=" + member + `">CSV`, "--sort " + member + "<",
		} {
			if !strings.Contains(page, want) {
				t.Errorf("%s has no %s", path, want)
			}
		}
	}
	w.answers["audit"] = wire.List[wire.Entry]{Items: history(), Next: "more"}
	page := w.get("/console/audit?sort=act").Body.String()
	if !strings.Contains(page, "cursor=more&amp;sort=act") {
		t.Error("the next page of the audit is not sorted")
	}
}

// TestRefusalOnce checks that the page of a refused request reports each problem once.
func TestRefusalOnce(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	refusal := problemOf(http.StatusUnprocessableEntity, wire.Invalid, "/", "the parameter q is too long")
	refusal.Detail = "The parameter q is too long."
	w.answers["webhooks/4"] = refusal
	page := strings.ToLower(w.get("/console/webhooks/4").Body.String())
	if strings.Count(page, "the parameter q is too long") != 1 {
		t.Error(page)
	}
	refusal.Detail += " One more mistake is in errors."
	refusal.Errors = []wire.MemberError{
		{Detail: "the parameter q is too long"}, {Pointer: "/url", Detail: "is required"},
	}
	page = strings.ToLower(w.get("/console/webhooks/4").Body.String())
	if strings.Count(page, "the parameter q is too long") != 1 || strings.Contains(page, "one more") ||
		!strings.Contains(page, "url is required") {
		t.Errorf("of two mistakes the page says %s", page)
	}
}

// TestListTooLongToSort checks that a list that is too long to sort is shown unsorted, with the
// reason.
func TestListTooLongToSort(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	refusal := problemOf(http.StatusUnprocessableEntity, wire.Invalid, "/",
		"the parameter sort sorts 10,000 items at most: narrow the filter")
	w.answers["audit?limit=40&outcome=done&sort=act"], w.answers["audit?limit=40&outcome=done"] = refusal, w.answers["audit"]
	answer := w.get("/console/audit?outcome=done&sort=act")
	page := answer.Body.String()
	if answer.Code != http.StatusOK || strings.Contains(page, "aria-sort") ||
		!strings.Contains(page, "Sort sorts 10,000 items at most: narrow the filter.") ||
		!strings.Contains(page, `outcome=done&amp;seen=`) || !strings.Contains(page, "lock") {
		t.Errorf("answered %d: %s", answer.Code, page)
	}
	w.answers["whole audit"] = refusal
	if answer := w.get("/console/audit/export.csv?sort=act"); answer.Code != refusal.Status {
		t.Errorf("saved in another order: %d", answer.Code)
	}
}
