package console

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
	"mintmark/internal/testkit/golden"
)

// shown has the pages that are compared with golden files, by the name of the file.
var shown = map[string]string{
	"overview":      "/console/",
	"cards":         "/console/cards",
	"cards-empty":   "/console/cards?q=sandstorm&status=Verified&empty=1",
	"card":          "/console/cards/5001",
	"card-pending":  "/console/cards/10533",
	"card-lock":     "/console/cards/5001/lock",
	"card-unlock":   "/console/cards/5001/unlock",
	"card-reissue":  "/console/cards/10533/reissue",
	"card-not-now":  "/console/cards/5001/reissue",
	"card-archive":  "/console/cards/5001/archive",
	"customers":     "/console/customers",
	"customer":      "/console/customers/1001",
	"erase":         "/console/customers/1001/erase",
	"not-found":     "/console/cards/4711",
	"unknown":       "/console/nowhere",
	"signin":        "/console/sign-in",
	"invitation":    "/console/invitation/welcome",
	"invitation-no": "/console/invitation/used",
}

// fetchPage returns a page as the console sends it. Lists are empty if the address says so.
func fetchPage(t *testing.T, w *world, address string) string {
	t.Helper()
	if strings.Contains(address, "empty=1") {
		w.answers["cards"] = map[string][]int{"items": {}}
	}
	answer := w.get(address)
	if kind := answer.Header().Get("Content-Type"); kind != htmlType {
		t.Fatalf("%s answers %d with %q", address, answer.Code, kind)
	}
	return answer.Body.String()
}

// TestPages compares the pages of an administrator with golden files.
func TestPages(t *testing.T) {
	for name, address := range shown {
		page := fetchPage(t, newWorld(t, true, string(operator.Administrator)), address)
		page = strings.ReplaceAll(page, style.Path, Prefix+"style.css")
		page = strings.ReplaceAll(page, icon.Path, Prefix+"icon.svg")
		for _, s := range []asset{script, sandboxScript} {
			page = strings.ReplaceAll(page, scriptTag(s), `<script src="`+s.name+`" defer></script>`)
		}
		golden.Compare(t, filepath.Join("testdata", "pages", name+".html"), []byte(page))
	}
}

// TestPagesAreThemselves checks that each page is self-contained: it loads only the style sheet and
// the scripts of the console, has no inline scripts or styles, and refers to no other server. It
// also checks that each page has one heading of the first level.
func TestPagesAreThemselves(t *testing.T) {
	for name, address := range shown {
		for _, sandbox := range []bool{true, false} {
			page := fetchPage(t, newWorld(t, sandbox, string(operator.Administrator)), address)
			if strings.Contains(page, scriptTag(sandboxScript)) && !sandbox {
				t.Errorf("%s has the script of a sandbox in production", name)
			}
			checkSelfContained(t, name, page)
			if sandbox != strings.Contains(page, `class="ribbon"`) {
				t.Errorf("%s does not tell sandbox from production", name)
			}
		}
	}
}

// scriptTag returns the tag that loads a script.
func scriptTag(s asset) string {
	hash := strings.ReplaceAll(s.Hash, "+", "&#43;")
	return `<script src="` + s.Path + `" integrity="` + hash + `" defer></script>`
}

var (
	forbidden = regexp.MustCompile(
		`(?i)<script|<style|\sstyle=|\son[a-z]+=|javascript:|<iframe|<object|<embed|<base`)
	reference = regexp.MustCompile(`(?i)\s(?:src|href|action|srcset|poster)="([^"]*)"`)
)

// checkSelfContained checks that a page is self-contained and has one heading of the first level.
func checkSelfContained(t *testing.T, name, page string) {
	t.Helper()
	page = strings.NewReplacer(scriptTag(script), "", scriptTag(sandboxScript), "").Replace(page)
	if s := forbidden.FindString(page); s != "" {
		t.Errorf("%s has %q", name, s)
	}
	for _, match := range reference.FindAllStringSubmatch(page, -1) {
		to := match[1]
		if !strings.HasPrefix(to, "/console/") && !strings.HasPrefix(to, "#") {
			t.Errorf("%s refers to %q", name, to)
		}
	}
	if headings := strings.Count(page, "<h1"); headings != 1 {
		t.Errorf("%s has %d headings of the first level", name, headings)
	}
}

// TestRoles compares, for each role, the targets of links and forms with a golden file.
func TestRoles(t *testing.T) {
	way := regexp.MustCompile(`<(?:a|form)[^>]*?(?:href|action)="(/console/[^"]*)"`)
	var printed strings.Builder
	for _, role := range operator.AllRoles {
		for _, name := range []string{"overview", "card", "card-lock", "customer"} {
			page := fetchPage(t, newWorld(t, false, string(role)), shown[name])
			var ways []string
			for _, match := range way.FindAllStringSubmatch(page, -1) {
				ways = append(ways, strings.TrimPrefix(match[1], "/console/"))
			}
			slices.Sort(ways)
			fmt.Fprintf(&printed, "%s %s\n", role, name)
			for _, address := range slices.Compact(ways) {
				fmt.Fprintf(&printed, "\t%s\n", address)
			}
		}
	}
	golden.Compare(t, filepath.Join("testdata", "roles.txt"), []byte(printed.String()))
}

