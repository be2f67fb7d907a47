package console

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	wire "mintmark/client/admin"
	"mintmark/client/sandbox"
	"mintmark/internal/testkit/golden"
)

// sandboxAnswers returns the responses of a sandbox's controls.
func sandboxAnswers() map[string]any {
	seed := uint64(7)
	kept := sandbox.Snapshot{Name: "before lock", Made: ago(time.Hour), Now: ago(-24 * time.Hour)}
	answers := map[string]any{
		"snapshots": sandbox.List[sandbox.Snapshot]{Items: []sandbox.Snapshot{kept}},
		"world": sandbox.World{
			Counts: sandbox.Counts{
				Programs: 4, Customers: 15, Accounts: 20, Cards: 1011, Documents: 26, Orders: 3,
				Webhooks: 1, Entries: 31,
			},
			Clock: sandbox.Clock{Now: ago(-24 * time.Hour), Frozen: true}, Seed: &seed,
			Due:       []sandbox.Due{{What: "hold", At: ago(-48 * time.Hour)}},
			Processor: sandbox.Manual, Snapshots: []sandbox.Snapshot{kept},
			Faults: []sandbox.Fault{
				{ID: "1", Route: "*", Delay: "2s", Probability: 0.1, Times: 3, Used: 3},
				{ID: "2", Route: "/card/lock", Key: "example1", Code: 50503},
				{ID: "3", Route: "/card/lock", Drop: "after", Times: 3, Used: 1},
				{ID: "4", Route: "/card/lock", Drop: "before"},
			},
			Keys: []sandbox.Key{
				{Name: "example1", Secret: "example1", ProgramID: 1, Version: 1},
				{Name: "limited", Secret: "limited", ProgramID: 1, Version: 1,
					Note: "2 requests a second, then 50429"},
			},
			PinKey: "-----BEGIN PUBLIC KEY-----\n", Settings: sandbox.WorldSettings{
				URL: "http://127.0.0.1:8080", AdminURL: "http://127.0.0.1:8081", Version: "1.4.2",
			},
		},
	}
	requests := []sandbox.Request{
		{ID: 4, At: ago(time.Second), Method: "POST", Path: "/card/lock", Key: "example1",
			Took: "1.2ms", Fault: "3"},
		{ID: 3, At: ago(2 * time.Second), Method: "POST", Path: "/card/lock", Key: "example1",
			Status: 503, Code: 50503, Took: "1ms", Fault: "2", RequestID: "ce40a1d7-1"},
		{ID: 2, At: ago(3 * time.Second), Method: "GET", Path: "/card/<b>", Status: 400,
			Code: 59999, Took: "80µs"},
		{ID: 1, At: ago(4 * time.Second), Method: "POST", Path: "/card/verify", Key: "example1",
			Status: 200, Took: "2ms", Body: `{"birthDate":"***"}`, Answer: `{"status":200}`,
			Headers: map[string]string{"Authorization": "***", "Accept": "*/*"},
			Curl:    `curl -sS -u example1:example1 http://127.0.0.1:8080/card/verify`},
	}
	answers["requests?limit=50"] = sandbox.List[sandbox.Request]{Items: requests}
	answers["requests?after=3"] = sandbox.List[sandbox.Request]{Items: requests[:1]}
	answers["requests/1"], answers["requests/4"] = requests[3], requests[0]
	return answers
}

// TestSandboxPages compares the content of each page, without its frame, with a golden file.
func TestSandboxPages(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"world": "sandbox", "reset": "sandbox/reset", "new-fault": "sandbox/new-fault",
		"restore": "sandbox/restore?name=before+lock", "drop": "sandbox/drop?name=before+lock",
		"request": "sandbox/requests/1", "request-closed": "sandbox/requests/4",
	} {
		w := newWorld(t, true, "support")
		answer := w.get("/console/" + path)
		page := answer.Body.String()
		if answer.Code != http.StatusOK {
			t.Errorf("%s: answered %d: %s", path, answer.Code, page)
			continue
		}
		checkSelfContained(t, path, page)
		_, main, _ := strings.Cut(page, `<main id="main">`)
		main, _, _ = strings.Cut(main, "</main>")
		golden.Compare(t, filepath.Join("testdata", "sandbox", name+".html"),
			[]byte(blank.ReplaceAllString(main, "\n")))
		dump(t, "sandbox-"+name, page)
	}
}

