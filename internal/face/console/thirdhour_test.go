package console

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	wire "mintmark/client/admin"
)

// TestEncryptionKeyBeforeRotation checks that texts say when an encryption key encrypts, and that
// the set-up list and the page of the key lead to its rotation.
func TestEncryptionKeyBeforeRotation(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	o := overviewAnswer()
	o.Setup = []wire.Step{
		{Name: "bank", Done: true}, {Name: "encryptionKey", Done: true}, {Name: "program"},
	}
	w.answers["overview"] = o
	const (
		nothingYet = "encrypts nothing until its first rotation"
		rotate     = "/console/banks/1/encryption-keys/2/rotate?"
	)
	key := encryptionKeys().Items[0]
	for path, want := range map[string]string{
		"":                            `href="/console/banks/1/keys?programId=1">Encryption key<`,
		"banks/1/encryption-keys/2":   rotate,
		"banks/1/encryption-keys/new": nothingYet,
	} {
		key.Status = 1
		w.answers["banks/1/encryption-keys/2"] = key
		page := w.get("/console/" + path).Body.String()
		if !strings.Contains(page, want) || path == "" && !strings.Contains(page, nothingYet) {
			t.Errorf("the page %q has no %s: %s", path, want, page)
		}
	}
	key.Status = 2
	w.answers["banks/1/encryption-keys/2"] = key
	page := w.get("/console/banks/1/encryption-keys/2").Body.String()
	if strings.Contains(page, rotate) {
		t.Errorf("a key that encrypts nothing can be rotated: %s", page)
	}
}

// TestCardOfLockedCustomer shows a card whose customer keeps it from paying as unable to, and why.
func TestCardOfLockedCustomer(t *testing.T) {
	w := newWorld(t, false, "support")
	c := cardAnswer()
	c.Lock, c.LockTypeCode, c.LockReasonTypeCode = nil, "UNL", ""
	c.CustomerObstacle = "customer 2 is locked"
	w.answers["cards/5001"] = c
	page := w.get("/console/cards/5001").Body.String()
	if !strings.Contains(page, "The card may not pay: customer 2 is locked") ||
		!strings.Contains(page, "None: customer 2 is locked") ||
		strings.Contains(page, "Pays first") {
		t.Error(page)
	}
}

// TestCommandOfChoices has the command of an act name what is chosen on a refused form, and each
// choice its flag, for the script to do so as well.
func TestCommandOfChoices(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	w.refuse = problemOf(http.StatusUnprocessableEntity, wire.Invalid, "/reason", "is required")
	for path, of := range map[string]struct {
		form           url.Values
		choice, before string
		after          string
	}{
		"keys/core-batch/rotate": {
			url.Values{"overlap": {"0s"}}, `value="0s" data-flag="--overlap"`, "--overlap 24h",
			"--overlap 0s",
		},
		"banks/1/encryption-keys/2/rotate": {
			url.Values{"compromised": {"true"}}, ` data-flag="--compromised"`, "--bank 1 --reason",
			"--bank 1 --compromised --reason",
		},
		"cards/10533/lock": {
			url.Values{"lockReasonTypeCode": {"STL"}}, `value="STL" data-flag="--reason-code"`,
			"--reason-code ADM", "--reason-code STL",
		},
	} {
		page := w.get("/console/" + path).Body.String()
		if !strings.Contains(page, of.choice) || !strings.Contains(page, of.before) {
			t.Errorf("%s has no %s or no %s: %s", path, of.choice, of.before, page)
		}
		page = w.post("/console/"+path+"?programId=1", of.form).Body.String()
		if !strings.Contains(page, of.after) {
			t.Errorf("%s has no %s: %s", path, of.after, page)
		}
	}
	form := url.Values{"overlap": {"1h; id"}}
	page := w.post("/console/keys/core-batch/rotate", form).Body.String()
	if want := "--overlap &#39;1h; id&#39; "; !strings.Contains(page, want) {
		t.Errorf("the command has no %s: %s", want, page)
	}
}

