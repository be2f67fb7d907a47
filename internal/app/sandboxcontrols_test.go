package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	wire "mintmark/client/sandbox"
	"mintmark/internal/app"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/order"
)

// control sends a request to a control, expects a status, and decodes the response.
func control[T any](
	t *testing.T, running *app.App, want int, method, path, body string,
) (read T) {
	t.Helper()
	status, _, text := send(t, method, running.AdminURL()+"/sandbox/v1/"+path, body)
	if status != want {
		t.Fatalf("%s %s %s: %d %s", method, path, body, status, text)
	}
	if text != "" {
		if err := json.Unmarshal([]byte(text), &read); err != nil {
			t.Fatalf("%s %s: %v: %s", method, path, err, text)
		}
	}
	return read
}

// shownCard is a card as a caller reads it.
type shownCard struct {
	CardID     int
	Status     string
	LockType   string `json:"lockTypeCode"`
	LockReason string `json:"lockReasonTypeCode"`
}

// call sends a request of a caller, which must succeed.
func call(t *testing.T, running *app.App, path, body string) shownCard {
	t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	status, _, text := send(t, method, running.URL()+path, body)
	var read struct{ Data shownCard }
	if err := json.Unmarshal([]byte(text), &read); err != nil || status != http.StatusOK {
		t.Fatalf("%s %s: %d %s", path, body, status, text)
	}
	return read.Data
}

// orderCard orders a card as a caller does.
func orderCard(t *testing.T, running *app.App, tag string) shownCard {
	t.Helper()
	s := call(t, running, "/card/initiate", fmt.Sprintf(`{"customerId":1001,
		"cardHolderCustomerId":1001,"vendorTypeCode":"VS","primaryAccountId":2001,
		"firstName":"Ada","lastName":"Example","nickName":%q,"tag":%[1]q}`, tag))
	return readCard(t, running, s.CardID)
}

func readCard(t *testing.T, running *app.App, id int) shownCard {
	t.Helper()
	return call(t, running, fmt.Sprintf("/card/get/1001/%d", id), "")
}

func orders(t *testing.T, running *app.App) int {
	t.Helper()
	return control[wire.World](t, running, 200, "GET", "world", "").Counts.Orders
}

// TestProcessorModes orders a card in each mode, and checks the result.
func TestProcessorModes(t *testing.T) {
	t.Parallel()
	running := startSandbox(t)
	set := func(mode wire.Mode) {
		t.Helper()
		body := fmt.Sprintf(`{"mode":%q}`, mode)
		got := control[wire.Processor](t, running, 200, "PUT", "processor", body)
		if got.Mode != mode {
			t.Errorf("the mode is %s, want %s", got.Mode, mode)
		}
	}
	wait := func(name string, got shownCard, status card.Status, waiting int) {
		t.Helper()
		if n := orders(t, running); got.Status != string(status) || n != waiting {
			t.Errorf("%s: the card is %s and %d orders wait, want %s and %d", name, got.Status, n,
				status, waiting)
		}
	}
	wait("instant", orderCard(t, running, "instant"), card.PendingVerification, 0)

	set(wire.Down)
	s := orderCard(t, running, "down")
	wait("down", s, card.Initiated, 1)
	set(wire.Instant)
	wait("up again", readCard(t, running, s.CardID), card.PendingVerification, 0)

	set(wire.Manual)
	s = orderCard(t, running, "manual")
	wait("manual", s, card.Initiated, 1)
	path := fmt.Sprintf("cards/%d/reports", s.CardID)
	for _, kind := range []order.ReportKind{order.Taken, order.Shipped} {
		said := control[wire.Reported](t, running, 200, "POST", path,
			fmt.Sprintf(`{"kind":%q,"reason":"why"}`, kind))
		if said.Result != string(order.Applied) {
			t.Errorf("%s: %+v", kind, said)
		}
	}
	wait("reported", readCard(t, running, s.CardID), card.PendingVerification, 0)

	set(wire.Refusing)
	// The order to close the denied card is refused, too.
	wait("refusing", orderCard(t, running, "refusing"), card.Denied, 2)
}

