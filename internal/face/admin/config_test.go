package admin

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	wire "mintmark/client/admin"
	"mintmark/internal/store"
)

// as returns a request made with a token; header holds pairs of name and value.
func as(token, method, path, body string, header ...string) testRequest {
	a := testRequest{token: token, method: method, path: path, body: body, header: map[string]string{}}
	for i := 0; i+1 < len(header); i += 2 {
		a.header[header[i]] = header[i+1]
	}
	return a
}

// read gets a resource.
func read[A any](w *world, token, path string) A {
	w.t.Helper()
	return done[A](w, as(token, http.MethodGet, path, ""), http.StatusOK)
}

func at(revision int) []string { return []string{"If-Match", etag(revision)} }

// pointers returns the sorted pointers of a problem.
func pointers(p wire.Problem) []string {
	var all []string
	for _, e := range p.Errors {
		all = append(all, e.Pointer)
	}
	slices.Sort(all)
	return all
}

// lastEntry returns the newest audit entry of an operator.
func (w *world) lastEntry() string {
	w.t.Helper()
	all := w.entries()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

func TestBanks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const who = "configurator"
	bank := done[wire.Bank](w, as(who, "POST", "banks", `{"name":"New"}`), http.StatusCreated)
	if bank.ID < 2 || bank.Revision != 1 || bank.Name != "New" {
		t.Fatalf("the bank is %+v", bank)
	}
	if got := read[wire.Bank](w, who, "banks/"+strconv.Itoa(bank.ID)); got != bank {
		t.Errorf("read is %+v, made %+v", got, bank)
	}
	taken := w.problem(as(who, "POST", "banks", `{"id":1,"name":""}`), wire.Invalid)
	if diff := cmp.Diff([]string{"/name"}, pointers(taken)); diff != "" {
		t.Error(diff)
	}
	patch := as(who, "PATCH", "banks/1", `{"name":"Renamed"}`)
	w.problem(patch, wire.IfMatchRequired)
	before := read[wire.Bank](w, who, "banks/1")
	patch = as(who, "PATCH", "banks/1", `{"name":"Renamed"}`, at(before.Revision)...)
	if got := done[wire.Bank](w, patch, http.StatusOK); got.Name != "Renamed" {
		t.Errorf("the bank is %+v", got)
	}
	if got, want := w.lastEntry(), "configurator: change bank, changed, "; got != want {
		t.Errorf("the audit says %q, want %q", got, want)
	}
	w.problem(patch, wire.Stale)

	page := read[wire.List[wire.Bank]](w, who, "banks?q=renam")
	if len(page.Items) != 1 || page.Items[0].ID != 1 {
		t.Errorf("found are %+v", page)
	}
	// Reading the list one item at a time gives the same items.
	all, next, seen := read[wire.List[wire.Bank]](w, who, "banks"), "", []wire.Bank{}
	for page := (wire.List[wire.Bank]{Next: "?"}); page.Next != ""; {
		page = read[wire.List[wire.Bank]](w, who, "banks?limit=1"+next)
		seen, next = append(seen, page.Items...), "&cursor="+page.Next
	}
	if diff := cmp.Diff(all.Items, seen); diff != "" {
		t.Error(diff)
	}
	// A bank out of scope does not exist for the operator.
	w.problem(as("elsewhere", "GET", "banks/1", ""), wire.NotFound)
	for _, b := range read[wire.List[wire.Bank]](w, "elsewhere", "banks").Items {
		if b.ID != 4 {
			t.Errorf("bank %d is listed out of scope", b.ID)
		}
	}
	w.problem(as("elsewhere", "POST", "banks", `{"name":"Mine"}`), wire.Conflict)
}

func TestEncryptionKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const keys = "banks/1/encryption-keys"
	encryptionKey := done[wire.EncryptionKey](w, as("security", "POST", keys, `{"status":1}`),
		http.StatusCreated)
	path := keys + "/" + strconv.Itoa(encryptionKey.ID)
	w.problem(as("security", "POST", keys, `{"status":4}`), wire.Invalid)
	w.problem(as("security", "GET", "banks/2/encryption-keys/"+strconv.Itoa(encryptionKey.ID), ""),
		wire.NotFound)
	retire := as("security", "PATCH", path, `{"status":3}`, at(1)...)
	retired := done[wire.EncryptionKey](w, retire, http.StatusOK)
	if retired.Status != 3 || retired.Revision != 2 {
		t.Errorf("the key is %+v", retired)
	}
	w.problem(as("security", "PATCH", path, `{"status":1}`, at(2)...), wire.Conflict)

	w.two = true
	w.problem(as("security", "POST", keys, `{"status":1}`), wire.NeedsApproval)
	// An impossible change is refused without an approval.
	w.problem(as("security", "PATCH", path, `{"status":2}`, at(2)...), wire.Conflict)
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const who, path = "configurator", "programs/1"
	before := read[wire.Program](w, who, path)
	for name, there := range map[string]bool{
		"accounts": true, "externalAccounts": true, "products": true, "bin": true,
		"filledDate": false, "savingsProducts": false,
	} {
		if _, shows := before.Settings[name]; shows != there {
			t.Errorf("a program shows %s: %v", name, shows)
		}
	}
	for _, name := range []string{"accounts", "externalAccounts"} {
		text := string(before.Settings[name])
		if strings.Contains(text, `"accountNumber"`) || !strings.Contains(text, `Masked"`) {
			t.Errorf("a program shows the numbers of its accounts: %s", text)
		}
	}
	change := `{"name":"Other","verificationWindowDays":30,"renewal":"automatic",
		"balances":"mintmark","fourEyes":true,"currency":"USD",
		"website":"https://b.example",
		"perTransactionDepositLimit":{"minimumAmount":1.5,"maximumAmount":100}}`
	dry := done[struct {
		wire.Program
		Changes []wire.Change `json:"changes"`
	}](w, as(who, "PATCH", path+"?dryRun=true", change, at(before.Revision)...), http.StatusOK)
	if len(dry.Settings) == 0 || read[wire.Program](w, who, path).Name != before.Name {
		t.Error("a dry run has changed the program")
	}
	after := done[wire.Program](w, as(who, "PATCH", path, change, at(before.Revision)...),
		http.StatusOK)
	if after.Name != "Other" || after.Revision != before.Revision+1 || !after.FourEyes ||
		after.Renewal != "automatic" || after.Balances != "mintmark" ||
		after.VerificationWindowDays != 30 ||
		string(after.Settings["website"]) != `"https://b.example"` ||
		string(after.Settings["perTransactionDepositLimit"]) !=
			`{"minimumAmount":1.50,"maximumAmount":100.00}` {
		t.Errorf("the program is %+v", after)
	}
	if diff := cmp.Diff(after, read[wire.Program](w, who, path)); diff != "" {
		t.Errorf("read is another one: %s", diff)
	}
	w.problem(as(who, "PATCH", path, change, at(before.Revision)...), wire.Stale)
	revision := at(after.Revision)

	// The response lists all problems together, each with its pointer.
	wrong := w.problem(as(who, "PATCH", path, `{"decimalCount":9,"timeZone":"Local",
		"renewal":"sometimes","verificationWindowDays":0}`, revision...), wire.Invalid)
	want := []string{"/decimalCount", "/renewal", "/timeZone", "/verificationWindowDays"}
	if diff := cmp.Diff(want, pointers(wrong)); diff != "" {
		t.Error(diff)
	}
	// Member names are case-sensitive at any depth.
	wrong = w.problem(as(who, "PATCH", path, `{"name":"a","NAME":"b"}`, revision...), wire.Invalid)
	if diff := cmp.Diff([]string{"/NAME"}, pointers(wrong)); diff != "" {
		t.Error(diff)
	}
	wrong = w.problem(as(who, "PATCH", path, `{"Website":"https://c.example","bank":{"Name":"x"},
		"perTransactionDepositLimit":{"MinimumAmount":1}}`, revision...), wire.Invalid)
	want = []string{"/Website", "/bank/Name", "/perTransactionDepositLimit/MinimumAmount"}
	if diff := cmp.Diff(want, pointers(wrong)); diff != "" {
		t.Error(diff)
	}
	wrong = w.problem(as(who, "PATCH", path, `{"websit":"x","products":[],"filledDate":"2026-01-01",
		"regDFeeAmount":"much","bank":{"nam":"x","phone":1},"validAccountTypes":["Checking",2],
		"perUserDailyDepositLimit":{"minimumAmount":"x"}}`, revision...), wire.Invalid)
	want = []string{"/bank/nam", "/bank/phone", "/filledDate",
		"/perUserDailyDepositLimit/minimumAmount", "/products", "/regDFeeAmount",
		"/validAccountTypes/1", "/websit"}
	if diff := cmp.Diff(want, slices.Compact(pointers(wrong))); diff != "" {
		t.Error(diff)
	}
	w.problem(as(who, "PATCH", path, `{"bankId":2}`, revision...), wire.Invalid)
	wrong = w.problem(as(who, "PATCH", path, `{"bank":{"timeZone":"UTC"}}`, revision...),
		wire.Invalid)
	if diff := cmp.Diff([]string{"/bank/timeZone"}, pointers(wrong)); diff != "" {
		t.Error(diff)
	}
	w.problem(as(who, "PATCH", path, `{"decimalCount":null}`, revision...), wire.Invalid)
	// Only switching four eyes off needs another operator.
	w.problem(as(who, "PATCH", path, `{"fourEyes":false}`, revision...), wire.NeedsApproval)
	gone := done[wire.Program](w, as(who, "PATCH", path, `{"website":null}`, revision...),
		http.StatusOK)
	if _, there := gone.Settings["website"]; there {
		t.Error("null has not removed the setting")
	}
}

func TestCreateProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := `{"bankId":1,"name":"New","decimalCount":2,"timeZone":"America/New_York",
		"publicKeyAlgorithms":"RSA-OAEP-SHA256-MGF1","bank":{"name":"B",
		"timeZone":"America/New_York"}}`
	program := done[wire.Program](w, as("configurator", "POST", "programs", body),
		http.StatusCreated)
	if program.ID < 2 || program.Revision != 1 || program.VerificationWindowDays != 90 ||
		program.Renewal != "manual" {
		t.Errorf("the program is %+v", program)
	}
	other := strings.Replace(body, `"bankId":1`, `"bankId":999`, 1)
	w.problem(as("configurator", "POST", "programs", other), wire.Invalid)
	other = strings.ReplaceAll(body, "America/New_York", "Europe/Paris")
	w.problem(as("configurator", "POST", "programs", other), wire.Invalid)
	w.problem(as("elsewhere", "POST", "programs", body), wire.Invalid)
	other = strings.Replace(body, `"decimalCount":2`, `"renewal":"never"`, 1)
	wrong := w.problem(as("configurator", "POST", "programs", other), wire.Invalid)
	if diff := cmp.Diff([]string{"/decimalCount", "/renewal"}, pointers(wrong)); diff != "" {
		t.Error(diff)
	}
}

// TestDuplicateIsConflict checks that an ID or a name that is already in use is a conflict, and
// that problems with the body are reported first.
func TestDuplicateIsConflict(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const (
		bin  = `"vendorTypeCode":"VS","firstBody":"499999000000000","lastBody":"499999099999999"`
		hook = `"name":"hook","url":"http://127.0.0.1:9/"`
	)
	for _, c := range []struct{ path, good, bad, want string }{
		{"banks", `{"id":1,"name":"New"}`, `{"id":1,"name":""}`, "There is a bank 1 already."},
		{"programs/1/bins", `{"id":1,` + bin + `}`, `{"id":1}`, "There is a BIN 1 already."},
		{"programs/1/keys", `{"name":"example1","allow":["::1"]}`, `{"name":"example1"}`,
			"There is a key example1 already."},
		{"programs/1/webhooks", `{` + hook + `}`, `{"name":"hook","url":"x"}`,
			"has this name already."},
		{"programs/1/products", `{"id":77,"name":"G","type":"Savings","category":"Savings"}`, `{`,
			"There is a product 77 already."},
		{"customers", newCustomer, `{"id":1901,"programId":1}`,
			"There is a customer 1901 already."},
		{"accounts", newAccount, `{"id":2901,"programId":1,"customerId":1001}`,
			"There is an account 2901 already."},
		{"banks/1/encryption-keys", `{"id":1,"status":1}`, `{"id":1,"status":9}`,
			"There is an encryption key 1 already."},
	} {
		w.ask(as("administrator", "POST", c.path, c.good))
		before := w.dumpTables()
		told := w.problem(as("administrator", "POST", c.path, c.good), wire.Conflict)
		if !strings.HasSuffix(told.Detail, c.want) {
			t.Errorf("%s: %q, want %q", c.path, told.Detail, c.want)
		}
		w.problem(as("administrator", "POST", c.path, c.bad), wire.Invalid)
		if w.dumpTables() != before {
			t.Errorf("%s: a refused thing has changed something", c.path)
		}
	}
}

