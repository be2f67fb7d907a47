package e2e

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// wide sets the width of the page, and whether it is dark.
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

// fits fails the test for a page that is wider than its window.
func (c *console) fits(page string) {
	c.t.Helper()
	width, err := chromedp.Run(c.ctx, chromedp.Evaluate[bool](
		`document.documentElement.scrollWidth <= document.documentElement.clientWidth`))
	if err != nil || !width {
		c.t.Errorf("%s scrolls sideways (%v)", page, err)
	}
}
