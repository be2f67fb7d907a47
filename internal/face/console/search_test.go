package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	wire "mintmark/client/admin"
)

// TestSearch checks that a search redirects to the address with its text, that a card number (PAN)
// redirects to its card, and that a single hit redirects to its page.
func TestSearch(t *testing.T) {
	t.Parallel()
	ada := wire.Customer{ID: 1001, ProgramID: 1, FirstName: "Ada", LastName: "Merrill"}
	other := wire.Customer{ID: 1002, ProgramID: 1, FirstName: "Ada", LastName: "Merrill"}
	hers := wire.Card{ID: 5001, ProgramID: 1, CardHolderCustomerID: 1001, HolderName: "Ada Merrill",
		NumberMasked: "411111******1111"}
	his := wire.Card{ID: 5002, ProgramID: 1, CardHolderCustomerID: 1002, HolderName: "Bo Merrill"}
	w := newWorld(t, true, "support")
	w.answers["cards/search"] = wire.List[wire.Card]{Items: []wire.Card{hers}}
	for text, to := range map[string]string{
		"  Ada   1111 ":           "/console/search?programId=1&q=Ada+1111",
		"4111 1111 1111 1111":     "/console/cards/5001?programId=1",
		"Ada 4111-1111-1111-1111": "/console/cards/5001?programId=1",
	} {
		w.asked = nil
		answer := w.post("/console/search?programId=1", url.Values{"q": {text}})
		if got := answer.Header().Get("Location"); answer.Code != http.StatusSeeOther || got != to {
			t.Errorf("%q answers %d and leads to %q, want %q", text, answer.Code, got, to)
		}
		if strings.Contains(strings.Join(w.asked, ""), "Ada") {
			t.Errorf("a search by number asks %q", w.asked)
		}
	}
	for name, test := range map[string]struct {
		found wire.Found
		to    string
	}{
		"a card":                      {wire.Found{Cards: []wire.Card{hers}}, "cards/5001"},
		"a customer":                  {wire.Found{Customers: []wire.Customer{ada}}, "customers/1001"},
		"a customer with her card":    {wire.Found{Cards: []wire.Card{hers}, Customers: []wire.Customer{ada}}, "customers/1001"},
		"a customer and another card": {wire.Found{Cards: []wire.Card{his}, Customers: []wire.Customer{ada}}, ""},
		"namesakes":                   {wire.Found{Customers: []wire.Customer{ada, other}}, ""},
		"cards":                       {wire.Found{Cards: []wire.Card{hers, his}}, ""},
		"nothing":                     {wire.Found{}, ""},
	} {
		w.answers["search"] = test.found
		answer := w.get("/console/search?q=merrill&programId=1")
		to := strings.TrimPrefix(answer.Header().Get("Location"), "/console/")
		if got, _, _ := strings.Cut(to, "?"); got != test.to {
			t.Errorf("%s leads to %q, want %q", name, got, test.to)
		}
		if test.to == "" && !strings.Contains(answer.Body.String(), "merrill") {
			t.Errorf("%s: %s", name, answer.Body)
		}
	}
	w.answers["search"] = wire.Found{}
	for _, id := range []string{"merrill", "1234567", "40123456", "+40123456"} {
		w.answers["orders/"+id] = wire.Order{}
	}
	for _, text := range []string{"merrill", "1234567", "40123456", "+40123456", "ada 12345678"} {
		answer := w.get("/console/search?q=" + url.QueryEscape(text))
		if to := answer.Header().Get("Location"); to != "" {
			t.Errorf("%q is tried as an identifier, and leads to %q", text, to)
		}
	}
	for path, known := range map[string]any{
		"orders/" + failedOrder:      wire.Order{ID: failedOrder},
		"authorizations/auth-9%2F17": wire.AuthorizationDetail{},
	} {
		w.answers[path] = known
		id, _ := url.PathUnescape(path[strings.Index(path, "/")+1:])
		answer := w.get("/console/search?programId=1&q=" + url.QueryEscape(id))
		if got := answer.Header().Get("Location"); got != "/console/"+path+"?programId=1" {
			t.Errorf("the identifier %q leads to %q", id, got)
		}
	}
	w.answers["search"] = wire.Found{Cards: []wire.Card{hers}, Customers: []wire.Customer{ada}}
	answer := w.post("/console/search/suggestions", url.Values{"q": {"mer"}})
	want := `[{"value":"customer 1001","label":"Ada Merrill"},` +
		`{"value":"card 5001","label":"Ada Merrill 1111"}]`
	if got := answer.Body.String(); got != want {
		t.Errorf("suggested\n%s, want\n%s", got, want)
	}
	if got := w.get("/console/search?q=Card+5001").Header().Get("Location"); got !=
		"/console/cards/5001?programId=1" {
		t.Errorf("a suggestion leads to %q", got)
	}
	if code := newWorld(t, false, "support").post("/console/search/suggestions", nil).Code; code !=
		http.StatusNotFound {
		t.Errorf("production suggests: %d", code)
	}
}
