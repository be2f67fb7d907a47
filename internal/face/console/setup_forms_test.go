package console

import (
	"bytes"
	"errors"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	wire "mintmark/client/admin"
)

// TestSecretShownOnce checks that a secret is in the response to its form, but not if the form is
// sent again: the interface then omits it.
func TestSecretShownOnce(t *testing.T) {
	w := newSetupWorld(t, "security")
	key := wire.Key{Name: "till", ID: "till", ProgramID: 1, Key: "till", Secret: "canary-7"}
	w.answers["programs/1/keys"] = key
	form := url.Values{
		"name": {"till"}, "version": {"2"}, "allow": {"192.0.2.0/24\r\n198.51.100.7"},
		"ratePerSecond": {"15"}, "burst": {"30"}, "expires": {"2026-03-01T00:00"}, "once": {"o"},
	}
	answer := w.post("/console/new-key?programId=1", form)
	if page := answer.Body.String(); !strings.Contains(page, "canary-7") {
		t.Errorf("answered %d without the secret: %s", answer.Code, page)
	}
	if got := answer.Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("a page with a secret may be kept: %q", got)
	}
	want := `POST programs/1/keys  {"allow":["192.0.2.0/24","198.51.100.7"],"burst":30,` +
		`"expires":"2026-03-01T00:00:00-06:00","name":"till","ratePerSecond":15,"version":2}`
	if got := w.asked[0]; got != want {
		t.Errorf("asked\n%s, want\n%s", got, want)
	}
	key.Secret = ""
	w.answers["programs/1/keys"] = key
	page := w.post("/console/new-key?programId=1", form).Body.String()
	if strings.Contains(page, "canary-7") || !strings.Contains(page, "Not shown again") {
		t.Errorf("sent again, the form answers %s", page)
	}
}

// TestReasonOfRequest checks that each form whose request may need approval, and the form that
// changes a customer, has a field for a reason, and that the reason is sent.
func TestReasonOfRequest(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	for path, required := range map[string]bool{
		"new-key?programId=1": false, "banks/1/encryption-keys/new": false, "customers/1001/edit": false,
		"operators/new": true,
	} {
		page := w.get("/console/" + path).Body.String()
		_, field, _ := strings.Cut(page, `<textarea id="reason"`)
		field, _, _ = strings.Cut(field, ">")
		if field == "" || strings.Contains(field, "required") != required {
			t.Errorf("%s asks for no reason: %s", path, page)
		}
	}
	w.post("/console/new-key?programId=1", url.Values{"name": {"till"}, "reason": {"the till is new"}})
	if w.reason != "the till is new" {
		t.Errorf("the reason sent is %q", w.reason)
	}
}

// TestProblemsAtTheirFields checks that each problem is shown at the field of its pointer, with the
// operator's input.
func TestProblemsAtTheirFields(t *testing.T) {
	w := newSetupWorld(t, "security")
	w.refuse = problemOf(http.StatusUnprocessableEntity, "invalid", "/allow/1", "is no address")
	answer := w.post("/console/new-key", url.Values{
		"name": {"till"}, "version": {"1"}, "allow": {"192.0.2.0/24\n<b>there</b>"},
	})
	page := answer.Body.String()
	for _, part := range []string{
		"<title>Error: Issue a key", `<a href="#allow">`, "entry 2 is no address",
		`aria-invalid="true" aria-describedby="h-allow e-allow"`, "&lt;b&gt;there&lt;/b&gt;",
		`value="1" checked`, `value="till"`,
	} {
		if !strings.Contains(page, part) {
			t.Errorf("the page has no %s", part)
		}
	}
	if answer.Code != http.StatusUnprocessableEntity {
		t.Errorf("answered %d", answer.Code)
	}
}

