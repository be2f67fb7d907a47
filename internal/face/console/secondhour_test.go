package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
)

// TestRetryOfEndedCard checks that the page of an order whose card has ended offers no retry, and
// says why.
func TestRetryOfEndedCard(t *testing.T) {
	w := newSetupWorld(t, "support")
	const address, retry = "/console/orders/" + failedOrder, `/retry`
	if page := w.get(address).Body.String(); !strings.Contains(page, failedOrder+retry) {
		t.Error("the page of a failed order does not offer to retry it")
	}
	refusal := problemOf(http.StatusConflict, wire.Conflict, "", "")
	refusal.Detail = "Card 5001 is Denied, so it must not be made: drop the order."
	w.answers["orders/"+failedOrder+retry] = problemOf(http.StatusServiceUnavailable,
		wire.Unavailable, "", "")
	if answer := w.get(address); answer.Code != http.StatusOK ||
		!strings.Contains(answer.Body.String(), failedOrder+retry) {
		t.Errorf("the page of an order whose retry could not be tried: %d, %s", answer.Code, answer.Body)
	}
	w.answers["orders/"+failedOrder+retry] = refusal
	page := w.get(address).Body.String()
	if strings.Contains(page, failedOrder+retry) || !strings.Contains(page, refusal.Detail) ||
		!strings.Contains(page, failedOrder+"/drop") {
		t.Errorf("the page of an order of an ended card: %s", page)
	}
}

// TestReviewOfProduct checks that the review shows amounts as they will be saved.
func TestReviewOfProduct(t *testing.T) {
	w := newSetupWorld(t, "configurator")
	w.answers["programs/1/products/1?dryRun=true"] = struct {
		wire.Product
		Changes []wire.Change `json:"changes"`
	}{product(), []wire.Change{
		{Pointer: "/balanceLimit/maximumAmount", To: json.RawMessage("12000.00")},
		{Pointer: "/perTransactionDepositLimit", To: json.RawMessage(`{"minimumAmount":5.00}`)},
	}}
	page := w.post("/console/products/1/edit?programId=1", url.Values{
		"name": {"Everyday"}, "description": {"For daily use"}, "type": {"Checking"},
		"category": {"Checking"}, "isInterestEnabled": {"true"}, "revision": {"3"},
		"balanceLimit.maximumAmount":               {"12,000"},
		"perTransactionDepositLimit.minimumAmount": {"5"},
	}).Body.String()
	want := []string{
		"Balance, maximum: 10,000.00 → 12,000.00", "Per-transaction deposit, minimum: –None → 5.00",
	}
	if got := reviewed(page); !slices.Equal(got, want) {
		t.Errorf("reviewed are %q, want %q: %s", got, want, page)
	}
}

// TestArchiveShowsStates checks that an act on several cards shows the state of each card before
// and after.
func TestArchiveShowsStates(t *testing.T) {
	w := newSetupWorld(t, "support")
	card := w.answers["cards/5001"].(wire.CardDetail)
	address := "/console/cards/archive?programId=1&id=5001"
	page := w.get(address).Body.String()
	if !strings.Contains(page, state("card", card.Status).Text) {
		t.Errorf("the cards are shown without their states: %s", page)
	}
	card.Status = "Archived"
	w.answers["cards/5001/archive"] = card
	page = w.post(address, url.Values{"id": {"5001"}, "reason": {"made by mistake"}}).Body.String()
	if !strings.Contains(page, ": 1 done") || !strings.Contains(page, `square">Archived<`) {
		t.Errorf("what the card is now is not shown: %s", page)
	}
}

// TestDeliveryBehindAnother checks that a delivery without a next attempt says what it waits for.
func TestDeliveryBehindAnother(t *testing.T) {
	w := newSetupWorld(t, "configurator")
	list := deliveries()
	list.Items[1].Next, list.Items[1].Tries = nil, 0
	w.answers["webhooks/4/deliveries"], w.answers["webhooks/4/deliveries/921"] = list, list.Items[1]
	for _, path := range []string{"webhooks/4", "webhooks/4/deliveries/921"} {
		page := w.get("/console/" + path).Body.String()
		if strings.Count(page, "after an earlier event of card 5001") != 1 {
			t.Errorf("%s: %s", path, page)
		}
	}
}

// TestAmountsHaveCurrencies checks that a list shows amounts with their currency.
func TestAmountsHaveCurrencies(t *testing.T) {
	w := newSetupWorld(t, string(operator.Support))
	w.answers["authorizations"] = listOf(declinedOverLimit())
	page := w.get("/console/authorizations").Body.String()
	if !strings.Contains(page, "20.00 USD") || strings.Contains(page, ">Currency<") {
		t.Error(page)
	}
}