// TestReports sends every kind of report about a card without orders, and checks that a report of
// an unknown kind or about an unknown card is rejected.
func TestReports(t *testing.T) {
	t.Parallel()
	running := startSandbox(t)
	seen := map[string]bool{}
	for _, kind := range order.ReportKinds {
		said := control[wire.Reported](t, running, 200, "POST", "cards/5001/reports",
			fmt.Sprintf(`{"kind":%q}`, kind))
		ignored := kind == order.Refused // the card is Verified
		if ignored != (said.Result == string(order.Ignored)) || seen[said.ID] {
			t.Errorf("%s: %+v", kind, said)
		}
		seen[said.ID] = true
	}
	got := readCard(t, running, 5001)
	if got.LockType != "SYS" || got.LockReason != "FRD" {
		t.Errorf("a compromised card is %+v", got)
	}
	control[any](t, running, 404, "POST", "cards/5999/reports", `{"kind":"shipped"}`)
	control[any](t, running, 422, "POST", "cards/5001/reports", `{"kind":"eaten"}`)
	control[any](t, running, 422, "POST", "cards/5001/reports", `{"kind":"shipped","card":1}`)
}

// TestSystemLocks locks for every reason, and unlocks the locks that are not permanent.
func TestSystemLocks(t *testing.T) {
	t.Parallel()
	running := startSandbox(t)
	for i, reason := range card.SystemReasons {
		s := orderCard(t, running, fmt.Sprint("lock ", i))
		path := fmt.Sprintf("cards/%d/", s.CardID)
		body := fmt.Sprintf(`{"lockReasonTypeCode":%q}`, reason)
		locked := control[wire.CardLock](t, running, 200, "POST", path+"lock", body)
		want := wire.CardLock{
			CardID: s.CardID, Status: s.Status, LockType: "SYS", Reason: string(reason),
		}
		if locked != want {
			t.Errorf("%s: %+v, want %+v", reason, locked, want)
		}
		if (card.Lock{Type: card.System, Reason: reason}).Permanent() {
			control[any](t, running, 409, "POST", path+"unlock", "")
			continue
		}
		for range 2 { // the second has nothing to do
			got := control[wire.CardLock](t, running, 200, "POST", path+"unlock", "{}")
			if got.LockType != "UNL" || got.Reason != "" {
				t.Errorf("%s: unlocked, the card is %+v", reason, got)
			}
		}
	}
	customers := orderCard(t, running, "customer's")
	call(t, running, "/card/lock", fmt.Sprintf(
		`{"customerId":1001,"cardId":%d,"lockReasonTypeCode":"TMP"}`, customers.CardID))
	control[wire.CardLock](t, running, 200, "POST",
		fmt.Sprintf("cards/%d/unlock", customers.CardID), "")
	if got := readCard(t, running, customers.CardID); got.LockType != "UNL" {
		t.Errorf("a caller's lock: %+v", got)
	}
	control[any](t, running, 422, "POST", "cards/5001/lock", `{"lockReasonTypeCode":"DMG"}`)
	control[any](t, running, 422, "POST", "cards/5001/lock", "")
	control[any](t, running, 422, "POST", "cards/5001/unlock", `{"reason":"x"}`)
	for _, id := range []string{"5999", "0", "-1", "x", "99999999999"} {
		control[any](t, running, 404, "POST", "cards/"+id+"/lock", `{"lockReasonTypeCode":"ADM"}`)
		control[any](t, running, 404, "POST", "cards/"+id+"/unlock", "")
		control[any](t, running, 404, "GET", "cards/"+id+"/number", "")
	}
}

// TestNumber checks that a number has the ending of a sandbox, and that no list for callers
// contains it.
func TestNumber(t *testing.T) {
	t.Parallel()
	running := startSandbox(t)
	first := control[wire.Number](t, running, 200, "GET", "cards/5001/number", "").Number
	other := control[wire.Number](t, running, 200, "GET", "cards/5002/number", "").Number
	if len(first) != 16 || !strings.HasSuffix(first, "1111") || first == other {
		t.Errorf("the numbers are %s and %s", first, other)
	}
	_, _, text := send(t, "GET", running.URL()+"/card/list/1001", "")
	if strings.Contains(text, first) {
		t.Errorf("a caller reads the number of the card: %s", text)
	}
}