// TestProblemOfLimit checks that a problem with a whole limit is shown at its minimum, under the
// form's label.
func TestProblemOfLimit(t *testing.T) {
	w := newSetupWorld(t, "configurator")
	w.refuse = problemOf(http.StatusUnprocessableEntity, "invalid", "/perTransactionDepositLimit",
		"must have a minimum below its maximum")
	page := w.post("/console/programs/1/edit", url.Values{
		"perTransactionDepositLimit.minimumAmount": {"9"}, "revision": {"3"},
	}).Body.String()
	const want = `<a href="#perTransactionDepositLimit.minimumAmount">Per-transaction deposit (USD), ` +
		`minimum</a> must have a minimum below its maximum`
	if !strings.Contains(page, want) {
		t.Errorf("the page has no %s: %s", want, page)
	}
}

// TestFormSentBefore checks that a form that was sent, opened again with Back and sent with other
// entries says so, and links what it created.
func TestFormSentBefore(t *testing.T) {
	for location, want := range map[string]string{
		"":                              "<p>Check first what it did. Below is a new form",
		"/admin/v1/programs/1/bins/2":   `<a href="/console/bins/2?programId=1">Open what it created</a>`,
		"/admin/v1/banks/1/documents/3": `<a href="/console/documents/3?programId=1">Open`,
		"/admin/v1/approvals/7":         `<a href="/console/approvals/7?programId=1">Open`,
		"/admin/v1/webhooks/1/replay":   "<p>Check first what it did. Below is a new form",
	} {
		w := newSetupWorld(t, "configurator")
		w.refuse, w.created = problemOf(http.StatusConflict, "conflict", "", ""), location
		w.refuse.Detail, w.refuse.Code = "Value for property 'Idempotency-Key' is not acceptable.", 59956
		w.reused = true
		page := w.post("/console/banks/new?programId=1", url.Values{
			"name": {"Bank B0"}, "once": {"k"},
		}).Body.String()
		for _, part := range []string{
			want, "You have already sent this form", `value="Bank B0"`, "code 59956",
		} {
			if !strings.Contains(page, part) {
				t.Errorf("after %q, the page has no %s: %s", location, part, page)
			}
		}
		if strings.Contains(page, "Idempotency-Key") || strings.Contains(page, `name="once" value="k"`) {
			t.Errorf("the page names the key, or has the same one: %s", page)
		}
		w.reused = false // the first request is still at work, or its answer was lost
		page = w.post("/console/banks/new?programId=1", url.Values{
			"name": {"Bank B0"}, "once": {"k"},
		}).Body.String()
		if strings.Contains(page, "already sent") || !strings.Contains(page, `name="once" value="k"`) {
			t.Errorf("a form whose request may still be carried out gets another key: %s", page)
		}
	}
}

// TestUnreadableField checks that input that is no number or no time is sent unchanged: the
// interface reports the problem.
func TestUnreadableField(t *testing.T) {
	w := newSetupWorld(t, "security")
	w.refuse = problemOf(http.StatusUnprocessableEntity, "invalid", "/ratePerSecond", "must be a number")
	w.refuse.Errors = append(w.refuse.Errors, wire.MemberError{
		Pointer: "/expires", Detail: "must be a moment with its offset, such as 2026-03-14T15:09:26Z",
	})
	page := w.post("/console/new-key", url.Values{
		"name": {"till"}, "ratePerSecond": {"many"}, "expires": {"tomorrow"},
	}).Body.String()
	want := `POST programs/1/keys  {"expires":"tomorrow","name":"till","ratePerSecond":"many"}`
	if len(w.asked) != 1 || w.asked[0] != want {
		t.Errorf("asked %q, want %q", w.asked, want)
	}
	for _, part := range []string{
		`id="e-ratePerSecond">must be a number`, `id="e-expires">` + noMoment, `value="many"`, `value="tomorrow"`,
	} {
		if !strings.Contains(page, part) {
			t.Errorf("the page has no %q", part)
		}
	}
}