// TestSandboxPagesOfProduction checks that production has neither the pages nor their script.
func TestSandboxPagesOfProduction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false, "administrator")
	for _, path := range []string{
		"/console/sandbox", "/console/sandbox/reset", "/console/sandbox/requests", sandboxScript.Path,
	} {
		if answer := w.get(path); answer.Code != http.StatusNotFound {
			t.Errorf("%s is answered %d", path, answer.Code)
		}
	}
	if strings.Contains(w.get("/console/").Body.String(), "/console/sandbox") {
		t.Error("the navigation leads to the page of a sandbox")
	}
}

// TestSandboxForms checks the request that each form sends to the controls, and the redirect after
// it.
func TestSandboxForms(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		path string
		form url.Values
		want string
		stay bool // the operator stays signed in although the data is replaced
	}{
		"advance": {"sandbox", url.Values{"do": {"clock"}, "advance": {"P90D"}},
			`PUT clock  {"advance":"P90D"}`, false},
		"freeze": {"sandbox", url.Values{"do": {"clock"}, "frozen": {"true"}, "advance": {""}},
			`PUT clock  {"frozen":true}`, false},
		"thaw": {"sandbox", url.Values{"do": {"clock"}, "frozen": {"false"}},
			`PUT clock  {"frozen":false}`, false},
		"set": {"sandbox?programId=1",
			url.Values{"do": {"clock"}, "to": {"moment"}, "now": {"2026-07-16T08:47:55"}},
			`PUT clock  {"now":"2026-07-16T08:47:55-05:00"}`, false},
		"mode": {"sandbox", url.Values{"do": {"processor"}, "mode": {"down"}},
			`PUT processor  {"mode":"down"}`, false},
		"snapshot": {"sandbox", url.Values{"do": {"snapshot"}, "name": {" a b?"}},
			`PUT snapshots/a%20b%3F  `, false},
		"remove": {"sandbox", url.Values{"do": {"fault"}, "id": {"3"}},
			`DELETE faults/3  `, false},
		"remove all": {"sandbox", url.Values{"do": {"faults"}}, `DELETE faults  `, false},
		"reset":      {"sandbox/reset", url.Values{}, `POST reset  `, true},
		"restore": {"sandbox/restore?name=before+lock", url.Values{},
			`POST snapshots/before%20lock/restore  `, true},
		"drop": {"sandbox/drop?name=before+lock", url.Values{},
			`DELETE snapshots/before%20lock  `, false},
		"fault": {"sandbox/new-fault", url.Values{
			"route": {"/card/lock"}, "key": {"example1"}, "code": {"50503"}, "delay": {"2s"},
			"drop": {""}, "times": {"3"}, "probability": {"0.5"},
		}, `POST faults  {"route":"/card/lock","key":"example1","code":50503,"delay":"2s",` +
			`"times":3,"probability":0.5}`, false},
	} {
		w := newWorld(t, true, "support")
		for _, path := range []string{
			"clock", "processor", "snapshots/a%20b%3F", "faults/3", "faults", "reset",
			"snapshots/before%20lock/restore", "snapshots/before%20lock",
		} {
			w.controls.answers[path] = struct{}{}
		}
		answer := w.post("/console/"+row.path, row.form)
		to := answer.Header().Get("Location")
		want := "/console/sandbox?programId=1"
		if name == "reset" || name == "restore" { // the program may be gone
			want = "/console/sandbox"
		}
		if answer.Code != http.StatusSeeOther || to != want {
			t.Errorf("%s: answered %d, led to %q: %s", name, answer.Code, to, answer.Body)
			continue
		}
		if got := w.controls.asked; len(got) != 1 || got[0] != row.want {
			t.Errorf("%s: asked %q, want %q", name, got, row.want)
		}
		if stays := w.people.begun == 1; stays != row.stay {
			t.Errorf("%s: signed in again: %t", name, stays)
		}
	}
}