func TestBins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const bins = "programs/1/bins"
	bin := done[wire.Bin](w, as("configurator", "POST", bins, `{"vendorTypeCode":"VS",
		"firstBody":"499999000000000","lastBody":"499999999999999","isActive":true}`),
		http.StatusCreated)
	if bin.ValidMonths != 48 || bin.ProgramID != 1 {
		t.Errorf("the BIN is %+v", bin)
	}
	w.problem(as("configurator", "POST", bins, `{"vendorTypeCode":"VS",
		"firstBody":"499999100000000","lastBody":"499999199999999"}`), wire.Conflict)
	for body, want := range map[string][]string{
		`"firstBody":"499998000000000","lastBody":"499998999999999"`: {"/validMonths"},
		`"firstBody":"499999100000000","lastBody":"499999199999999"`: {"/firstBody", "/validMonths"},
	} {
		wrong := w.problem(as("configurator", "POST", bins, `{"vendorTypeCode":"VS","validMonths":0,`+
			body+`}`), wire.Invalid)
		if diff := cmp.Diff(want, pointers(wrong)); diff != "" {
			t.Errorf("valid for 0 months, %s: %s", body, diff)
		}
	}
	path := bins + "/" + strconv.Itoa(bin.ID)
	changed := done[wire.Bin](w, as("configurator", "PATCH", path,
		`{"isActive":false,"description":"Old"}`, at(1)...), http.StatusOK)
	if changed.IsActive || changed.Description != "Old" || changed.Revision != 2 {
		t.Errorf("the BIN is %+v", changed)
	}
	w.problem(as("configurator", "PATCH", path, `{"lastBody":"499999899999999"}`, at(2)...),
		wire.Invalid)
	w.problem(as("configurator", "GET", "programs/2/bins/"+strconv.Itoa(bin.ID), ""),
		wire.NotFound)
}

func TestProgramParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const who = "configurator"
	revision := func() []string { return at(read[wire.Program](w, who, "programs/1").Revision) }
	product := done[wire.Product](w, as(who, "POST", "programs/1/products", `{"name":"Gold",
		"type":"Savings","category":"Savings","balanceLimit":{"maximumAmount":5},
		"interestRates":[{"apr":0.5,"apy":0.51,"tier":1,"effectiveDate":"2026-01-01T00:00:00Z"}]}`),
		http.StatusCreated)
	path := "programs/1/products/" + strconv.Itoa(product.ID)
	if diff := cmp.Diff(product, read[wire.Product](w, who, path)); diff != "" {
		t.Error(diff)
	}
	wrong := w.problem(as(who, "PATCH", path, `{"type":"Loan","name":""}`, revision()...),
		wire.Invalid)
	if diff := cmp.Diff([]string{"/name", "/type"}, pointers(wrong)); diff != "" {
		t.Error(diff)
	}
	changed := done[wire.Product](w, as(who, "PATCH", path, `{"name":"Silver"}`, revision()...),
		http.StatusOK)
	product.Name, product.Revision = "Silver", changed.Revision
	if diff := cmp.Diff(product, changed); diff != "" {
		t.Error(diff)
	}
	remove := as(who, "DELETE", path, "", revision()...)
	if got := w.ask(remove); got.Code != http.StatusNoContent {
		t.Errorf("the product is not taken away: %d %s", got.Code, got.Body)
	}
	w.problem(as(who, "GET", path, ""), wire.NotFound)

	// The account number is written in full, retained if absent, and shown only masked.
	account := done[wire.ProgramAccount](w, as(who, "POST", "programs/1/accounts",
		`{"accountId":77,"type":"CardSettlement","accountNumber":"1234567890"}`),
		http.StatusCreated)
	if account.AccountNumber != "" || !strings.HasSuffix(account.AccountNumberMasked, "7890") {
		t.Errorf("the account is %+v", account)
	}
	path = "programs/1/accounts/" + strconv.Itoa(account.ID)
	answer := w.ask(as(who, "PATCH", path, `{"isActive":true}`, revision()...))
	if strings.Contains(answer.Body.String(), "1234567890") || answer.Code != http.StatusOK ||
		!strings.Contains(answer.Body.String(), account.AccountNumberMasked) {
		t.Errorf("the answer is %d %s", answer.Code, answer.Body)
	}
	external := done[wire.ExternalAccount](w, as(who, "POST", "programs/1/externalAccounts",
		`{"externalAccountId":5,"type":"InterestFund","routingNumber":"021000021",
		"accountNumber":"55556666"}`), http.StatusCreated)
	if external.AccountNumber != "" || !strings.HasSuffix(external.AccountNumberMasked, "6666") {
		t.Errorf("the account is %+v", external)
	}
	for _, e := range w.entries() {
		if strings.Contains(e, "1234567890") {
			t.Errorf("the audit shows an account number: %s", e)
		}
	}
}