// TestRefusedForm checks that a refused form is shown again, with the problem at its field and with
// the operator's input.
func TestRefusedForm(t *testing.T) {
	w := newWorld(t, true, "support")
	w.refuse = problemOf(http.StatusUnprocessableEntity, "invalid", "/reason", "is required")
	answer := w.post("/console/cards/5001/lock", url.Values{
		"lockReasonTypeCode": {"STL"}, "reason": {"<b>typed</b>"}, "revision": {"6"},
	})
	page := answer.Body.String()
	for _, want := range []string{
		"<title>Error: ", `<a href="#reason">`, `aria-invalid="true"`, "&lt;b&gt;typed&lt;/b&gt;",
		`value="STL" checked`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if answer.Code != http.StatusUnprocessableEntity {
		t.Errorf("answered %d", answer.Code)
	}
	want := `POST cards/5001/lock "6" {"lockReasonTypeCode":"STL","reason":"<b>typed</b>"}`
	unescaped := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">")
	if got := unescaped.Replace(w.asked[0]); got != want {
		t.Errorf("asked\n%s, want\n%s", got, want)
	}
}

// TestAskedFor checks that an act that needs approval redirects to the approval.
func TestAskedFor(t *testing.T) {
	w := newWorld(t, true, "support")
	w.refuse = problemOf(http.StatusAccepted, "needs-approval", "", "")
	w.refuse.ApprovalID = 12
	answer := w.post("/console/cards/5001/unlock", url.Values{"reason": {"r"}, "revision": {"6"}})
	if got := answer.Header().Get("Location"); got != "/console/approvals/12?programId=1" {
		t.Errorf("led to %q", got)
	}
}

// TestStaleForm checks that a stale form shows the current state.
func TestStaleForm(t *testing.T) {
	w := newWorld(t, true, "support")
	w.refuse = problemOf(http.StatusPreconditionFailed, "stale", "", "")
	answer := w.post("/console/cards/5001/archive", url.Values{"reason": {"r"}, "revision": {"5"}})
	page := answer.Body.String()
	if answer.Code != http.StatusPreconditionFailed ||
		!strings.Contains(page, "Changed since you opened this form") ||
		!strings.Contains(page, `name="revision" value="6"`) {
		t.Errorf("answered %d: %s", answer.Code, page)
	}
}

// TestEraseIsTried checks that the page shows what would be erased before anything is erased, and
// offers no act if the interface would refuse it. All its requests are dry runs.
func TestEraseIsTried(t *testing.T) {
	const address = "/console/customers/1001/erase"
	w := newWorld(t, true, "support")
	page := w.get(address).Body.String()
	for _, want := range []string{
		"Would be removed", "Birth date", "1 Main Street, Springfield, 12345, US", `class="btn do"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s: %s", want, page)
		}
	}
	w.refuse = problemOf(http.StatusConflict, "conflict", "", "")
	w.refuse.Detail = "Card 5001 is Verified. Archive it first."
	page = w.get(address).Body.String()
	if !strings.Contains(page, "Not possible") || !strings.Contains(page, w.refuse.Detail) ||
		strings.Contains(page, noSecond) ||
		strings.Contains(page, "<button class=\"btn do") {
		t.Errorf("where it would be refused, the page is %s", page)
	}
	w.refuse = nil
	w.answers["customers/1001/erase?dryRun=true"] = map[string][]int{"changes": {}}
	page = w.get(address).Body.String()
	if !strings.Contains(page, "The customer is erased. Erasing again") ||
		!strings.Contains(page, `class="btn do"`) {
		t.Errorf("of an erased customer the page is %s", page)
	}
	for _, request := range w.asked {
		if request != `POST customers/1001/erase?dryRun=true "2" ` {
			t.Errorf("to show the page the console asks %s", request)
		}
	}
	w = newWorld(t, true, "auditor")
	if answer := w.get(address); answer.Code != http.StatusForbidden || len(w.asked) > 0 {
		t.Errorf("an auditor is answered %d, after %q", answer.Code, w.asked)
	}
}

// TestNumberInAnAddress checks that a page is refused if its address contains a full card number
// (PAN), and that no response shows the number, even if the operator must sign in first.
func TestNumberInAnAddress(t *testing.T) {
	for _, address := range []string{
		"/console/cards?q=4111111111111111", "/console/audit?subject=card:4111-1111-1111-1111",
		"/console/cards/export.ndjson?q=4111%201111%201111%201111",
		"/console/sign-in?to=%2Fconsole%2Fcards%3Fq%3D4111111111111111",
	} {
		for _, signedOut := range []bool{false, true} {
			w := newWorld(t, true, "administrator")
			w.people.signedOut = signedOut
			answer := w.get(address)
			if page := answer.Body.String() + answer.Header().Get("Location"); strings.Contains(
				page, "4111") {
				t.Errorf("%s shows the number: %s", address, page)
			}
			public := strings.Contains(address, "sign-in")
			if !signedOut && !public && answer.Code != http.StatusUnprocessableEntity {
				t.Errorf("%s answers %d", address, answer.Code)
			}
		}
	}
	w := newWorld(t, true, "administrator")
	if answer := w.get("/console/audit?from=2026-02-09T09:14"); answer.Code != http.StatusOK {
		t.Errorf("a moment is taken for a number: %d", answer.Code)
	} else if !strings.Contains(answer.Body.String(), "--from 2026-02-09T15:14:00.000Z") {
		t.Error("the command has no moment that it can read")
	}
}

// TestNewerActs checks that a refreshed page keeps the acts that it showed, and announces newer
// ones, which it shows on request. Reading a card is an act, too, but is not counted.
func TestNewerActs(t *testing.T) {
	entry := func(id int, act string) wire.Entry {
		return wire.Entry{
			ID: id, Sequence: id, At: at, Act: act, Outcome: "changed", RequestID: itoa(id),
			Reason: "reason " + itoa(id), Actor: wire.Actor{Kind: "key", Name: "till"},
		}
	}
	history := listOf(entry(14, "POST /card/lock"), entry(13, "read card"),
		entry(12, "POST /card/unlock"), entry(11, "POST /card/verify"), entry(10, "expire"))
	for path, want := range map[string]string{
		"/console/cards/5001?seen=11": "2 newer acts", "/console/audit?seen=11": "3 newer acts",
	} {
		w := newWorld(t, true, "administrator")
		w.answers["cards/5001/history"], w.answers["audit"] = history, history
		page := w.get(path).Body.String()
		if !strings.Contains(page, want) || strings.Contains(page, "reason 12") ||
			!strings.Contains(page, "reason 11") ||
			!strings.Contains(page, `seen=11">Refresh`) {
			t.Errorf("%s shows %s", path, page)
		}
		path, _, _ = strings.Cut(path, "?")
		page = w.get(path).Body.String()
		if strings.Contains(page, "newer") || !strings.Contains(page, "reason 12") ||
			!strings.Contains(page, "seen=14\">Refresh") {
			t.Errorf("%s shows %s", path, page)
		}
	}
}

