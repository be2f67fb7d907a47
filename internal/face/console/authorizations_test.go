package console

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
)

func declinedOverLimit() wire.Authorization {
	return wire.Authorization{
		ID: "auth-2", ProgramID: 1, CardID: 5001, CustomerID: 1001, Kind: "withdrawal",
		Amount: "20.00", Currency: "USD", At: agoPointer(3 * time.Minute), Outcome: "declined",
		DecidedBy: "mintmark", Decided: ago(3 * time.Minute), Reason: "limit",
		Why: "Declined: a total of 520.00 exceeds the daily withdrawal limit of 500.00",
		Limit: &wire.ExceededLimit{
			Name: "perUserDailyWithdrawLimit", MaximumAmount: "500.00", Sum: "520.00",
		},
	}
}

func approvedHere() wire.Authorization {
	return wire.Authorization{
		ID: "auth-1", ProgramID: 1, CardID: 5001, CustomerID: 1001, Kind: "purchase",
		Amount: "1250.50", Original: &wire.Original{Amount: "1100", Currency: "EUR"},
		Merchant: &wire.Merchant{Name: "Corner Fuel", City: "Springfield", Country: "US", MCC: "5542"},
		Outcome:  "approved", DecidedBy: "standIn", Decided: ago(26 * time.Hour),
		Reason: "insufficientFunds", WouldHave: "insufficientFunds",
		Why: "Approved by the card processor; here it was declined: 1,250.50 was asked, account 2001 " +
			"had 20.00 available",
		ApprovedAmount: "1250.50", AccountID: 2001, HoldID: "abc",
		Tried: []wire.Tried{
			{AccountID: 2001, Status: "Open", AvailableBalance: json.Number("20.00")},
			{AccountID: 2002, Status: "Closed", AvailableBalance: json.Number("7000.00")},
		},
	}
}

func openedHold() wire.HoldDetail {
	return wire.HoldDetail{
		ID: "abc", ProgramID: 1, CardID: 5001, AccountID: 2001, AuthorizationID: "auth-1",
		Kind: "purchase", State: "open", Amount: "1250.50", Placed: agoPointer(26 * time.Hour),
		Ends: agoPointer(-6 * 24 * time.Hour), Merchant: approvedHere().Merchant,
	}
}

// TestDeclines checks that the page lists declined authorizations unless the address requests
// others, and that a page without a match so far links to the next one.
func TestDeclines(t *testing.T) {
	w := newSetupWorld(t, string(operator.Support))
	declined, approved := listOf(declinedOverLimit()), listOf(approvedHere())
	w.answers["authorizations"] = wire.List[wire.Authorization]{}
	w.answers["authorizations?outcome=declined&programId=1"] = declined
	w.answers["authorizations?programId=1"] = approved
	w.answers["authorizations?outcome=approved&programId=1"] = approved
	w.answers["authorizations?outcome=declined&programId=1&q=fuel"] =
		wire.List[wire.Authorization]{Next: "older"}
	for address, want := range map[string][]string{
		"":                  {"520.00", "All declines", "outcome=declined"},
		"?outcome=":         {"Corner Fuel"},
		"?outcome=all":      {"Corner Fuel"},
		"?outcome=approved": {"Corner Fuel"},
		"?q=fuel":           {"No decline matches so far", "cursor=older"},
		"?reason=expired":   {"No decline matches", "Show all declines"},
	} {
		answer := w.get("/console/authorizations" + address)
		page := answer.Body.String()
		for _, text := range want {
			if answer.Code != http.StatusOK || !strings.Contains(page, text) {
				t.Errorf("%q answers %d without %q:\n%s", address, answer.Code, text, page)
			}
		}
		if strings.Contains(page, "520.00") != (address == "") {
			t.Errorf("%q shows what was declined", address)
		}
	}
}

// TestEndedHold checks that a hold that has ended offers no act.
func TestEndedHold(t *testing.T) {
	w := newSetupWorld(t, string(operator.Support))
	const release = `href="/console/holds/abc/release`
	for _, path := range []string{"holds/abc", "authorizations/auth-1"} {
		if page := w.get("/console/" + path).Body.String(); !strings.Contains(page, release) {
			t.Errorf("%s does not offer to release an open hold:\n%s", path, page)
		}
	}
	ended := openedHold()
	ended.State, ended.Amount = "posted", ""
	w.answers["holds/abc"] = ended
	w.answers["authorizations/auth-1"] = wire.AuthorizationDetail{
		Authorization: approvedHere(), Hold: &ended,
	}
	for _, path := range []string{"holds/abc", "authorizations/auth-1"} {
		page := w.get("/console/" + path).Body.String()
		if strings.Contains(page, release) || !strings.Contains(page, "Posted") {
			t.Errorf("%s offers to release a posted hold:\n%s", path, page)
		}
	}
}

// TestTimelineSaysWhy checks that a card's timeline explains its declined authorizations.
func TestTimelineSaysWhy(t *testing.T) {
	w := newWorld(t, false, string(operator.Support))
	declined := func(id int, authorization string) wire.Entry {
		return wire.Entry{
			ID: id, At: ago(3 * time.Minute), Act: "authorize", Outcome: "declined",
			Actor: wire.Actor{Kind: "processor", Name: "processor"},
			After: json.RawMessage(`{"approved":false,"authorizationId":"` + authorization + `"}`),
		}
	}
	w.answers["cards/5001/history"] = listOf(declined(9, "auth-2"), declined(8, "auth-1"))
	page := w.get("/console/cards/5001?show=transfers").Body.String()
	_, timeline, _ := strings.Cut(page, `id="time"`)
	for _, want := range []string{
		"a total of 520.00 exceeds the daily withdrawal limit of 500.00",
		"1,250.50 was asked, account 2001 had 20.00 available",
	} {
		if !strings.Contains(timeline, `<span class="dim">`+want+`</span>`) {
			t.Errorf("the timeline does not say %q: %s", want, timeline)
		}
	}
}
