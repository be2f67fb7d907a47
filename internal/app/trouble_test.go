package app

import (
	"database/sql"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/client/admin"
	controls "mintmark/client/sandbox"
	"mintmark/internal/base/clock"
	"mintmark/internal/operate/installation"
	"mintmark/internal/testkit/testrun"
)

// TestTrouble breaks five things at the same time. A minute later the overview of the console must
// show each with its age, and nothing else; each button must lead to a page that shows the cause.
func TestTrouble(t *testing.T) {
	t.Parallel()
	settings := sandboxIn(dataDir(t))
	settings.Clock = clock.FrozenAt(time.Date(2026, time.June, 1, 12, 10, 0, 0, time.UTC))
	running := start(t, settings)
	defer stop(t, running)
	o := &consoleBrowser{T: t, server: running.AdminURL()}
	o.signIn("operator")
	if text := o.read("/console/"); !strings.Contains(text, "All clear") {
		t.Fatalf("an installation without trouble needs attention: %v", troubles(text))
	}
	o.breakAll(running)
	want := []trouble{
		{"Failing Webhook core Example1 | HTTP 500, 3 events not delivered | AGE Deliveries Webhook core",
			"/console/webhooks/1?programId=1"},
		{"Processor 3 orders | the card processor cannot be reached | AGE Orders 3 orders",
			"/console/orders?programId=0&state=waiting"},
		{"Declined 40 authorizations | over a limit, last 2 hours | AGE " +
			"Declines 40 authorizations", "/console/authorizations?programId=0&reason=limit"},
		{"Failing Job “Pack search texts” | ERROR no such table: card_packing | AGE " +
			"Job Job “Pack search texts”", "/console/jobs/pack%20search%20texts?programId=1"},
		{"Ends Key branch Example1 | AGE Rotate Key branch", "/console/keys/branch?programId=1"},
	}
	var got []trouble
	testrun.Within(t, "five things need attention", func() bool {
		got = troubles(o.read("/console/"))
		return slices.Equal(got, want)
	}, func() any { return cmp.Diff(want, got) })
	for i, text := range []string{
		"Failing since", "the card processor is not reached", "40 declines",
		"no such table: card_packing", "Ends in 23 hours",
	} {
		if page := o.read(want[i].To); !strings.Contains(page, text) {
			t.Errorf("%s does not show %q:\n%s", want[i].To, text, page)
		}
	}
	order := regexp.MustCompile(`/console/orders/[0-9][^"]*`).FindString(o.read(want[1].To))
	if page := o.read(html.UnescapeString(order)); !strings.Contains(page, "Not reached") {
		t.Errorf("%s does not list its tries:\n%s", order, page)
	}
}

// trouble is a row of what needs attention, and the target of its button.
type trouble struct{ Text, To string }

// consoleBrowser is a minimal browser.
type consoleBrowser struct {
	*testing.T
	server  string
	cookies []string
}

func (o *consoleBrowser) signIn(name string) {
	o.Helper()
	r := o.request(http.MethodPost, "/console/sign-in",
		url.Values{"name": {name}, "password": {name}}.Encode())
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", o.server)
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		o.Fatal(err)
	}
	response.Body.Close()
	for _, cookie := range response.Cookies() {
		o.cookies = append(o.cookies, cookie.Name+"="+cookie.Value)
	}
}

func (o *consoleBrowser) request(method, path, body string) *http.Request {
	o.Helper()
	r, err := http.NewRequestWithContext(o.Context(), method, o.server+path, strings.NewReader(body))
	if err != nil {
		o.Fatal(err)
	}
	r.Header.Set("Cookie", strings.Join(o.cookies, "; "))
	return r
}

// read returns a page.
func (o *consoleBrowser) read(path string) string {
	o.Helper()
	response, err := http.DefaultTransport.RoundTrip(o.request(http.MethodGet, path, ""))
	if err != nil {
		o.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		o.Fatalf("%s: %d (%v)", path, response.StatusCode, err)
	}
	return string(text)
}

var (
	section = regexp.MustCompile(`(?s)aria-labelledby="todo">.*?</section>`)
	rows    = regexp.MustCompile(`(?s)<tr>(.*?)</tr>`)
	link    = regexp.MustCompile(`<a class="btn" href="([^"]*)"`)
	tags    = regexp.MustCompile(`<[^>]*>`)
	age     = regexp.MustCompile(`(in )?\d+ (second|minute|hour)s? · (Today|2026-06-02) 12:\d\d`)
	failure = regexp.MustCompile(`(?s)\| sqlite: .* error:`)
)

// troubles returns the rows of what needs attention as text, with placeholders for ages and errors,
// which vary.
func troubles(page string) (all []trouble) {
	for _, row := range rows.FindAllStringSubmatch(section.FindString(page), -1) {
		text := tags.ReplaceAllString(strings.ReplaceAll(row[1], "<br>", " | "), "")
		text = age.ReplaceAllString(failure.ReplaceAllString(text, "| ERROR"), "AGE ")
		to := link.FindStringSubmatch(row[1])[1]
		all = append(all, trouble{html.UnescapeString(text), html.UnescapeString(to)})
	}
	return all
}

// breakAll breaks five things, and lets a minute pass.
func (o *consoleBrowser) breakAll(running *App) {
	o.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }))
	o.Cleanup(receiver.Close)
	operators := admin.New(running.AdminURL(), "sandbox-administrator")
	tomorrow := running.Clock.Now().Add(24 * time.Hour)
	for path, body := range map[string]any{
		"programs/1/webhooks": admin.NewWebhook{
			Name: "core", URL: receiver.URL, Types: []string{"card.locked"},
		},
		"programs/1/keys": admin.NewKey{
			Name: "branch", Allow: []string{"127.0.0.1/32"}, Expires: &tomorrow,
		},
	} {
		_, err := operators.Send(o.Context(), admin.Request{
			Method: http.MethodPost, Path: path, Body: body,
		})
		if err != nil {
			o.Fatal(err)
		}
	}
	sandbox := controls.New(running.AdminURL())
	send := func(method, path string, body any) {
		o.Helper()
		if _, err := controls.Do[any](o.Context(), sandbox, method, path, body); err != nil {
			o.Fatal(err)
		}
	}
	for range 40 {
		send(http.MethodPost, "cards/5001/authorizations", controls.Authorization{Amount: "99999"})
	}
	send(http.MethodPut, "processor", controls.Processor{Mode: controls.Down})
	for _, card := range []int{5018, 5019, 5020} {
		status, text := request(o.T, running, "/card/lock", fmt.Sprintf(
			`{"customerId":1013,"cardId":%d,"lockReasonTypeCode":"TMP"}`, card))
		if status != http.StatusOK {
			o.Fatalf("lock: %s", text)
		}
	}
	db, err := sql.Open("sqlite", filepath.Join(running.Data, installation.DatabaseFile)+
		"?_pragma=busy_timeout(10000)")
	if err == nil {
		_, err = db.ExecContext(o.Context(), "ALTER TABLE card_packing RENAME TO packing_elsewhere")
		o.Cleanup(func() { _ = db.Close() })
	}
	if err != nil {
		o.Fatal(err)
	}
	send(http.MethodPut, "clock", controls.ClockChange{Advance: "1m"})
}
