package e2e

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"mintmark/client/admin"
	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// TestLongNames checks that a customer with long names breaks no page: neither the page nor a list
// scrolls sideways.
func TestLongNames(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	c := openConsole(t, world.App)
	c.signIn("operator")
	operators := admin.New(world.App.AdminURL(), "sandbox-administrator")
	customer, err := admin.Get[admin.Customer](c.ctx, operators, "customers/1001")
	if err != nil {
		t.Fatal(err)
	}
	_, err = operators.Send(c.ctx, admin.Request{
		Method: http.MethodPatch, Path: "customers/1001", Revision: customer.Revision,
		Body: map[string]string{
			"firstName": strings.Repeat("Maximiliana", 5), "lastName": strings.Repeat("Wolfeschlegelstein", 7),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for width, pages := range map[int][]string{
		1280: {"/cards", "/customers", "/customers/1001"}, 360: {"/cards", "/customers"},
	} {
		c.wide(width, false)
		for _, page := range pages {
			c.open(page)
			c.fits(page)
			inside, err := chromedp.Run(c.ctx, chromedp.Evaluate[bool](
				`[...document.querySelectorAll(".panel, .panel > form")].every(e => e.scrollWidth <= e.clientWidth)`))
			if err != nil || !inside {
				t.Errorf("at %d a table of %s scrolls sideways (%v)", width, page, err)
			}
		}
	}
	c.open("/customers/1001")
	c.wide(360, false)
	c.fits("the page of the customer")
}

// wide sets the width and the color scheme of the page.
func (c *console) wide(pixels int, dark bool) {
	c.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	media := emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	}
	const height = 900
	c.do("set the width", chromedp.EmulateViewport(int64(pixels), height),
		chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, media)
			return err
		}))
}

// fits fails the test if a page is wider than its window.
func (c *console) fits(page string) {
	c.t.Helper()
	width, err := chromedp.Run(c.ctx, chromedp.Evaluate[bool](
		`document.documentElement.scrollWidth <= document.documentElement.clientWidth`))
	if err != nil || !width {
		c.t.Errorf("%s scrolls sideways (%v)", page, err)
	}
}
