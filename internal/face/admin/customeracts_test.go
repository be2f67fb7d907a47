package admin

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	wire "mintmark/client/admin"
)

const newCustomer = `{"id":1901,"programId":1,"status":"Verified","access":"FULL",
	"firstName":"Grace","lastName":"Canary","birthDate":"1990-07-01","mobilePhone":"+1 555 0100",
	"mailing":{"line1":"1 Main Street","city":"Springfield","postalCode":"12345","country":"US"}}`

// TestCustomerIsMadeAndChanged creates and changes a customer. No response contains the birth date,
// and the audit contains no personal data.
func TestCustomerIsMadeAndChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const who, path = "support", "customers/1901"
	customer := done[wire.Customer](w, as(who, "POST", "customers", newCustomer), http.StatusCreated)
	if customer.Revision != 1 || !customer.IsActive || customer.BirthDate != "" || customer.Mailing == nil {
		t.Errorf("made is %+v", customer)
	}
	if got := read[wire.Customer](w, who, path); !cmp.Equal(got, customer) {
		t.Error(cmp.Diff(customer, got))
	}
	w.problem(as(who, "POST", "customers", newCustomer), wire.Conflict)
	patch := `{"isLocked":true,"lastName":"Canary-Hopper","mailing":{"city":"Shelbyville"}}`
	w.problem(as(who, "PATCH", path, patch), wire.IfMatchRequired)
	before := w.dumpTables()
	dry := done[wire.DryRun](w, as(who, "PATCH", path+"?dryRun=true", patch, at(1)...),
		http.StatusOK)
	if len(dry.Changes) != 3 || w.dumpTables() != before {
		t.Errorf("a dry run says %+v", dry.Changes)
	}
	changed := done[wire.Customer](w, as(who, "PATCH", path, patch, at(1)...), http.StatusOK)
	if changed.Revision != 2 || !changed.IsLocked || changed.Mailing.City != "Shelbyville" ||
		changed.Mailing.Line1 != "1 Main Street" || changed.FirstName != "Grace" {
		t.Errorf("changed is %+v", changed)
	}
	if got, want := w.lastEntry(), "support: change customer, changed, "; got != want {
		t.Errorf("the audit says %q, want %q", got, want)
	}
	w.problem(as(who, "PATCH", path, patch, at(1)...), wire.Stale)
	for _, entry := range w.auditedStates("customer", "1901") {
		for _, private := range []string{"Grace", "Canary", "1990", "0100", "ville", "Main"} {
			if strings.Contains(entry, private) {
				t.Errorf("the audit shows %q: %s", private, entry)
			}
		}
		if !strings.Contains(entry, `"lastName":"***"`) {
			t.Errorf("the audit hides that the name is another one: %s", entry)
		}
	}
	// A patch with the stored birth date changes nothing; another date replaces it.
	same := `{"birthDate":"1990-07-01"}`
	if got := done[wire.Customer](w, as(who, "PATCH", path, same, at(2)...),
		http.StatusOK); got.Revision != 2 {
		t.Errorf("the birth date that it has makes revision %d", got.Revision)
	}
	other := `{"birthDate":"1991-07-01"}`
	if got := done[wire.Customer](w, as(who, "PATCH", path, other, at(2)...),
		http.StatusOK); got.Revision != 3 {
		t.Errorf("another birth date makes revision %d", got.Revision)
	}
}

// TestWrongCustomers checks that all problems with a customer are reported, under the member names
// of the resource.
func TestWrongCustomers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	wrong := w.problem(as("support", "POST", "customers", `{"id":0,"programId":1,
		"status":"Great","access":"ALL","firstName":"G","lastName":"","birthDate":"1990-07-01",
		"mailing":{"city":"Springfield"}}`), wire.Invalid)
	want := []string{"/access", "/id", "/lastName", "/mailing/country", "/mailing/line1",
		"/mailing/postalCode", "/status"}
	if diff := cmp.Diff(want, pointers(wrong)); diff != "" {
		t.Error(diff)
	}
	for body, pointer := range map[string]string{
		strings.Replace(newCustomer, "1990-07-01", "yesterday", 1):         "/birthDate",
		strings.Replace(newCustomer, "1990", "2990", 1):                    "/birthDate",
		strings.Replace(newCustomer, `"programId":1`, `"programId":99`, 1): "/programId",
	} {
		p := w.problem(as("support", "POST", "customers", body), wire.Invalid)
		if diff := cmp.Diff([]string{pointer}, pointers(p)); diff != "" {
			t.Error(diff)
		}
	}
	w.problem(as("elsewhere", "PATCH", "customers/1001", `{"isLocked":true}`, at(1)...),
		wire.NotFound)
	w.problem(as("support", "PATCH", "customers/1001", `{"programId":2}`, at(1)...), wire.Invalid)
	w.problem(as("configurator", "POST", "customers", newCustomer), wire.NotAllowed)
}