func TestKeysOfCallers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const keys = "programs/1/keys"
	key := done[wire.Key](w, as("security", "POST", keys, `{"name":"shop","version":2,
		"allow":["192.0.2.0/24","198.51.100.7"],"ratePerSecond":2.5,
		"compatibility":["earlier-clients"]}`), http.StatusCreated)
	want := wire.Key{
		ID: "shop", Revision: 1, ProgramID: 1, Name: "shop", Version: 2, RatePerSecond: 2.5,
		Burst: 3, Allow: []string{"192.0.2.0/24", "198.51.100.7"}, State: "active", Key: "shop",
		Compatibility: []string{"earlier-clients"}, Secret: key.Secret,
	}
	if diff := cmp.Diff(want, key); diff != "" || len(key.Secret) < 40 {
		t.Errorf("the key (-want +got):\n%s", diff)
	}
	want.Secret = ""
	const path = keys + "/shop"
	if diff := cmp.Diff(want, read[wire.Key](w, "security", path)); diff != "" {
		t.Errorf("the secret is shown twice, or another key is read:\n%s", diff)
	}
	wrong := w.problem(as("security", "POST", keys, `{"name":"shop","allow":["x"],"version":3,
		"burst":0,"compatibility":["none"],"expires":"2020-01-01T00:00:00Z"}`), wire.Invalid)
	places := []string{"/allow/0", "/burst", "/compatibility", "/expires", "/version"}
	if diff := cmp.Diff(places, pointers(wrong)); diff != "" {
		t.Error(diff)
	}
	// A member of the wrong type does not hide the other problems.
	wrong = w.problem(as("security", "POST", keys, `{"name":"shop","allow":["x"],"version":"three",
		"burst":0,"expires":"soon"}`), wire.Invalid)
	places = []string{"/allow/0", "/burst", "/expires", "/version"}
	if diff := cmp.Diff(places, pointers(wrong)); diff != "" {
		t.Error(diff)
	}
	w.problem(as("security", "POST", keys, `{"name":"a/b","allow":["::1"]}`), wire.Invalid)
	numbered := w.problem(as("security", "POST", keys,
		`{"name":"4111.1111.1111.1111","allow":["::1"]}`), wire.Invalid)
	if diff := cmp.Diff([]string{"/name"}, pointers(numbered)); diff != "" {
		t.Error(diff)
	}

	rotated := done[wire.Key](w, as("security", "POST", path+"/rotate", `{"overlap":"2h"}`),
		http.StatusOK)
	if rotated.Secret == "" || rotated.Secret == key.Secret || rotated.PreviousUntil == nil ||
		!rotated.PreviousUntil.Equal(start.Add(2*time.Hour)) {
		t.Errorf("the rotated key is %+v", rotated)
	}
	w.problem(as("security", "POST", path+"/rotate", `{}`), wire.Conflict)
	w.problem(as("security", "POST", path+"/rotate", `{}`, at(1)...), wire.Stale)
	w.problem(as("security", "POST", path+"/rotate", `{"overlap":"soon"}`), wire.Invalid)
	w.problem(as("security", "POST", path+"/rotate", `{"overlap":"800h"}`), wire.Invalid)
	w.clock.Advance(2 * time.Hour)
	again := done[wire.Key](w, as("security", "POST", path+"/rotate", `{"overlap":"0s"}`),
		http.StatusOK)
	if again.PreviousUntil != nil {
		t.Errorf("two secrets open without an overlap: %+v", again)
	}

	w.changeKey(again)
}

