package e2e

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// TestReferencePage reads the reference page as a newcomer does: sees the operations, logs in with
// the demo key, tries an operation and sees its answer. Nothing may come from another server.
func TestReferencePage(t *testing.T) {
	t.Parallel()
	if ledger.On() != ledger.SQLite {
		return // what a browser shows does not depend on the database
	}
	world := ledger.NewWorld(t, app.Settings{})
	ctx, fetched, violations := browser(t)
	tryOperation(ctx, t, world.App.URL()+"/docs")
	status := text(ctx, t, operation+" .live-responses-table tbody .response-col_status")
	if strings.TrimSpace(status) != "200" {
		t.Errorf("the page shows the status %q", status)
	}
	body := text(ctx, t, operation+" .live-responses-table .highlight-code")
	if !strings.Contains(body, `"name": "Example1"`) {
		t.Errorf("the page does not show the program: %s", body)
	}
	addresses := fetched()
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
	if seen := violations(); len(seen) > 0 {
		t.Errorf("the page wants more than its policy allows: %q", seen)
	}
	// What the policy forbids must not run, and must be seen above if it were there.
	const forbidden = `document.body.append(Object.assign(document.createElement("script"),
		{text: "window.smuggled = true"})); window.smuggled === undefined`
	kept, err := chromedp.Run(ctx, chromedp.Evaluate[bool](forbidden))
	if err != nil || !kept {
		t.Errorf("a script that is no part of the page runs: %v", err)
	}
	if err := chromedp.Do(ctx, chromedp.Sleep(time.Second)); err != nil || len(violations()) == 0 {
		t.Errorf("what the policy forbids is not seen: %v", err)
	}
}

// operation is what the tests try on a reference page.
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

// browser starts a browser, ended with the test. The functions tell what it has fetched, and what
// the policy of a page has kept it from.
func browser(t *testing.T) (ctx context.Context, fetched, violations func() []string) {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1280, 1600),
		chromedp.Flag("disable-background-networking", true))
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	whole, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	// A deadline on the first context would end the browser with it.
	if err := chromedp.Do(whole); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	ctx, cancel = context.WithTimeout(whole, 6*time.Minute)
	t.Cleanup(cancel)

	var mu sync.Mutex
	var addresses, refused []string
	err := chromedp.Listen(ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch event := event.(type) {
		case *network.EventRequestWillBeSent:
			addresses = append(addresses, event.Request.URL)
		case *log.EventEntryAdded:
			if strings.Contains(event.Entry.Text, "Content Security Policy") {
				refused = append(refused, event.Entry.Text)
			}
		}
	})
	if err != nil {
		t.Fatalf("listen to the browser: %v", err)
	}
	seen := func(list *[]string) func() []string {
		return func() []string {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(*list)
		}
	}
	return ctx, seen(&addresses), seen(&refused)
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

// chromium finds the browser. Without one the page is not tested, and that is a failure.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("there is no Chromium to open /docs with; scripts/need-chromium installs one, and " +
		"make test calls it")
	return ""
}