// TestStaleFieldset checks that a stale form shows what another operator has saved, and keeps the
// input.
func TestStaleFieldset(t *testing.T) {
	w := newSetupWorld(t, "configurator")
	w.refuse = problemOf(http.StatusPreconditionFailed, "stale", "", "")
	page := w.post("/console/bins/1/edit?programId=1", url.Values{
		"description": {"Credit cards"}, "validMonths": {"36"}, "isActive": {"true"},
		"revision": {"1"},
		"was":      {"description=Cards&isActive=true&validMonths=36"},
	}).Body.String()
	for _, part := range []string{
		"Changed since you opened this form", "Description: saved as “Debit cards”, you entered “Credit cards”",
		`value="Credit cards"`, `name="revision" value="2"`, "Card validity (months): now “48”",
		`name="validMonths" type="text" value="48"`, "replaces the other change",
		`name="was" value="description=Debit&#43;cards&amp;isActive=true`,
	} {
		if !strings.Contains(page, part) {
			t.Errorf("the page has no %q", part)
		}
	}
	if strings.Contains(page, "Card validity (months): saved") || strings.Contains(page, "In use:") {
		t.Error("the page names a field that is as it was")
	}
	off := bin()
	off.IsActive = false
	w.answers["programs/1/bins/1"] = off
	page = w.post("/console/bins/1/edit?programId=1", url.Values{
		"description": {"Debit cards"}, "validMonths": {"48"}, "isActive": {"true"},
		"revision": {"1"}, "was": {"description=Debit+cards&validMonths=48"},
	}).Body.String()
	if !strings.Contains(page, `name="isActive" value="true" checked`) ||
		!strings.Contains(page, `name="was" value="description=Debit&#43;cards&amp;validMonths=48"`) {
		t.Errorf("a switch that was touched: %s", page)
	}
	w.answers["programs/1/bins/1"] = bin()
	page = w.post("/console/bins/1/edit?programId=1", url.Values{
		"description": {"Credit cards"}, "validMonths": {"48"}, "isActive": {"true"},
		"revision": {"1"},
		"was":      {"description=Debit+cards&isActive=true&validMonths=48"},
	}).Body.String()
	if !strings.Contains(page, "None of the fields") || strings.Contains(page, "replaces the other") ||
		!strings.Contains(page, `value="Credit cards"`) {
		t.Errorf("a field that only this operator has changed: %s", page)
	}
}

// TestCustomerPatch changes one line of an address, and removes the address. Dates have a date
// picker.
func TestCustomerPatch(t *testing.T) {
	w := newSetupWorld(t, "support")
	page := w.get("/console/customers/1001/edit").Body.String()
	if !strings.Contains(page, `name="deceasedDate" type="date"`) ||
		!strings.Contains(page, "<legend>Residence</legend>") {
		t.Errorf("the form is %s", page)
	}
	form, err := url.ParseQuery(quotedAfter(page, `name="was" value="`))
	if err != nil {
		t.Fatal(err)
	}
	form.Set("revision", "2")
	form.Set("residence.city", "Ames")
	w.post("/console/customers/1001/edit", form)
	for _, line := range addressLines {
		form.Set("residence."+line[0], "")
	}
	w.post("/console/customers/1001/edit", form)
	want := []string{
		`PATCH customers/1001 "2" {"residence":{"city":"Ames","country":"US","line1":"12 Ford Lane",` +
			`"line2":null,"postalCode":"50309","region":"IA"}}`,
		`PATCH customers/1001 "2" {"residence":null}`,
	}
	if !slices.Equal(w.asked, want) {
		t.Errorf("asked\n%s, want\n%s", strings.Join(w.asked, "\n"), strings.Join(want, "\n"))
	}
	form.Set("residence.line1", "1 Main Street")
	w.refuse = problemOf(http.StatusUnprocessableEntity, "invalid", "/residence/city", "a value is required")
	page = w.post("/console/customers/1001/edit", form).Body.String()
	if !strings.Contains(page, `<a href="#residence.city">Residence, city</a> a value is required`) {
		t.Errorf("the page says %s", page)
	}
}

