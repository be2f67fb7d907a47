package admin

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"codeberg.org/go-pdf/fpdf"

	wire "mintmark/client/admin"
)

const documents = "banks/1/documents"

// onePage returns a PDF of one page.
func onePage(t *testing.T) string {
	t.Helper()
	p := fpdf.New("P", "mm", "A4", "")
	p.AddPage()
	var text bytes.Buffer
	if err := p.Output(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// draft creates a draft with HTML.
func (w *world) draft(culture string) wire.Document {
	w.t.Helper()
	body := `{"culture":"` + culture + `","documentType":"FeeSchedule","title":"Fees",` +
		`"html":"<p onclick=\"x()\">Fees</p>"}`
	return done[wire.Document](w, testRequest{"configurator", "POST", documents, body, nil},
		http.StatusCreated)
}

func ifMatch(revision string) map[string]string {
	return map[string]string{"If-Match": `"` + revision + `"`}
}

// TestDraft creates a draft, changes it, attaches a PDF and removes it.
func TestDraft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	document := w.draft("de-AT")
	if document.State != "draft" || document.Revision != 1 || document.HasPDF {
		t.Errorf("made %+v", document)
	}
	path := documents + "/" + itoa(document.ID)
	w.problem(testRequest{"configurator", "PATCH", path, `{"title":"x"}`, nil}, "if-match-required")
	changed := done[wire.Document](w, testRequest{"configurator", "PATCH", path,
		`{"title":"All fees","effectiveDate":"2026-07-01T00:00:00Z"}`, ifMatch("1")}, 200)
	if changed.Title != "All fees" || changed.HTML != document.HTML || changed.Revision != 2 {
		t.Errorf("changed to %+v", changed)
	}
	w.problem(testRequest{"configurator", "PATCH", path, `{"title":"x"}`, ifMatch("1")}, "stale")
	fixed := w.problem(testRequest{"configurator", "PATCH", path, `{"state":"ended","hasPdf":false}`,
		ifMatch("2")}, "invalid")
	if len(fixed.Errors) != 1 || fixed.Errors[0] != (wire.MemberError{
		Pointer: "/state", Detail: "cannot be changed",
	}) {
		t.Errorf("a state in a patch: %+v", fixed.Errors)
	}
	told := w.problem(testRequest{"configurator", "PATCH", path,
		`{"culture":"german","documentType":"Book","title":""}`, ifMatch("2")}, "invalid")
	if len(told.Errors) != 3 {
		t.Errorf("the problems are %+v", told.Errors)
	}
	w.problem(testRequest{"configurator", "GET", path + "/pdf", "", nil}, "not-found")
	w.problem(testRequest{"configurator", "PUT", path + "/pdf", "GIF89a", nil}, "invalid")
	pdf := onePage(t)
	with := done[wire.Document](w, testRequest{"configurator", "PUT", path + "/pdf", pdf, nil}, 200)
	if !with.HasPDF || with.Revision != 3 {
		t.Errorf("with a PDF it is %+v", with)
	}
	answer := w.ask(testRequest{"auditor", "GET", path + "/pdf", "", nil})
	if answer.Body.String() != pdf || answer.Header().Get("Content-Type") != "application/pdf" {
		t.Errorf("the PDF is %d %s", answer.Code, answer.Header())
	}
	shown := done[wire.DocumentPreview](w, testRequest{"configurator", "GET", path + "/preview", "", nil},
		200)
	if shown.HTML != "<p>Fees</p>" || !shown.Less {
		t.Errorf("the preview is %+v", shown)
	}
	listed := done[wire.List[wire.Document]](w, testRequest{"configurator", "GET",
		documents + "?state=draft&q=ALL&culture=de-at", "", nil}, 200)
	if len(listed.Items) != 1 || listed.Items[0].HTML != "" || listed.Items[0].ID != document.ID {
		t.Errorf("listed %+v", listed)
	}
	if w.ask(testRequest{"configurator", "DELETE", path, "", ifMatch("3")}).Code != 204 {
		t.Error("the draft is not removed")
	}
	w.problem(testRequest{"configurator", "GET", path, "", nil}, "not-found")
}

// TestPublish publishes two documents of the same kind: the second ends the first. No request
// changes a published document.
func TestPublish(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := w.draft("de-AT"), w.draft("de-at")
	path := func(d wire.Document) string { return documents + "/" + itoa(d.ID) }
	publish := func(d wire.Document, body string) testRequest {
		return testRequest{"configurator", "POST", path(d) + "/publish", body, nil}
	}
	w.problem(publish(first, `{"effectiveDate":"2026-05-31T00:00:00Z"}`), "invalid")
	before := w.dumpTables()
	tried := publish(first, `{}`)
	tried.path += "?dryRun=true"
	if dry := done[wire.Document](w, tried, 200); dry.State != "inForce" {
		t.Errorf("a dry run answers %+v", dry)
	}
	if w.dumpTables() != before {
		t.Error("a dry run has changed something")
	}
	now := done[wire.Document](w, publish(first, `{}`), 200)
	if now.State != "inForce" || !now.EffectiveDate.Equal(start) || !now.Published.Equal(start) {
		t.Errorf("published %+v", now)
	}
	later := start.Add(48 * time.Hour).Format(time.RFC3339)
	then := done[wire.Document](w, publish(second, `{"effectiveDate":"`+later+`"}`), 200)
	if then.State != "scheduled" {
		t.Errorf("scheduled %+v", then)
	}
	third := w.draft("de-AT")
	w.problem(publish(third, `{}`), "invalid") // it would be in force alongside the second
	old := done[wire.Document](w, testRequest{"configurator", "GET", path(first), "", nil}, 200)
	if old.ExpireDate == nil || !old.ExpireDate.Equal(*then.EffectiveDate) || old.Revision != 2 {
		t.Errorf("the first is now %+v", old)
	}
	w.clock.Advance(49 * time.Hour)
	for d, want := range map[wire.Document]string{first: "ended", second: "inForce"} {
		got := done[wire.Document](w, testRequest{"configurator", "GET", path(d), "", nil}, 200)
		if got.State != want {
			t.Errorf("the state is %s, want %s", got.State, want)
		}
	}
	for _, a := range []testRequest{
		{"configurator", "PATCH", path(second), `{"title":"x"}`, ifMatch("1")},
		{"configurator", "PUT", path(second) + "/pdf", onePage(t), nil},
		{"configurator", "DELETE", path(second), "", ifMatch("1")},
		publish(second, `{}`),
	} {
		w.problem(a, "conflict")
	}
	var acts []string
	for _, entry := range w.entries() {
		if !strings.Contains(entry, "refused") {
			acts = append(acts, strings.TrimPrefix(entry, "configurator: "))
		}
	}
	want := []string{
		"create document, created, ", "create document, created, ",
		"publish document, changed, ", "document published, noted, ",
		"end document, changed, ", "publish document, changed, ", "document published, noted, ",
		"create document, created, ",
	}
	if strings.Join(acts, "\n") != strings.Join(want, "\n") {
		t.Errorf("the audit has\n%s", strings.Join(acts, "\n"))
	}
}

// TestUploadsInTurns checks that no upload is read while another is held in memory.
func TestUploadsInTurns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := wire.Prefix + documents + "/" + itoa(w.draft("de-AT").ID) + "/pdf"
	put := func(ctx context.Context, body io.Reader) *httptest.ResponseRecorder {
		request := httptest.NewRequestWithContext(ctx, http.MethodPut, path, body)
		request.Header.Set("Authorization", "Bearer configurator")
		answer := deadlines{httptest.NewRecorder()}
		w.handler.ServeHTTP(answer, request)
		return answer.ResponseRecorder
	}
	body, send := io.Pipe()
	first := make(chan *httptest.ResponseRecorder)
	go func() { first <- put(t.Context(), body) }()
	if _, err := send.Write([]byte("%")); err != nil { // returns once it is read
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second/5)
	defer cancel()
	second := strings.NewReader(onePage(t))
	if code := put(ctx, second).Code; code != 503 || second.Len() != int(second.Size()) {
		t.Errorf("the second upload is read while the first is: %d", code)
	}
	if _, err := send.Write([]byte(onePage(t)[1:])); err != nil {
		t.Fatal(err)
	}
	if err := send.Close(); err != nil {
		t.Fatal(err)
	}
	if answer := <-first; answer.Code != http.StatusOK {
		t.Errorf("the first upload: %d %s", answer.Code, answer.Body)
	}
}