// changeKey changes a rotated key, lets it expire and revokes it.
func (w *world) changeKey(again wire.Key) {
	w.t.Helper()
	t, keys, path := w.t, "programs/1/keys", "programs/1/keys/shop"
	changed := done[wire.Key](w, as("security", "PATCH", path,
		`{"allow":["::1"],"expires":"2026-06-10T00:00:00Z","burst":9}`, at(again.Revision)...),
		http.StatusOK)
	if changed.State != "expiring" || changed.Burst != 9 || len(changed.Allow) != 1 {
		t.Errorf("the changed key is %+v", changed)
	}
	w.problem(as("security", "PATCH", path, `{"name":"x","state":"active"}`,
		at(changed.Revision)...), wire.Invalid)
	w.clock.Advance(30 * 24 * time.Hour)
	if got := read[wire.Key](w, "security", path); got.State != "expired" {
		t.Errorf("the key is %s", got.State)
	}
	w.problem(as("security", "PATCH", path, `{"expires":null}`, at(changed.Revision)...),
		wire.Conflict)

	revoke := as("security", "POST", path+"/revoke", "{}")
	w.problem(revoke, wire.Invalid)
	revoke.body = `{"reason":"leaked"}`
	if got := done[wire.Key](w, revoke, http.StatusOK); got.State != "revoked" {
		t.Errorf("the key is %s", got.State)
	}
	if got, want := w.lastEntry(), "security: revoke key, changed, leaked"; got != want {
		t.Errorf("the audit says %q, want %q", got, want)
	}
	w.problem(revoke, wire.Conflict)
	w.problem(as("security", "POST", keys, `{"name":"again","allow":["::1"],"secret":"`+
		again.Secret+`"}`), wire.Invalid)
	dry := done[wire.Key](w, as("security", "POST", keys+"?dryRun=true",
		`{"name":"dry","allow":["::1"]}`), http.StatusOK)
	if dry.Secret != "" {
		t.Error("a dry run shows a secret that is not kept")
	}
	w.problem(as("security", "GET", keys+"/dry", ""), wire.NotFound)
}

// TestKeysNeedTwo checks which acts on keys need a second operator in a program that demands four
// eyes.
func TestKeysNeedTwo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const path = "programs/1/keys/shop"
	key := done[wire.Key](w, as("security", "POST", "programs/1/keys",
		`{"name":"shop","allow":["::1"]}`), http.StatusCreated)
	w.requireFourEyes()
	for _, a := range []testRequest{
		as("security", "POST", "programs/1/keys", `{"name":"new","allow":["::1"]}`),
		as("security", "POST", path+"/rotate", `{}`),
		as("security", "PATCH", path, `{"allow":["::2"]}`, at(key.Revision)...),
	} {
		if told := w.problem(a, wire.NeedsApproval); told.ApprovalID == 0 {
			t.Errorf("%s %s: %+v", a.method, a.path, told)
		}
	}
	done[wire.Key](w, as("security", "PATCH", path, `{"burst":7}`, at(key.Revision)...),
		http.StatusOK)
	done[wire.Key](w, as("security", "POST", path+"/revoke", `{"reason":"leaked"}`), http.StatusOK)
}