// TestWaitingRequestOnItsObject shows a request that waits for approval on the page of its object
// and on those of its acts, once, and on no other.
func TestWaitingRequestOnItsObject(t *testing.T) {
	const order = "orders/" + failedOrder
	for path, of := range map[string]struct{ method, request, body string }{
		"keys/core-batch":           {"POST", "programs/1/keys/core-batch/rotate", ""},
		"keys/core-batch/rotate":    {"POST", "programs/1/keys/core-batch/rotate", ""},
		"keys/core-batch/edit":      {"PATCH", "programs/1/keys/core-batch", ""},
		order:                       {"POST", order + "/drop", ""},
		"programs/1":                {"PATCH", "programs/1", ""},
		"operators/2":               {"POST", "operators/2/end", ""},
		"holds/abc":                 {"POST", "holds/abc/release", ""},
		"banks/1/encryption-keys/2": {"POST", "banks/1/encryption-keys/2/rotate", ""},
		"banks/1":                   {"POST", "banks/1/encryption-keys", ""},
		"banks/1/keys":              {"POST", "banks/1/encryption-keys", ""},
		"customers/1001":            {"POST", "customers/1001/erase", ""},
		"compromises/3":             {"POST", "compromises", `{"compromiseId":3}`},
		"cards/5001":                {"POST", "cards/5001/archive", ""},
		"cards/5001/archive":        {"POST", "cards/5001/archive", ""},
	} {
		w := newSetupWorld(t, "administrator")
		w.answers["customers/1001"] = wire.Customer{ID: 1001}
		w.answers["approvals"] = listOf(wire.Approval{
			ID: 77, State: "waiting", Act: "Do it", AskedBy: "ada", Method: of.method,
			Path: wire.Prefix + of.request, Body: []byte(of.body),
		})
		link := `href="/console/approvals/77?programId=1">`
		page := w.get("/console/" + path).Body.String()
		if strings.Count(page, link) != 1 && path != "cards/5001" ||
			!strings.Contains(page, "ada asked:") {
			t.Errorf("%s does not show the request once: %s", path, page)
		}
		if page := w.get("/console/bins/1").Body.String(); strings.Contains(page, link) {
			t.Errorf("bin 1 shows the request about %s: %s", path, page)
		}
	}
}

// TestApprovalNamesObject names the object of a request where it is decided, also for an item of a
// list below a program or bank, of which the approval names the owner alone.
func TestApprovalNamesObject(t *testing.T) {
	for path, of := range map[string]struct{ on, says string }{
		"programs/1/keys/till%207/rotate": {
			`<a href="/console/keys/till%207?programId=1">key till 7</a>`,
			"rotate the secret of key till 7",
		},
		"banks/1/encryption-keys/2/rotate": {"encryption key 2", "encryption key 2"},
		"cards/5001/unlock":                {`cards/5001?programId=1">card 5001</a>`, "card 5001"},
	} {
		w := newSetupWorld(t, "administrator")
		waits := wire.Approval{
			ID: 12, State: "waiting", Act: "Rotate the secret of a key; the new one is shown once",
			Method: "POST", Path: wire.Prefix + path, Subject: "card:5001", ProgramID: 1,
			MayEnd: true,
		}
		w.answers["approvals"], w.answers["approvals/12"] = listOf(waits), waits
		o := overviewAnswer()
		o.Attention = []wire.Attention{{
			Kind: "approval", ID: "12", Name: "ada", Detail: waits.Act + " " + waits.Subject,
		}}
		w.answers["overview"] = o
		for page, want := range map[string]string{"approvals/12": of.on, "": of.says} {
			if text := w.get("/console/" + page).Body.String(); !strings.Contains(text, want) {
				t.Errorf("the page %q about %s has no %s: %s", page, path, want, text)
			}
		}
	}
}

// TestZoneOfAllPrograms writes times of all programs in one zone, on the overview and on the lists
// that it leads to: in that of the programs if they share one.
func TestZoneOfAllPrograms(t *testing.T) {
	for zone, want := range map[string]string{
		"America/Chicago": ", America/Chicago · ", "Europe/Vienna": ", UTC · ",
	} {
		w := newSetupWorld(t, "administrator")
		programs := w.answers["programs"].(wire.List[wire.Program])
		first, second := programs.Items[0], programs.Items[0]
		second.ID, second.Settings = 2, maps.Clone(first.Settings)
		first.Settings = maps.Clone(first.Settings)
		first.Settings["timeZone"] = json.RawMessage(`"America/Chicago"`)
		second.Settings["timeZone"] = json.RawMessage(`"` + zone + `"`)
		w.answers["programs"] = listOf(first, second)
		for _, path := range []string{"", "activity", "orders?programId=0"} {
			if page := w.get("/console/" + path).Body.String(); !strings.Contains(page, want) {
				t.Errorf("with programs of America/Chicago and %s the page %q has no %q: %s", zone,
					path, want, page)
			}
		}
		page := w.get("/console/orders?programId=2").Body.String()
		if !strings.Contains(page, ", "+zone+" · ") {
			t.Errorf("the orders of program 2 are not in %s: %s", zone, page)
		}
	}
}