// TestRefusedSandboxForms checks that refused forms are shown again, with the problem and with the
// operator's input.
func TestRefusedSandboxForms(t *testing.T) {
	t.Parallel()
	backwards := problemOf(http.StatusConflict, wire.Conflict, "", "")
	backwards.Detail = "The clock never goes back."
	for name, row := range map[string]struct {
		path   string
		form   url.Values
		refuse *wire.Problem
		want   []string
	}{
		"backwards": {"sandbox", url.Values{
			"do": {"clock"}, "to": {"moment"}, "now": {"2020-01-01T00:00:00"},
		}, backwards, []string{"The clock never goes back.", `value="2020-01-01T00:00:00"`}},
		"no moment": {"sandbox", url.Values{
			"do": {"clock"}, "to": {"moment"}, "now": {"soon"},
		}, nil, []string{"must be a day and a time", `value="soon" aria-invalid="true"`}},
		"no advance": {"sandbox", url.Values{"do": {"clock"}, "advance": {"<soon>"}},
			problemOf(http.StatusUnprocessableEntity, wire.Invalid, "/advance", "is no duration"),
			[]string{"is no duration", `value="&lt;soon&gt;"`}},
		"no name": {"sandbox", url.Values{"do": {"snapshot"}, "name": {" "}}, nil,
			[]string{"is required", `href="#name"`}},
		"no rule": {"sandbox/new-fault", url.Values{"route": {"/card/lock"}, "code": {"1"}},
			problemOf(http.StatusUnprocessableEntity, wire.Invalid, "/code", "is no code"),
			[]string{"is no code", `<option value="/card/lock" selected>`, `href="#code"`}},
		"slash": {"sandbox", url.Values{"do": {"snapshot"}, "name": {"before/lock"}}, nil,
			[]string{"must begin with a letter or digit", `value="before/lock"`}},
		"never": {"sandbox/new-fault", url.Values{"route": {"/card/lock"}, "times": {"0"}}, nil,
			[]string{"must be positive", `href="#times"`}},
		"no number": {"sandbox/new-fault", url.Values{"times": {"many"}}, nil,
			[]string{"must be a whole number", `value="many"`}},
	} {
		w := newWorld(t, true, "support")
		w.controls.refuse = row.refuse
		answer := w.post("/console/"+row.path, row.form)
		page := answer.Body.String()
		if answer.Code < 400 || answer.Code > 499 {
			t.Errorf("%s: answered %d", name, answer.Code)
		}
		for _, want := range append(row.want, "<title>Error: ") {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page has no %s", name, want)
			}
		}
		if w.people.begun > 0 {
			t.Errorf("%s: signed in again", name)
		}
	}
	for path, form := range map[string]url.Values{
		"sandbox": {"do": {"format"}}, "sandbox/restore?name=none": {},
	} {
		w := newWorld(t, true, "support")
		if answer := w.post("/console/"+path, form); answer.Code != http.StatusNotFound {
			t.Errorf("%s is answered %d", path, answer.Code)
		}
	}
}

// TestNewerRequests checks that the script gets rows only, and a browser without it the whole page.
func TestNewerRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true, "support")
	text := w.get("/console/sandbox/requests?after=3&programId=1").Body.String()
	if strings.Count(text, "<tr ") != 1 || !strings.Contains(text, `<tr data-id="4">`) ||
		strings.Contains(text, "<html") {
		t.Errorf("the rows are %s", text)
	}
	page := w.get("/console/sandbox").Body.String()
	if strings.Count(page, "<tr data-id=") != 4 || !strings.Contains(page, `data-newest="4"`) ||
		!strings.Contains(page, "/card/&lt;b&gt;") {
		t.Errorf("the page is %s", page)
	}
	if strings.Contains(page, "limit=200") {
		t.Error("the page links to older requests than there are")
	}
	w.controls.answers["requests?limit=50"] = sandbox.List[sandbox.Request]{
		Items: make([]sandbox.Request, 50),
	}
	page = w.get("/console/sandbox").Body.String()
	if !strings.Contains(page, `href="/console/sandbox?limit=200#reqs"`) {
		t.Errorf("of many requests the page is %s", page)
	}
	w.controls.answers["requests?limit=50"] = sandbox.List[sandbox.Request]{}
	if page := w.get("/console/sandbox").Body.String(); !strings.Contains(page, `id="none"`) {
		t.Errorf("without requests the page is %s", page)
	}
}