// TestProgramPatch checks that changes are reviewed under the form's labels, that a reason is
// required, and that only the changes are sent.
func TestProgramPatch(t *testing.T) {
	w := newSetupWorld(t, "configurator")
	set, err := settingsOf(setupAnswers()["programs/1"].(wire.Program))
	if err != nil {
		t.Fatal(err)
	}
	_, f := (&visit{frame: &frame{}}).settingInputs(set)
	form := url.Values{"revision": {"3"}}
	f.each(func(c *control) {
		if c.Value != "" && len(c.Options) == 0 {
			form.Set(c.Name, c.Value)
		}
		for _, o := range c.Options {
			if o.Chosen {
				form.Add(c.Name, o.Value)
			}
		}
	})
	answer := w.post("/console/programs/1/edit", form)
	if to := answer.Header().Get("Location"); to != "/console/programs/1?programId=1" {
		t.Errorf("answered %d, led to %q", answer.Code, to)
	}
	if len(w.asked) > 0 {
		t.Errorf("nothing was changed, and asked was %q", w.asked)
	}
	form.Del("website")
	form.Del("fourEyes")
	w.refuse = problemOf(http.StatusUnprocessableEntity, "invalid", "/timeZone", "is not known")
	for typed, problem := range map[string]string{
		"1.250": "has more decimal digits than the program&#39;s 2", "1e3": "without an exponent",
	} {
		form.Set("perUserDailyWithdrawLimit.maximumAmount", typed)
		page := w.post("/console/programs/1/edit?programId=1", form).Body.String()
		if !strings.Contains(page, problem) || !strings.Contains(page, "Time zone</a> is not known") {
			t.Errorf("of %s the page says: %s", typed, page)
		}
	}
	for _, request := range w.asked {
		if !strings.HasPrefix(request, "PATCH programs/1?dryRun=true ") {
			t.Errorf("asked was %s", request)
		}
	}
	w.refuse, w.asked = nil, nil
	form.Set("perUserDailyWithdrawLimit.maximumAmount", "3,000")
	form.Set("renewal", "manual")
	form.Set("timeZone", "America/Denver")
	for range 2 {
		page := w.post("/console/programs/1/edit?programId=1", form).Body.String()
		if got, want := reviewed(page), []string{
			"Website: https://example.com → –None", "Time zone: America/Chicago → America/Denver",
			"Renewal: Automatic → Manual", "Four eyes: Yes → No",
			"Customer daily withdrawals (USD), maximum: 2,500.00 → 3,000.00",
		}; !slices.Equal(got, want) {
			t.Errorf("reviewed are %q, want %q", got, want)
		}
		const command = `mintmark program update 1 --set &#39;bank={&#34;timeZone&#34;:` +
			`&#34;America/Denver&#34;}&#39; --set &#39;fourEyes=false&#39; --set `
		if !strings.Contains(page, command) || !strings.Contains(page, "--unset website --revision 3") {
			t.Errorf("the command is not that of the form: %s", page)
		}
		if strings.Contains(page, "is required") != form.Has("reviewed") {
			t.Errorf("of a missing reason it says: %s", page)
		}
		if !strings.Contains(page, "A second operator") || strings.Contains(page, "No other operator") {
			t.Errorf("of who confirms it says: %s", page)
		}
		form.Set("reviewed", "true") // without a reason
	}
	form.Set("reason", "As the bank asked.")
	w.asked = nil
	w.post("/console/programs/1/edit", form)
	want := `PATCH programs/1 "3" {"bank":{"timeZone":"America/Denver"},"fourEyes":false,` +
		`"perUserDailyWithdrawLimit":{"maximumAmount":3000,"minimumAmount":1.00},` +
		`"renewal":"manual","timeZone":"America/Denver","website":null}`
	if len(w.asked) != 1 || w.asked[0] != want {
		t.Errorf("asked\n%s, want\n%s", w.asked, want)
	}
}

