package e2e

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"

	controls "mintmark/client/sandbox"
	"mintmark/e2e/ledger"
	"mintmark/internal/app"
	"mintmark/internal/base/version"
)

// TestReferencePageOfOperators opens the reference page at the operators' address of a sandbox.
// Requests go to the callers' address, an example can be tried repeatedly, the demo data is shown,
// and the catalogue of errors is one click away.
func TestReferencePageOfOperators(t *testing.T) {
	t.Parallel()
	if ledger.On() != ledger.SQLite {
		return // what a browser shows does not depend on the database
	}
	world := ledger.NewWorld(t, app.Settings{})
	ctx, page := openPage(t)
	tryOperation(ctx, t, world.App.AdminURL()+"/docs")
	heading := text(ctx, t, "h2.title")
	if !strings.HasPrefix(heading, "Mintmark "+version.Current().Version) {
		t.Errorf("the heading is %q", heading)
	}
	status := text(ctx, t, operation+" .live-responses-table tbody .response-col_status")
	if strings.TrimSpace(status) != "200" {
		t.Errorf("the page shows the status %q", status)
	}
	if address := world.App.URL() + "/program/get"; !slices.Contains(page.fetched(), address) {
		t.Errorf("nothing was sent to %s, only: %q", address, page.fetched())
	}
	tryExamples(ctx, t, controls.New(world.App.AdminURL()))
	if seen := page.violations(); len(seen) > 0 {
		t.Errorf("the page wants more than its policy allows: %q", seen)
	}
	for _, address := range page.fetched() {
		if address == world.App.AdminURL()+"/program/get" {
			t.Errorf("the page asks %s", address)
		}
		inside := strings.HasPrefix(address, world.App.URL()+"/") ||
			strings.HasPrefix(address, world.App.AdminURL()+"/")
		if !inside && !strings.HasPrefix(address, "data:") {
			t.Errorf("the page has fetched %s", address)
		}
	}
	const demo = `[...document.querySelectorAll(".info details td")].map(td => td.innerText).join()`
	shown, err := chromedp.Run(ctx, chromedp.Evaluate[string](
		`document.querySelectorAll(".info details").forEach(d => d.open = true); `+demo))
	if err != nil || !strings.Contains(shown, "example1:example1,version 1, program 1,") {
		t.Errorf("the demo data is shown as %q: %v", shown, err)
	}

	link, err := chromedp.Run(ctx,
		chromedp.Evaluate[string](`document.querySelector(".info a[href$='/docs/errors']").href`))
	if err != nil || link != world.App.AdminURL()+"/docs/errors" {
		t.Fatalf("the page leads to %q, %v", link, err)
	}
	err = chromedp.Do(ctx, chromedp.Navigate(link+"#150303"))
	if err != nil {
		t.Fatal(err)
	}
	const message = "Provided values do not match those on file."
	if row := text(ctx, t, "article:target"); !strings.Contains(row, message) {
		t.Errorf("the page of errors shows %q", row)
	}
}

// TestReferencePageOfProduction opens the reference page of a production server, which sends no
// requests. It does not ask for credentials either, although the document names a scheme for them.
func TestReferencePageOfProduction(t *testing.T) {
	t.Parallel()
	if ledger.On() != ledger.SQLite {
		return // what a browser shows does not depend on the database
	}
	program := newProduction(t).serve()
	admin := forOperators.FindStringSubmatch(program.opening)[1]
	ctx, page := openPage(t)
	const shown = `[...document.querySelectorAll(".btn.authorize, .authorization__btn")]
		.filter(button => button.checkVisibility()).length`
	err := chromedp.Do(ctx, chromedp.Navigate(admin+"/docs"), chromedp.WaitVisible(operation))
	if err != nil {
		t.Fatal(err)
	}
	count, err := chromedp.Run(ctx, chromedp.Evaluate[int](shown))
	if err != nil || count != 0 {
		t.Errorf("the page shows %d buttons for credentials: %v", count, err)
	}
	if seen := page.violations(); len(seen) > 0 {
		t.Errorf("the page wants more than its policy allows: %q", seen)
	}
	same(t, "exit code", program.end(syscall.SIGTERM), 0)
}