const newAccount = `{"id":2901,"programId":1,"customerId":1001,"type":"Checking",
	"status":"Open","name":"Travel","accountNumber":"12345678","accountBalance":100.5}`

// TestAccountIsMadeAndChanged creates and changes an account. Its number is masked from the start,
// and the available balance follows the account balance.
func TestAccountIsMadeAndChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const who, path = "support", "accounts/2901"
	account := done[wire.Account](w, as(who, "POST", "accounts", newAccount), http.StatusCreated)
	if account.Revision != 1 || account.NumberMasked != "****5678" || account.AccountNumber != "" ||
		account.AccountBalance != "100.50" || account.AvailableBalance != "100.50" ||
		account.PendingBalance != "0.00" {
		t.Errorf("made is %+v", account)
	}
	if got := read[wire.Account](w, who, path); !cmp.Equal(got, account) {
		t.Error(cmp.Diff(account, got))
	}
	w.problem(as(who, "POST", "accounts", newAccount), wire.Conflict)
	changed := done[wire.Account](w, as(who, "PATCH", path,
		`{"accountBalance":80,"tag":"trip","status":"Dormant"}`, at(1)...), http.StatusOK)
	if changed.Revision != 2 || changed.AccountBalance != "80.00" ||
		changed.AvailableBalance != "80.00" || changed.Tag != "trip" || changed.Name != "Travel" {
		t.Errorf("changed is %+v", changed)
	}
	changed = done[wire.Account](w, as(who, "PATCH", path,
		`{"availableBalance":50.25,"tag":null,"accountNumber":"87654321"}`, at(2)...),
		http.StatusOK)
	if changed.AccountBalance != "80.00" || changed.AvailableBalance != "50.25" ||
		changed.Tag != "" || changed.NumberMasked != "****4321" {
		t.Errorf("changed is %+v", changed)
	}
	for body, want := range map[string]string{
		`{"type":"Savings"}`: wire.Conflict, `{"customerId":1002}`: wire.Conflict,
		`{"held":1}`: wire.Invalid, `{"numberMasked":"****9999"}`: wire.Invalid,
		`{"accountBalance":1.234}`: wire.Invalid, `{"accountNumber":"12"}`: wire.Invalid,
		`{"status":"Gone"}`: wire.Invalid, `{"name":null}`: wire.Invalid,
	} {
		w.problem(as(who, "PATCH", path, body, at(3)...), want)
	}
	stranger := strings.NewReplacer("2901", "2902", "1001", "4711").Replace(newAccount)
	p := w.problem(as(who, "POST", "accounts", stranger), wire.Invalid)
	if diff := cmp.Diff([]string{"/customerId"}, pointers(p)); diff != "" {
		t.Error(diff)
	}
	shown := w.auditedStates("account", "2901")
	if len(shown) < 3 || strings.Contains(strings.Join(shown, ""), "5678") {
		t.Errorf("the audit shows %q", shown)
	}
}

// auditedStates returns the states before and after each change of a subject, as the audit shows
// them.
func (w *world) auditedStates(kind, id string) []string {
	w.t.Helper()
	db, err := sql.Open("sqlite", w.path)
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	return queryColumn(w.t, db, `SELECT card_before || ' ' || card_after FROM audit
		WHERE subject_kind = '`+kind+`' AND subject_id = '`+id+`'
			AND outcome IN ('created', 'changed') ORDER BY audit_id`)
}