// TestConfirmedKey has a second operator approve a new key. Only the requester can read its secret,
// and only once.
func TestConfirmedKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.requireFourEyes()
	p := w.problem(as("security", "POST", "programs/1/keys",
		`{"name":"shop","allow":["::1"],"reason":"a new shop"}`), wire.NeedsApproval)
	path := "approvals/" + strconv.Itoa(p.ApprovalID)
	w.problem(as("security", "GET", "programs/1/keys/shop", ""), wire.NotFound)
	w.problem(as("security", "POST", path+"/approve", `{"reason":"mine"}`), wire.NotAllowed)
	done[wire.Approval](w, as("other", "POST", path+"/approve", `{"reason":"known"}`),
		http.StatusOK)
	kept := read[wire.Key](w, "security", "programs/1/keys/shop")
	if kept.Secret != "" || kept.State != "active" {
		t.Errorf("the key is %+v", kept)
	}
	w.problem(as("other", "POST", path+"/result", ""), wire.NotFound)
	key := done[wire.Key](w, as("security", "POST", path+"/result", ""), http.StatusCreated)
	if key.Name != "shop" || key.Secret == "" {
		t.Errorf("the result is %+v", key)
	}
	w.problem(as("security", "POST", path+"/result", ""), wire.NotFound)
	var issued string
	for _, entry := range w.entries() {
		if strings.Contains(entry, "issue key") {
			issued = entry
		}
	}
	if !strings.Contains(issued, "security") || !strings.Contains(issued, "other") {
		t.Errorf("the audit names not both: %s", issued)
	}
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const who, hooks = "configurator", "programs/1/webhooks"
	answer := w.ask(as(who, "POST", hooks, `{"url":"https://a.example/x","types":["card.*"]}`))
	webhook := done[wire.Webhook](w, as(who, "POST", hooks, `{"name":"b","url":"https://b.example"}`),
		http.StatusCreated)
	hook := "webhooks/" + strconv.Itoa(webhook.ID)
	if webhook.Secret == "" || answer.Header().Get("Location") != wire.Prefix+"webhooks/1" {
		t.Errorf("made %+v at %s", webhook, answer.Header().Get("Location"))
	}
	if got := read[wire.Webhook](w, who, hook); got.Secret != "" || got.Name != "b" {
		t.Errorf("read is %+v", got)
	}
	w.problem(as(who, "POST", hooks, `{"name":"b","url":"ftp://b","types":["no"]}`), wire.Invalid)
	w.chooseSecrets(who, hooks)
	changed := done[wire.Webhook](w, as(who, "PATCH", hook, `{"paused":true}`, at(1)...),
		http.StatusOK)
	if !changed.Paused || changed.URL != webhook.URL || changed.Revision != 2 {
		t.Errorf("changed is %+v", changed)
	}
	w.problem(as(who, "PATCH", hook, `{"paused":false}`, at(1)...), wire.Stale)
	w.problem(as(who, "PATCH", hook, `{"waiting":3}`, at(2)...), wire.Invalid)
	rotated := done[wire.Webhook](w, as(who, "POST", hook+"/rotate", ""), http.StatusOK)
	if rotated.Secret == "" || rotated.Secret == webhook.Secret {
		t.Error("there is no new secret")
	}
	if got := read[wire.List[wire.Webhook]](w, who, hooks+"?q=b.example"); len(got.Items) != 1 {
		t.Errorf("found are %+v", got)
	}
	for _, path := range []string{hook, hook + "/deliveries", hook + "/replay"} {
		w.problem(as("elsewhere", "GET", path, ""), wire.NotFound)
	}
	w.problem(as(who, "GET", hook+"/deliveries?state=lost", ""), wire.Invalid)
	w.problem(as(who, "POST", hook+"/deliveries/7/resend", ""), wire.NotFound)
	w.problem(as(who, "POST", hook+"/replay", `{"fromSequence":1,"from":"2026-01-01T00:00:00Z"}`),
		wire.Invalid)
	replay := done[wire.Replay](w, as(who, "POST", hook+"/replay", `{"fromSequence":1}`),
		http.StatusCreated)
	if got := read[wire.List[wire.Replay]](w, who, hook+"/replay"); len(got.Items) != 1 ||
		got.Items[0].ID != replay.ID {
		t.Errorf("the replays are %+v", got)
	}
	if got := w.ask(as(who, "DELETE", hook, "", at(rotated.Revision)...)); got.Code != 204 {
		t.Errorf("the webhook is not deleted: %d %s", got.Code, got.Body)
	}
	w.problem(as(who, "GET", hook, ""), wire.NotFound)
	read[wire.List[wire.Event]](w, who, "events?programId=1&type=card.*")
	w.problem(as(who, "GET", "events?type=nothing", ""), wire.Invalid)
	read[wire.List[wire.Job]](w, who, "jobs")
}