// reviewed returns the changes that a page shows.
func reviewed(page string) []string {
	var all []string
	rows := regexp.MustCompile(`<tr><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td></tr>`)
	tags := regexp.MustCompile(`<[^>]*>`)
	for _, row := range rows.FindAllStringSubmatch(page, -1) {
		all = append(all, tags.ReplaceAllString(row[1]+": "+row[2]+" → "+row[3], ""))
	}
	return all
}

// TestProductForms checks that a changed product sends its changes only, and a new account all its
// members.
func TestProductForms(t *testing.T) {
	w := newSetupWorld(t, "configurator")
	form := url.Values{
		"name": {"Everyday"}, "description": {""}, "type": {"Checking"}, "category": {"Prepaid"},
		"balanceLimit.maximumAmount": {"10,000.00"}, "isInterestEnabled": {"true"},
		"revision": {"3"},
	}
	form.Set("reviewed", "true")
	form.Set("reason", "A new tariff.")
	w.post("/console/products/1/edit?programId=1", form)
	want := `PATCH programs/1/products/1 "3" {"category":"Prepaid","description":null}`
	if len(w.asked) != 1 || w.asked[0] != want {
		t.Errorf("asked\n%s, want\n%s", w.asked, want)
	}
	w = newSetupWorld(t, "configurator")
	form = url.Values{"accountId": {"7"}, "type": {"CardSettlement"}, "accountNumber": {"1234567"}}
	answer := w.post("/console/program-accounts/new?programId=1", form)
	want = `POST programs/1/accounts  {"accountId":7,"accountNumber":"1234567","isActive":false,` +
		`"type":"CardSettlement"}`
	if len(w.asked) != 1 || w.asked[0] != want {
		t.Errorf("answered %d, asked\n%s, want\n%s", answer.Code, w.asked, want)
	}
	w = newSetupWorld(t, "configurator")
	w.post("/console/external-accounts/1/remove?programId=1", url.Values{
		"reason": {"closed"}, "revision": {"3"},
	})
	want = `DELETE programs/1/externalAccounts/1 "3" `
	if len(w.asked) != 1 || w.asked[0] != want {
		t.Errorf("asked\n%q, want\n%q", w.asked, want)
	}
}

// TestNewProgram checks that a new program is sent with the chosen bank, and with the bank's name
// and time zone for callers.
func TestNewProgram(t *testing.T) {
	w := newSetupWorld(t, "configurator")
	answer := w.post("/console/programs/new", url.Values{
		"bankId": {"1"}, "name": {"Fleet"}, "timeZone": {"America/Chicago"}, "renewal": {"manual"},
		"decimalCount": {"2"}, "validAccountTypes": {"Checking\nSavings"},
	})
	for _, part := range []string{
		`POST programs  {`, `"bank":{"name":"Example Bank 1","timeZone":"America/Chicago"}`,
		`"bankId":1`, `"decimalCount":2`, `"name":"Fleet"`,
		`"validAccountTypes":["Checking","Savings"]`,
	} {
		if len(w.asked) != 1 || !strings.Contains(w.asked[0], part) {
			t.Errorf("answered %d, asked %q without %s", answer.Code, w.asked, part)
		}
	}
}

// TestSlashInAName follows every link from the page of a key whose name contains a slash.
func TestSlashInAName(t *testing.T) {
	w := newSetupWorld(t, "security")
	page := w.get("/console/keys/till%2F7?programId=1")
	if page.Code != http.StatusOK || !strings.Contains(page.Body.String(), "<h1>Key till/7</h1>") {
		t.Fatalf("answered %d: %s", page.Code, page.Body)
	}
	ways := 0
	for _, match := range reference.FindAllStringSubmatch(page.Body.String(), -1) {
		to := strings.ReplaceAll(match[1], "&amp;", "&")
		if !strings.Contains(to, "till") {
			continue
		}
		ways++
		if answer := w.get(to); answer.Code != http.StatusOK {
			t.Errorf("%s answers %d", to, answer.Code)
		}
	}
	if ways < 3 {
		t.Errorf("%d ways lead from the page of the key: %s", ways, page.Body)
	}
	w.asked = nil // the page has sent a dry run
	w.post("/console/keys/till%2F7/revoke?programId=1", url.Values{
		"reason": {"closed"}, "revision": {"1"},
	})
	if len(w.asked) != 1 || !strings.HasPrefix(w.asked[0], "POST programs/1/keys/till%2F7/revoke") {
		t.Errorf("asked %q", w.asked)
	}
}