// TestHolds ends holds in every possible way, and checks the balances.
func TestHolds(t *testing.T) {
	t.Parallel()
	running := startSandbox(t)
	balances := func() string {
		t.Helper()
		got := control[wire.Account](t, running, 200, "PUT", "accounts/2001", "{}")
		return fmt.Sprintf("%s %s %s", got.AccountBalance, got.AvailableBalance, got.Held)
	}
	hold := func(body string) string {
		t.Helper()
		authorized := control[wire.Authorized](t, running, 200, "POST", "cards/5001/authorizations", body)
		if !authorized.Approved || authorized.HoldID == "" || authorized.AccountID != 2001 {
			t.Fatalf("%s: %+v", body, authorized)
		}
		return "holds/" + authorized.HoldID + "/"
	}
	control[wire.Account](t, running, 200, "PUT", "accounts/2001", `{"accountBalance":100}`)
	wholly, partly := hold(`{"amount":10}`), hold(`{"amount":20.5}`)
	given := hold(`{"amount":30.00}`)
	if got := balances(); got != "100.00 39.50 60.50" {
		t.Errorf("with three holds: %s", got)
	}
	posted := control[wire.Posted](t, running, 200, "POST", wholly+"post", "")
	if posted.Amount != "10.00" || posted.AccountID != 2001 {
		t.Errorf("%+v", posted)
	}
	control[wire.Posted](t, running, 200, "POST", partly+"post", `{"amount":0.5}`)
	control[wire.Released](t, running, 200, "POST", given+"release", "")
	if got := balances(); got != "89.50 89.50 0.00" {
		t.Errorf("without holds: %s", got)
	}
	control[any](t, running, 409, "POST", wholly+"post", "")
	control[any](t, running, 409, "POST", wholly+"release", "")
	control[wire.Posted](t, running, 200, "POST", given+"post", `{"amount":9.50}`)
	if got := balances(); got != "80.00 80.00 0.00" {
		t.Errorf("after a late posting: %s", got)
	}
	declined := control[wire.Authorized](t, running, 200, "POST", "cards/5001/authorizations",
		`{"amount":80.01}`)
	if declined.Approved || declined.Reason != "insufficientFunds" || declined.HoldID != "" {
		t.Errorf("%+v", declined)
	}
	for _, body := range []string{
		"", "{}", `{"amount":0}`, `{"amount":-1}`, `{"amount":"1"}`, `{"amount":1e2}`,
		`{"amount":1.001}`, `{"amount":1,"kind":"gift"}`, `{"amount":1,"category":"Gold"}`,
		`{"amount":1,"cardId":5002}`, `[]`,
	} {
		control[any](t, running, 422, "POST", "cards/5001/authorizations", body)
	}
	control[any](t, running, 404, "POST", "cards/5999/authorizations", `{"amount":1}`)
	control[any](t, running, 404, "POST", "holds/none/post", "")
	control[any](t, running, 404, "POST", "holds/"+strings.Repeat("a", 101)+"/release", "")
}

// TestChangeCustomer changes every member of a customer and removes the optional ones, and checks
// that callers see the change immediately.
func TestChangeCustomer(t *testing.T) {
	t.Parallel()
	running := startSandbox(t)
	const change = `{"status":"Manual Review","access":"CARD","isActive":false,"isLocked":true,
		"deceasedDate":"2026-05-31","birthDate":"1980-02-29T00:00:00.000-05:00","firstName":"Ann",
		"lastName":"Lee","mobilePhone":null,"homePhone":"12345",
		"mailing":{"line2":null,"city":"Rye"},"residence":null,"id":1001,"programId":1}`
	got := control[wire.Customer](t, running, 200, "PUT", "customers/1001", change)
	if got.Status != string(customer.ManualReview) || got.Access != "CARD" || got.IsActive ||
		!got.IsLocked || got.DeceasedDate != "2026-05-31" || got.BirthDate != "1980-02-29" ||
		got.FirstName != "Ann" || got.LastName != "Lee" || got.MobilePhone != "" ||
		got.HomePhone != "12345" || got.Residence != nil || got.Mailing == nil ||
		got.Mailing.City != "Rye" || got.Mailing.Line2 != "" || got.Mailing.Line1 == "" ||
		got.Revision != 2 {
		t.Errorf("%+v", got)
	}
	again := control[wire.Customer](t, running, 200, "PUT", "customers/1001", "{}")
	if again.Revision != 2 {
		t.Errorf("nothing was changed, and the revision is %d", again.Revision)
	}
	for _, step := range []struct {
		code   int
		change string // removes the cause
	}{
		{60002, `{"isActive":true}`}, {60005, `{"deceasedDate":null}`},
		{60004, `{"isLocked":false}`}, {60003, `{"status":"Verified"}`},
	} {
		_, _, text := send(t, "GET", running.URL()+"/card/get/1001/5001", "")
		if !strings.Contains(text, fmt.Sprintf(`"code":%d`, step.code)) {
			t.Errorf("a caller is answered %s, want %d", text, step.code)
		}
		control[wire.Customer](t, running, 200, "PUT", "customers/1001", step.change)
	}
	readCard(t, running, 5001)
	control[any](t, running, 404, "PUT", "customers/999", "{}")
}