// TestNumberIsShownNowhere searches by a full card number (PAN), and checks that no outcome shows
// it.
func TestNumberIsShownNowhere(t *testing.T) {
	const number = "4111111111111111"
	for _, refuse := range []string{"", "invalid", "conflict"} {
		w := newWorld(t, true, "support")
		w.answers["cards/search"] = map[string][]int{"items": {}}
		if refuse != "" {
			w.refuse = problemOf(http.StatusUnprocessableEntity, refuse, "/number", "is no number")
		}
		answer := w.post("/console/search?programId=1", url.Values{"q": {number}})
		page := answer.Body.String() + fmt.Sprint(answer.Header())
		if strings.Contains(page, number) || strings.Contains(page, number[:6]) {
			t.Errorf("%q: the answer holds the number: %s", refuse, page)
		}
		if !strings.Contains(w.asked[0], number) || strings.Contains(w.asked[0], "?") {
			t.Errorf("%q: asked %q", refuse, w.asked)
		}
	}
}

// TestManyPrograms checks that a page has the program of its address, with its bank and time zone,
// and that the list of programs can be searched and paged.
func TestManyPrograms(t *testing.T) {
	w := newWorld(t, false, "administrator")
	late := wire.Program{
		ID: 1055, BankID: 900, Name: "Late program", Settings: map[string]json.RawMessage{
			"timeZone": json.RawMessage(`"America/New_York"`),
		},
	}
	banks := w.answers["banks"].(wire.List[wire.Bank])
	banks.Items = append(banks.Items, wire.Bank{ID: 900, Name: "Late bank"})
	programs := w.answers["programs"].(wire.List[wire.Program])
	programs.Items = append(programs.Items, late)
	w.answers["banks"], w.answers["programs"] = banks, programs
	page := w.get("/console/customers?programId=1055").Body.String()
	for _, want := range []string{"Late program", "Late bank", `name="programId" value="1055"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	page = w.get("/console/audit?programId=1055").Body.String()
	if !strings.Contains(page, " EST") && !strings.Contains(page, " EDT") &&
		!strings.Contains(page, "New_York") {
		t.Error("moments are not in the zone of the program")
	}
	page = w.get("/console/customers?programId=1056").Body.String()
	if !strings.Contains(page, "No program") {
		t.Error("a program that is not seen is shown")
	}
	programs.Next = "bmV4dA"
	w.answers["programs"] = programs
	w.answers["programs?q=late"] = listOf(late)
	page = w.get("/console/programs").Body.String()
	if !strings.Contains(page, `cursor=bmV4dA`) || !strings.Contains(page, `type="search"`) {
		t.Error("the list of programs does not go on")
	}
	if page = w.get("/console/programs?q=late").Body.String(); !strings.Contains(page, "Late program") {
		t.Error("the list of programs is not searched")
	}
}