// upload sends a form with a file.
func (w *world) upload(path, content string, fields url.Values) *httptest.ResponseRecorder {
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	file, err := parts.CreateFormFile("file", "chosen")
	if err == nil {
		_, err = file.Write([]byte(content))
	}
	for name, values := range fields {
		err = errors.Join(err, parts.WriteField(name, values[0]))
	}
	if err := errors.Join(err, parts.Close()); err != nil {
		panic(err) // cannot fail: written to memory
	}
	r := httptest.NewRequest(http.MethodPost, "/console/"+path+"?programId=1", &body)
	r.Header.Set("Content-Type", parts.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answer := &deadlineRecorder{httptest.NewRecorder()}
	w.ServeHTTP(answer, r)
	return answer.ResponseRecorder
}

// TestDraftWithPDF creates a document and uploads its PDF in one step. If the PDF is refused, the
// page requests another for the document, which exists by then.
func TestDraftWithPDF(t *testing.T) {
	const path = "banks/1/documents/13"
	form := url.Values{"title": {"Fees"}, "once": {"key-1"}}
	for refusal, want := range map[string]string{
		"": "", "is no PDF": `action="/console/documents/13/pdf?programId=1"`,
	} {
		w := newSetupWorld(t, "configurator")
		w.answers["banks/1/documents"], w.answers[path+"/pdf"] = w.answers[path], w.answers[path]
		if refusal != "" {
			w.answers[path+"/pdf"] = problemOf(http.StatusUnprocessableEntity, wire.Invalid, "/", refusal)
		}
		answer := w.upload("documents/new", "%PDF-1.7", form)
		page := answer.Body.String()
		if len(w.asked) != 2 || w.asked[1] != "PUT "+path+"/pdf  %PDF-1.7" ||
			!strings.Contains(page, refusal) || !strings.Contains(page, want) {
			t.Errorf("asked %q: %s", w.asked, page)
		}
		to := answer.Header().Get("Location")
		if refusal == "" && to != "/console/documents/13?programId=1" {
			t.Errorf("led to %q", to)
		}
	}
	w := newSetupWorld(t, "configurator")
	w.refuse = problemOf(http.StatusUnprocessableEntity, wire.Invalid, "/culture", "is not a culture")
	page := w.upload("documents/new", "%PDF-1.7", form).Body.String()
	if !strings.Contains(page, "is not a culture") || !strings.Contains(page, "the PDF is not a readable PDF") {
		t.Errorf("not both problems are shown: %s", page)
	}
	w = newSetupWorld(t, "configurator")
	w.answers["banks/1/documents"] = w.answers[path]
	if w.post("/console/documents/new?programId=1", form); len(w.asked) != 1 {
		t.Errorf("without a file asked %q", w.asked)
	}
}

// TestUpload checks that files are sent unchanged.
func TestUpload(t *testing.T) {
	for _, row := range []struct {
		role, path, file, want string
		fields                 url.Values
	}{
		{"configurator", "documents/13/pdf", "%PDF-1.7\n\xff",
			"PUT banks/1/documents/13/pdf \"2\" %PDF-1.7\n\xff", url.Values{"revision": {"2"}}},
		{"administrator", "compromises/new", "age-encryption.org/v1\xff",
			"POST compromises?act=lock&dryRun=true&name=shop&programId=1  age-encryption.org/v1\xff",
			url.Values{"name": {"shop"}, "act": {"lock"}, "perDay": {""}, "dryRun": {"true"}}},
	} {
		w := newSetupWorld(t, row.role)
		list := compromisedList(0, "running")
		list.Made = at.Add(time.Second / 2) // after the form was sent
		w.answers["compromises"] = list
		answer := w.upload(row.path, row.file, row.fields)
		if len(w.asked) != 1 || w.asked[0] != row.want {
			t.Errorf("answered %d, asked %q, want %q", answer.Code, w.asked, row.want)
		}
		if page := answer.Body.String(); row.fields.Has("dryRun") &&
			(!strings.Contains(page, "Dry run of breach") || !strings.Contains(page, "09:14:07</time> <span class=\"small dim\">just now") || strings.Contains(page, "/pause")) {
			t.Errorf("the dry run shows %s", page)
		}
	}
}

// TestNumbersRefused reports a daily rate of 0 among the other problems, and asks for the file. It sends
// no dry run, which the audit would show as a read of the counts.
func TestNumbersRefused(t *testing.T) {
	for file, want := range map[string]string{
		"4005": `<a href="#reason">Reason, for the audit</a> is required`,
		"":     "<li>Choose a file with the card numbers.</li>",
	} {
		w := newSetupWorld(t, "administrator")
		page := w.upload("compromises/new", file, url.Values{
			"name": {"shop"}, "act": {"replace"}, "perDay": {"0"},
		}).Body.String()
		for _, part := range []string{
			want, `<a href="#perDay">Cards a day</a> must be a positive whole number`,
		} {
			if !strings.Contains(page, part) {
				t.Errorf("with %q, the page has no %s: %s", file, part, page)
			}
		}
		if len(w.asked) != 0 {
			t.Errorf("asked %q", w.asked)
		}
	}
	for _, role := range []string{"support", "security"} {
		answer := newSetupWorld(t, role).get("/console/compromises/new?programId=1")
		if answer.Code != http.StatusForbidden {
			t.Errorf("with %s alone, the form is answered %d", role, answer.Code)
		}
	}
}

// TestBrokenProof checks that damage to any part of a proof is reported.
func TestBrokenProof(t *testing.T) {
	break1 := func(p *wire.Proof) {
		p.Entry = bytes.Replace(p.Entry, []byte("SYS"), []byte("CST"), 1)
	}
	for name, damage := range map[string]func(*wire.Proof){
		"entry": break1,
		"index": func(p *wire.Proof) { p.Index = 0 },
		"size":  func(p *wire.Proof) { p.Size = 2 },
		"hash":  func(p *wire.Proof) { p.Hashes[0] = p.Hashes[1] },
		"root":  func(p *wire.Proof) { p.Checkpoint = strings.Replace(p.Checkpoint, "3", "4", 1) },
	} {
		w := newSetupWorld(t, "auditor")
		proof := w.answers["audit/2/proof"].(wire.Proof)
		damage(&proof)
		w.answers["audit/2/proof"] = proof
		page := w.get("/console/audit/2").Body.String()
		if !strings.Contains(page, "Not proved") {
			t.Errorf("%s: the page says nothing", name)
		}
	}
	if page := newSetupWorld(t, "auditor").get("/console/audit/2").Body.String(); !strings.Contains(page,
		"Verified just now") {
		t.Error("a whole proof is doubted")
	}
}

// TestReservedForms checks that forms are shown only to roles that the interface would accept.
func TestReservedForms(t *testing.T) {
	for path, role := range map[string]string{
		"new-key": "configurator", "keys/core-batch/revoke": "auditor",
		"webhooks/new": "security", "operators/new": "support", "programs/1/edit": "security",
		"documents/13/publish": "auditor", "banks/1/encryption-keys/new": "configurator",
	} {
		w := newSetupWorld(t, role)
		answer := w.get("/console/" + path)
		if answer.Code != http.StatusForbidden ||
			!strings.Contains(answer.Body.String(), "This needs the role") {
			t.Errorf("%s opens %s: %d", role, path, answer.Code)
		}
		w.post("/console/"+path, url.Values{"reason": {"r"}})
		if len(w.asked) > 0 {
			t.Errorf("%s: asked %q", path, w.asked)
		}
	}
}

// TestBankKeyActs checks the request of each form for the keys of a bank. An auditor is offered no
// act, and a key that still encrypts something cannot be retired.
func TestBankKeyActs(t *testing.T) {
	w := newSetupWorld(t, "security")
	w.answers["banks/1/encryption-keys/2/rotate"] = wire.BankKey{ID: 7}
	w.answers["banks/1/bank-keys/977120544/retire"] = wire.BankKey{ID: 977120544}
	for _, c := range []struct{ form, want string }{
		{"encryption-keys/2/rotate", `POST banks/1/encryption-keys/2/rotate "2" {"compromised":false}`},
		{"encryption-keys/2/rotate?compromised",
			`POST banks/1/encryption-keys/2/rotate "2" {"compromised":true}`},
		{"keys/977120544/retire", `POST banks/1/bank-keys/977120544/retire "2" {}`},
	} {
		w.asked = nil
		path, switched, _ := strings.Cut(c.form, "?")
		answer := w.post("/console/banks/1/"+path, url.Values{
			"reason": {"As every year."}, "revision": {"2"}, "once": {"o"}, switched: {"true"},
		})
		led := answer.Header().Get("Location")
		if answer.Code != http.StatusSeeOther || !strings.HasPrefix(led, "/console/banks/1/keys") {
			t.Errorf("%s: answered %d, led to %q", c.form, answer.Code, led)
		}
		if len(w.asked) != 1 || w.asked[0] != c.want {
			t.Errorf("%s: asked %q, want %q", c.form, w.asked, c.want)
		}
	}
	page := w.get("/console/banks/1/keys").Body.String()
	const links = 2 // links to an act, one of them for narrow pages
	if got := strings.Count(page, "/retire?"); got != links {
		t.Errorf("%d links retire keys, want those to the one that nothing is sealed under", got)
	}
	w = newSetupWorld(t, "auditor")
	page = w.get("/console/banks/1/keys").Body.String()
	for _, act := range []string{"/rotate?", "/retire?"} {
		if strings.Contains(page, act) {
			t.Errorf("an auditor is offered %s", act)
		}
	}
	if got := w.get("/console/banks/1/encryption-keys/2/rotate").Code; got != http.StatusForbidden {
		t.Errorf("the form of an auditor answers %d", got)
	}
}

// TestSealedOf checks the counts of a bank's encrypted items.
func TestSealedOf(t *testing.T) {
	bank := wire.Bank{ID: 1}
	for _, c := range []struct {
		what  string
		keys  []wire.BankKey
		left  int
		known int
		own   bool
		text  string
	}{
		{"nothing was sealed", nil, 0, 0, false, "0 %"},
		{"no key of its own", []wire.BankKey{{BankID: 1, State: "keyset", Seals: true, Numbers: 9}},
			0, 0, false, "100.0 %"},
		{"a key of another bank", []wire.BankKey{{ID: 4, BankID: 2, Numbers: 9}}, 0, 0, false,
			"0 %"},
		{"rotated", bankKeys().Items, 603, 563, true, "94.0 %"},
		{"done", []wire.BankKey{
			{ID: 4, BankID: 1, State: "active", Seals: true, Numbers: 9, Pins: 1},
		}, 0, 0, true, "100.0 %"},
	} {
		got := bankEncryptionOf(bank, c.keys)
		if got.Left() != c.left || got.Known != c.known || got.Own() != c.own ||
			got.Progress.Percent != c.text {
			t.Errorf("%s: %d left, %d known, own %v, %s", c.what, got.Left(), got.Known, got.Own(),
				got.Progress.Percent)
		}
	}
}
