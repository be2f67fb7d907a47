package e2e

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"mintmark/e2e/ledger"
	"mintmark/internal/app"
	"mintmark/internal/testkit/testrun"
)

// TestReferencePage uses the reference page like a newcomer: sees the operations, signs in with the
// demo key, tries an operation and sees its answer. Nothing may be fetched from another server.
func TestReferencePage(t *testing.T) {
	t.Parallel()
	if ledger.On() != ledger.SQLite {
		return // what a browser shows does not depend on the database
	}
	world := ledger.NewWorld(t, app.Settings{})
	ctx, page := openPage(t)
	tryOperation(ctx, t, world.App.URL()+"/docs")
	status := text(ctx, t, operation+" .live-responses-table tbody .response-col_status")
	if strings.TrimSpace(status) != "200" {
		t.Errorf("the page shows the status %q", status)
	}
	body := text(ctx, t, operation+" .live-responses-table .highlight-code")
	if !strings.Contains(body, `"name": "Example1"`) {
		t.Errorf("the page does not show the program: %s", body)
	}
	addresses := page.fetched()
	if !slices.Contains(addresses, world.App.URL()+"/program/get") {
		t.Errorf("the requests of the page are not seen: %q", addresses)
	}
	for _, address := range addresses {
		inside := strings.HasPrefix(address, "data:") ||
			strings.HasPrefix(address, world.App.URL()+"/")
		if !inside {
			t.Errorf("the page has fetched %s", address)
		}
	}
	if seen := page.violations(); len(seen) > 0 {
		t.Errorf("the page wants more than its policy allows: %q", seen)
	}
	// A forbidden script must not run. This also checks that the violations above would be seen.
	const forbidden = `document.body.append(Object.assign(document.createElement("script"),
		{text: "window.smuggled = true"})); window.smuggled === undefined`
	kept, err := chromedp.Run(ctx, chromedp.Evaluate[bool](forbidden))
	if err != nil || !kept {
		t.Errorf("a script that is no part of the page runs: %v", err)
	}
	page.Until(t, "what the policy forbids is seen",
		func() bool { return len(page.violations()) > 0 })
}

// operation is the operation that the tests try on a reference page.
const operation = "#operations-Program-program-get"

// tryOperation opens the reference page of a sandbox, which is signed in with the demo key, and
// tries the operation.
func tryOperation(ctx context.Context, t *testing.T, page string) {
	t.Helper()
	err := chromedp.Do(ctx,
		chromedp.Navigate(page),
		chromedp.WaitVisible(operation),
		chromedp.WaitVisible(isSignedIn),
		chromedp.Click(operation+" .opblock-summary-control"),
		chromedp.Click(operation+" .try-out__btn"),
		chromedp.Click(operation+" .execute"),
		chromedp.WaitVisible(operation+" .live-responses-table .response-col_status"),
	)
	if err != nil {
		t.Fatal(err)
	}
}

// page records what a tab has fetched, and what the policy of its pages has blocked.
type page struct {
	testrun.Events
	mu                 sync.Mutex
	addresses, refused []string
}

// openPage opens a tab of the browser, closed when the test ends.
func openPage(t *testing.T) (context.Context, *page) {
	t.Helper()
	ctx, p := openTab(t), new(page)
	if err := chromedp.Listen(ctx, p.notice); err != nil {
		t.Fatalf("listen to the browser: %v", err)
	}
	return ctx, p
}

func (p *page) notice(event any) {
	p.mu.Lock()
	switch event := event.(type) {
	case *network.EventRequestWillBeSent:
		p.addresses = append(p.addresses, event.Request.URL)
	case *log.EventEntryAdded:
		if strings.Contains(event.Entry.Text, "Content Security Policy") {
			p.refused = append(p.refused, event.Entry.Text)
		}
	}
	p.mu.Unlock()
	p.Happened()
}

// fetched returns the addresses of all requests.
func (p *page) fetched() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.addresses)
}

// violations returns the messages about violations of the policy.
func (p *page) violations() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.refused)
}

// text returns the text of an element of the page.
func text(ctx context.Context, t *testing.T, selector string) string {
	t.Helper()
	text, err := chromedp.Run(ctx, chromedp.Text(selector))
	if err != nil {
		t.Fatalf("%s: %v", selector, err)
	}
	return text
}