// TestDryRunTellsNoBirthDate checks that the response to a dry run does not depend on the stored
// birth date.
func TestDryRunTellsNoBirthDate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, bodies := range [][]string{
		{`{"birthDate":"1985-03-14"}`, `{"birthDate":"1985-03-15"}`},
		{`{"deceasedDate":"1985-03-14"}`, `{"deceasedDate":"1985-03-13"}`},
	} {
		var answers []string
		for _, body := range bodies {
			answer := w.ask(as("support", "PATCH", "customers/1001?dryRun=true", body, at(1)...))
			text := strings.NewReplacer("1985-03-13", "…", "1985-03-14", "…").Replace(
				answer.Body.String())
			answers = append(answers, fmt.Sprint(answer.Code, answer.Header().Get("ETag"), text))
		}
		if answers[0] != answers[1] || !strings.HasPrefix(answers[0], "200") {
			t.Errorf("a dry run tells the birth date (-one +other):\n%s",
				cmp.Diff(answers[0], answers[1]))
		}
	}
}

// TestShownCustomersAreInAudit checks that each response that shows customers adds one audit entry,
// whatever the query, and that the entry does not repeat the search terms.
func TestShownCustomersAreInAudit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const who = "support"
	for _, row := range []struct {
		a              testRequest
		act            string
		subject, after string
		program        int
	}{
		{as(who, "GET", "customers?q=1001", ""), "list customers", "customer:1001",
			`{"customers":"1","cards":"0","filters":"q"}`, 1},
		{as(who, "GET", "customers?programId=1&status=Denied&sort=lastName&count=true", ""),
			"list customers", "customer:1011",
			`{"customers":"1","cards":"0","filters":"programId, status"}`, 1},
		{as(who, "GET", "customers?limit=200", ""), "list customers", "",
			`{"customers":"16","cards":"0","filters":""}`, 0},
		{as(who, "GET", "customers?q=Grace+Canary", ""), "list customers", "",
			`{"customers":"0","cards":"0","filters":"q"}`, 0},
		{as(who, "GET", "cards?lastFour=1111&programId=1", ""), "list cards", "",
			`{"customers":"0","cards":"25","filters":"programId, lastFour"}`, 1},
		{as(who, "GET", "search?q=demo-5001", ""), "search", "card:5001",
			`{"customers":"0","cards":"1","filters":"q"}`, 1},
		{as(who, "PATCH", "customers/1001?dryRun=true", `{"isLocked":true}`, at(1)...),
			"read customer", "customer:1001", "", 1},
	} {
		before := len(w.entries())
		if answer := w.ask(row.a); answer.Code != http.StatusOK {
			t.Fatalf("%s is answered %s", row.a.path, answer.Body)
		}
		if added := w.entries()[before:]; len(added) != 1 {
			t.Errorf("%s leaves the entries %q", row.a.path, added)
		}
		newest := read[wire.List[wire.Entry]](w, "auditor", "audit?limit=1").Items[0]
		if newest.Act != row.act || newest.Subject != row.subject || newest.Outcome != "read" ||
			string(newest.After) != row.after || newest.ProgramID != row.program {
			t.Errorf("%s leaves %+v, after %s", row.a.path, newest, newest.After)
		}
	}
	before := len(w.entries())
	result, err := w.desk.Do(t.Context(), Request{
		Method: http.MethodGet, Path: "customers", Query: url.Values{"limit": {"2"}}, Whole: true,
		Who: w.known[who],
	})
	list, _ := result.Value.(wire.List[wire.Customer])
	if err != nil || len(list.Items) != 16 || list.Next != "" || len(w.entries()) != before+1 {
		t.Errorf("the whole list is %+v, %v, and leaves %q", list, err, w.entries()[before:])
	}
}

// TestBalancesInRange checks that a balance is refused if the store or a response could not
// represent it.
func TestBalancesInRange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.authorize(5001, "a1", "10")
	account := read[wire.Account](w, "support", "accounts/2001")
	refused := func(revision int, body, pointer string) {
		t.Helper()
		p := w.problem(as("support", "PATCH", "accounts/2001", body, at(revision)...), wire.Invalid)
		if diff := cmp.Diff([]string{pointer}, pointers(p)); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
	refused(account.Revision, `{"availableBalance":922337203685477.58}`, "/availableBalance")
	done[wire.Account](w, as("support", "PATCH", "accounts/2001",
		`{"accountBalance":0,"availableBalance":20}`, at(account.Revision)...), http.StatusOK)
	refused(account.Revision+1, `{"accountBalance":922337203685477.58}`, "/accountBalance")
	if got := read[wire.Account](w, "support", "accounts/2001"); got.AvailableBalance != "20.00" {
		t.Errorf("the account is %+v", got)
	}
}