// TestPlainColumns checks that exports have plain columns for actors and expiry dates.
func TestPlainColumns(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	w.answers["whole audit"] = listOf(wire.Entry{
		ID: 1, At: at, Act: "lock card",
		Actor: wire.Actor{Kind: "key", Name: "mmk_1", KeyName: "till"},
	})
	saved := w.get("/console/audit/export.csv").Body.String()
	if !strings.Contains(saved, "actor.kind,actor.name,actor.keyName") ||
		!strings.Contains(saved, ",key,mmk_1,till,lock card,") {
		t.Error(saved)
	}
	w.answers["whole cards"] = listOf(cardList()[0])
	saved = w.get("/console/cards/export.csv").Body.String()
	if !strings.Contains(saved, "expireMonth,expireYear,modifiedDate") ||
		!strings.Contains(saved, ",2,2030,") {
		t.Error(saved)
	}
}

// TestGuardedActs checks that the empty list of approvals names the acts that four eyes may guard.
func TestGuardedActs(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	w.answers["approvals"] = wire.List[wire.Approval]{}
	page := w.get("/console/approvals").Body.String()
	for _, act := range []string{"Clear the lock of a card", "Release a hold", "Create an operator"} {
		if !strings.Contains(page, "<li>"+act) {
			t.Errorf("the page does not name %q: %s", act, page)
		}
	}
}

// TestKeyNames checks that a key's display name is shown beside its user name.
func TestKeyNames(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	entry := wire.Entry{
		ID: 1, Sequence: 1, At: at, Act: "/card/lock", Subject: "card:5001", ProgramID: 1,
		Actor: wire.Actor{Kind: "key", Name: "mmk_1", KeyName: "till"},
	}
	w.answers["audit"], w.answers["cards/5001/history"] = listOf(entry), listOf(entry)
	for _, path := range []string{"audit", "cards/5001"} {
		if page := w.get("/console/" + path).Body.String(); !strings.Contains(page, "till (mmk_1)") {
			t.Errorf("%s does not name the key: %s", path, page)
		}
	}
	page := w.get("/console/audit").Body.String()
	if !strings.Contains(page, "Such as card 5001") {
		t.Error("the filter does not say what a subject is")
	}
}

// TestReportSaysZone says of the span of the daily order report which day it is, and in which zone
// its times are written.
func TestReportSaysZone(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	for query, want := range map[string]string{
		"": "The last 24 hours: from", "&day=2026-02-08": "2026-02-08 in UTC: from",
	} {
		page := w.get("/console/order-report?programId=1" + query).Body.String()
		if !strings.Contains(page, want) ||
			!strings.Contains(page, "</time>, America/Chicago</p>") {
			t.Errorf("%s does not say %q: %s", query, want, page)
		}
	}
}

// TestReportOfNoDay refuses a day that no calendar has, instead of showing another.
func TestReportOfNoDay(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	answer := w.get("/console/order-report?programId=1&day=2026-13-45")
	if answer.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(answer.Body.String(), "must be a day such as 2026-03-14") {
		t.Errorf("answered %d: %s", answer.Code, answer.Body)
	}
}

// TestNoSuchProgram refuses a program that does not exist or is out of scope, instead of showing
// another.
func TestNoSuchProgram(t *testing.T) {
	for _, page := range []string{"cards", "orders", "customers", "programs", ""} {
		for query, want := range map[string]int{
			"": http.StatusOK, "?programId=1": http.StatusOK, "?programId=0": http.StatusOK,
			"?programId=99": http.StatusNotFound, "?programId=one": http.StatusNotFound,
		} {
			w := newSetupWorld(t, "administrator")
			answer := w.get("/console/" + page + query)
			text := answer.Body.String()
			if answer.Code != want || !strings.Contains(text, `href="/console/cards`) ||
				(want == http.StatusNotFound) != strings.Contains(text, "There is nothing at this address") {
				t.Errorf("%s%s answered %d: %s", page, query, answer.Code, text)
			}
		}
	}
}

// TestRecoveredWebhook checks that the overview does not give a success as the trouble of a webhook.
func TestRecoveredWebhook(t *testing.T) {
	t.Parallel()
	v := &visit{frame: &frame{}}
	for answer, want := range map[string]string{
		"200":                "last attempt succeeded, 19 events not delivered",
		"502":                "HTTP 502, 19 events not delivered",
		"connection refused": "connection refused, 19 events not delivered",
	} {
		line := v.attentionLine(wire.Attention{Kind: "webhook", Count: 19, Detail: answer})
		if line.Says != want {
			t.Errorf("after %s the overview says %q", answer, line.Says)
		}
	}
}

// TestPublishedRevision checks that a document that can no longer be changed shows no revision.
func TestPublishedRevision(t *testing.T) {
	t.Parallel()
	v := &visit{frame: &frame{}}
	for state, want := range map[string]bool{"draft": true, "inForce": false} {
		facts := pagesAt("documents").facts(v, wire.Document{ID: 1, Revision: 1, State: state})
		named := func(f fact) bool { return f.Name == "Revision" }
		if got := slices.ContainsFunc(facts, named); got != want {
			t.Errorf("the revision of a document that is %s is shown: %v", state, got)
		}
	}
}