// TestBackFromReview returns from the review of a form to the form, with all that was entered.
func TestBackFromReview(t *testing.T) {
	w := newSetupWorld(t, "configurator")
	const address = "/console/products/1/edit?programId=1"
	w.answers["programs/1/products/1?dryRun=true"] = product()
	entered := url.Values{
		"name": {"Everyday plus"}, "description": {"For daily use"}, "type": {"Checking"},
		"category": {"Checking"}, "revision": {"3"}, "balanceLimit.maximumAmount": {"12000"},
	}
	page := w.post(address, entered).Body.String()
	if !strings.Contains(page, `<button class="btn" name="back" value="true" formnovalidate>`) {
		t.Fatalf("the review has no way back: %s", page)
	}
	entered.Set("back", "true")
	entered.Set("reviewed", "true")
	entered.Set("reason", "a new product")
	before := len(w.asked)
	page = w.post(address, entered).Body.String()
	for _, want := range []string{
		`value="Everyday plus"`, `value="12000"`, "Review changes",
		`name="reason" value="a new product"`, `name="revision" value="3"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the form has no %s: %s", want, page)
		}
	}
	if len(w.asked) != before || strings.Contains(page, "The session had ended") {
		t.Errorf("going back sends %q: %s", w.asked[before:], page)
	}
}

// TestBackAfterSession returns from a review whose session had ended: the form says so, and a field
// that was not kept has its saved value.
func TestBackAfterSession(t *testing.T) {
	t.Parallel()
	w := newSetupWorld(t, "support")
	w.answers["customers/1001"] = ada()
	page := afterSession(w, "/console/customers/1001/edit", url.Values{
		"firstName": {"Ida"}, "lastName": {"4111 1111 1111 1111"}, "back": {"true"},
	})
	for _, want := range []string{
		"The session had ended", "what you entered in: Last name.",
		`value="Ida"`, `value="Merrill"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the form has no %s: %s", want, page)
		}
	}
}

// TestFileTooLarge has the form of a file know the limit, keep a form whose file the interface
// refuses, and tell the limit where the form is too large to be read.
func TestFileTooLarge(t *testing.T) {
	w := newSetupWorld(t, "configurator")
	const address = "/console/documents/13/pdf?programId=1"
	page := w.get(address).Body.String()
	if !strings.Contains(page, `type="file" data-most="16777216"`) {
		t.Errorf("the form does not know the limit: %s", page)
	}
	answer := w.post(address, url.Values{"more": {strings.Repeat("a", MaxBodyBytes)}})
	if page := answer.Body.String(); answer.Code != http.StatusRequestEntityTooLarge ||
		!strings.Contains(page, "A file may have 16 MB at most") {
		t.Errorf("a form that is too large answers %d: %s", answer.Code, page)
	}
	w.refuse = problemOf(http.StatusRequestEntityTooLarge, wire.TooLarge, "", "")
	answer = w.post(address, url.Values{})
	if page := answer.Body.String(); answer.Code != http.StatusRequestEntityTooLarge ||
		!strings.Contains(page, `type="file"`) {
		t.Errorf("a file that is too large answers %d without its form: %s", answer.Code, page)
	}
}

// TestFilterCustomersByNumber finds a card by its whole number in the filter of customers, without
// the number in an address. Any other text is in one.
func TestFilterCustomersByNumber(t *testing.T) {
	w := newSetupWorld(t, "support")
	w.answers["customers"] = listOf(wire.Customer{ID: 1001}, wire.Customer{ID: 1002})
	if page := w.get("/console/customers").Body.String(); !strings.Contains(page,
		`<form class="panel pad" method="post" action="/console/customers"`) {
		t.Errorf("the filter is not sent by POST: %s", page)
	}
	w.answers["cards/search"] = listOf(cardList()[0])
	const number = "4000 0012 3456 7899"
	for text, want := range map[string]string{
		number:  "/console/cards/" + itoa(cardList()[0].ID) + "?programId=1",
		"Nowak": "/console/customers?programId=0&q=Nowak",
	} {
		answer := w.post("/console/customers", url.Values{
			"q": {text}, "programId": {"0"}, "status": {number},
		})
		if to := answer.Header().Get("Location"); to != want {
			t.Errorf("%q leads to %q, want %q: %s", text, to, want, answer.Body)
		}
	}
}

// TestRefusedFilterOfCards keeps the page of cards when a filter is refused, and says which.
func TestRefusedFilterOfCards(t *testing.T) {
	t.Parallel()
	w := newRealConsole(t)
	for query, want := range map[string]string{
		"status=zzz": "Status ", "lock=zzz": "Lock ",
		"customerId=zzz": "Customer must be a positive whole number",
	} {
		answer := w.open(http.MethodGet, "cards?programId=1&"+query, nil)
		page := answer.Body.String()
		if answer.Code != http.StatusUnprocessableEntity ||
			!strings.Contains(page, `<p class="st bad tri small">`+want) ||
			!strings.Contains(page, `<select id="status"`) || strings.Contains(page, `id="found"`) {
			t.Errorf("%s: answered %d: %s", query, answer.Code, page)
		}
	}
}

// TestSentOrderSaysSince says of a sent order when the processor has accepted it.
func TestSentOrderSaysSince(t *testing.T) {
	w := newSetupWorld(t, "support")
	order := w.answers["orders/"+failedOrder].(wire.Order)
	order.State, order.Ended = "sent", nil
	order.Tries = []wire.OrderTry{{At: ago(2 * time.Hour), Node: "embedded", Outcome: "accepted"}}
	all := order.Tries
	for tries, want := range []string{
		"The processor has the order. Its report",
		"The processor has the order, sent 2 hours ago. Its report",
	} {
		order.Tries = all[:tries]
		w.answers["orders/"+failedOrder] = order
		page := w.get("/console/orders/" + failedOrder).Body.String()
		if !strings.Contains(page, want) {
			t.Errorf("with %d tries the page has no %q: %s", tries, want, page)
		}
	}
}