// chooseSecrets creates a webhook with secrets that the operator chose: at most two are accepted,
// and they are not returned.
func (w *world) chooseSecrets(who, hooks string) {
	w.t.Helper()
	const chosen = `"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`
	body := func(secrets ...string) string {
		return `{"name":"c","url":"https://c.example","secrets":[` + strings.Join(secrets, ",") + `]}`
	}
	for _, wrong := range []string{body(chosen, chosen, chosen), body(`"whsec_short"`)} {
		if told := w.problem(as(who, "POST", hooks, wrong), wire.Invalid); len(told.Errors) != 1 ||
			!strings.HasPrefix(told.Errors[0].Pointer, "/secrets") {
			w.t.Errorf("%s: %+v", wrong, told)
		}
	}
	answer := w.ask(as(who, "POST", hooks, body(chosen, chosen)))
	if answer.Code != http.StatusCreated || strings.Contains(answer.Body.String(), "whsec_") {
		w.t.Errorf("chosen secrets: %d %s", answer.Code, answer.Body)
	}
	err := w.kept.View(w.t.Context(), func(r store.Tx) error {
		all, err := r.Webhooks().List(1)
		if err == nil && len(all[len(all)-1].Secrets) != 2 {
			w.t.Errorf("kept are %+v", all)
		}
		return err
	})
	if err != nil {
		w.t.Error(err)
	}
}

// TestMistakesOfNewProgram checks that members of the wrong type, violations of rules by the other
// members and an unknown bank are reported together.
func TestMistakesOfNewProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		website string
		more    []string
	}{{`"https://a.example"`, nil}, {"3", []string{"/website"}}} {
		told := w.problem(as("configurator", "POST", "programs", `{"name":"New","timeZone":"Vienna",
			"currency":"eur","decimalCount":2,"publicKeyAlgorithms":"RSA-OAEP-SHA256-MGF1",
			"bank":{"name":"B","timeZone":"UTC"},"regDFeeAmount":1.234,"website":`+c.website+`,
			"perUserDailyWithdrawLimit":{"minimumAmount":2,"maximumAmount":1}}`), wire.Invalid)
		want := append([]string{"/bankId", "/currency", "/perUserDailyWithdrawLimit/maximumAmount",
			"/regDFeeAmount", "/timeZone"}, c.more...)
		if diff := cmp.Diff(want, pointers(told)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	told := w.problem(as("configurator", "PATCH", "programs/1", `{"website":3,"currency":"eur"}`,
		at(read[wire.Program](w, "configurator", "programs/1").Revision)...), wire.Invalid)
	if diff := cmp.Diff([]string{"/currency", "/website"}, pointers(told)); diff != "" {
		t.Errorf("of a change (-want +got):\n%s", diff)
	}
}

// TestMistakesOfSettings checks that all problems with a change are reported together, and no
// others.
func TestMistakesOfSettings(t *testing.T) {
	w := newWorld(t)
	told := w.problem(testRequest{
		token: "configurator", method: "PATCH", path: "programs/1",
		header: map[string]string{"If-Match": "*"},
		body: `{"verificationWindowDays":"zero","decimalCount":"two","website":3,` +
			`"perUserDailyWithdrawLimit":{"minimumAmount":"four"}}`,
	}, wire.Invalid)
	var got []string
	for _, e := range told.Errors {
		got = append(got, e.Pointer+" "+e.Detail)
	}
	want := []string{
		"/verificationWindowDays must be a whole number", "/decimalCount must be a whole number",
		`/perUserDailyWithdrawLimit/minimumAmount "four" is not a decimal number`,
		"/website must be a text",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
