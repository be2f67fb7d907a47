package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// TestReferencePageOfOperators reads the page on the operators' address of a sandbox. What is tried
// there goes to the callers' address, and the catalogue of errors is one click away.
func TestReferencePageOfOperators(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	ctx, fetched := browser(t)
	const operation = "#operations-Program-program-get"
	err := chromedp.Do(ctx,
		chromedp.Navigate(world.App.AdminURL()+"/docs"),
		chromedp.WaitVisible(operation),
		chromedp.Click(operation+" .opblock-summary-control"),
		chromedp.Click(operation+" .try-out__btn"),
		chromedp.Click(operation+" .execute"),
	)
	if err != nil {
		t.Fatal(err)
	}
	heading := text(ctx, t, "h2.title")
	if !strings.HasPrefix(heading, "Mintmark "+app.Version().Version) {
		t.Errorf("the heading is %q", heading)
	}
	asked := world.App.URL() + "/program/get"
	for end := time.Now().Add(20 * time.Second); !slices.Contains(fetched(), asked); {
		if time.Now().After(end) {
			t.Fatalf("nothing was sent to %s, only: %q", asked, fetched())
		}
		time.Sleep(50 * time.Millisecond)
	}
	for _, address := range fetched() {
		if address == world.App.AdminURL()+"/program/get" {
			t.Errorf("the page asks %s", address)
		}
	}

	found, err := chromedp.Run(ctx,
		chromedp.Evaluate[string](`document.querySelector(".info a[href$='/docs/errors']").href`))
	if err != nil || found != world.App.AdminURL()+"/docs/errors" {
		t.Fatalf("the page leads to %q, %v", found, err)
	}
	err = chromedp.Do(ctx, chromedp.Navigate(found+"#150303"))
	if err != nil {
		t.Fatal(err)
	}
	const message = "Provided values do not match those on file."
	if row := text(ctx, t, "article:target"); !strings.Contains(row, message) {
		t.Errorf("the page of errors shows %q", row)
	}
}