// TestChangesRefused checks which members of a change are reported as wrong, and that nothing of
// the change is stored.
func TestChangesRefused(t *testing.T) {
	t.Parallel()
	running := startSandbox(t)
	for _, row := range []struct{ path, body, pointers string }{
		{"customers/1001", ``, ""},
		{"customers/1001", `[]`, ""},
		{"customers/1001", `{"isLocked":true,"name":"x"}`, "/name"},
		{"customers/1001", `{"isLocked":true,"isLocked":true}`, "/isLocked"},
		{"customers/1001", `{"isLocked":1,"status":7}`, "/isLocked /status"},
		{"customers/1001", `{"id":1002,"revision":9,"programId":2}`, "/id /revision /programId"},
		{"customers/1001", `{"status":"Lost","firstName":""}`, "/status /firstName"},
		{"customers/1001", `{"isLocked":true,"birthDate":null}`, "/birthDate"},
		{"customers/1001", `{"isLocked":true,"birthDate":"1.1.1980"}`, "/birthDate"},
		{"customers/1001", `{"isLocked":true,"deceasedDate":"2026-06-03"}`, "/deceasedDate"},
		{"customers/1001", `{"isLocked":true,"mailing":{"planet":"Mars"}}`, "/mailing/planet"},
		{"customers/1001", `{"isLocked":true,"access":"CARD","accessType":"FULL"}`, "/accessType"},
		{"customers/1001", `{"isLocked":true,"access":"ALL"}`, "/access"},
		{"customers/1001", `{"isLocked":true,"mailing":{"city":null}}`, "/mailing/city"},
		{"accounts/2001", `{"status":"Closed","held":1}`, "/held"},
		{"accounts/2001", `{"status":"Closed","accountBalance":"1"}`, "/accountBalance"},
		{"accounts/2001", `{"status":"Closed","availableBalance":1.001}`, "/availableBalance"},
		{"accounts/2001", `{"status":"Closed","pendingBalance":1e3}`, "/pendingBalance"},
		{"accounts/2001", `{"status":"Closed","accountNumber":"12-34"}`, "/accountNumber"},
		{"accounts/2001", `{"status":"Closed","numberMasked":"****1234"}`, "/numberMasked"},
		{"accounts/2001", `{"status":"Closed","customerId":1999}`, "/customerId"},
		{"accounts/2001", `{"status":"Shut"}`, "/status"},
	} {
		refused := control[struct{ Errors []struct{ Pointer string } }](
			t, running, 422, "PUT", row.path, row.body)
		var pointers []string
		for _, test := range refused.Errors {
			pointers = append(pointers, test.Pointer)
		}
		if got := strings.Join(pointers, " "); got != row.pointers {
			t.Errorf("%s: wrong are %q, want %q", row.body, got, row.pointers)
		}
	}
	person := control[wire.Customer](t, running, 200, "PUT", "customers/1001", "{}")
	account := control[wire.Account](t, running, 200, "PUT", "accounts/2001", "{}")
	if person.Revision != 1 || person.IsLocked || account.Revision != 1 ||
		account.Status != "Open" {
		t.Errorf("something was kept: %+v, %+v", person, account)
	}
}

// TestChangeAccount changes every member of an account.
func TestChangeAccount(t *testing.T) {
	t.Parallel()
	running := startSandbox(t)
	got := control[wire.Account](t, running, 200, "PUT", "accounts/2002", `{"customerId":1002,
		"type":"Savings","status":"Dormant","name":"N","tag":"T","accountNumber":"123456789",
		"accountBalance":-1.5,"availableBalance":7,"pendingBalance":0.01}`)
	if got.CustomerID != 1002 || got.Type != "Savings" || got.Status != "Dormant" ||
		got.Name != "N" || got.Tag != "T" || got.NumberMasked != "*****6789" ||
		got.AccountBalance != "-1.50" || got.AvailableBalance != "7.00" ||
		got.PendingBalance != "0.01" || got.Revision != 2 {
		t.Errorf("%+v", got)
	}
	moved := control[wire.Account](t, running, 200, "PUT", "accounts/2002", `{"accountBalance":0}`)
	if moved.AvailableBalance != "8.50" {
		t.Errorf("the available balance has not moved along: %+v", moved)
	}
	control[any](t, running, 404, "PUT", "accounts/999", "{}")
}
