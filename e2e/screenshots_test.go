//go:build screenshots

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// TestScreenshots takes the screenshots in docs/console. `make screenshots` runs it.
func TestScreenshots(t *testing.T) {
	world := ledger.NewWorld(t, app.Settings{})
	c := openConsole(t, world.App)
	c.wide(1280, false)
	c.signIn("operator")
	c.open("/cards/5001/lock")
	c.picture("lock")
	c.fill("#reason", "The caller could not name two of the last three purchases.")
	c.submit("form .do")
	for _, path := range []string{"/program/get", "/card/get/1001/5001", "/card/get/1001/4711"} {
		world.Send(ledger.Request{Path: path})
	}
	world.Send(ledger.Request{
		Path: "/card/lock", Body: `{"customerId":1001,"cardId":5003,"lockReasonTypeCode":"TMP"}`,
	})
	c.open("/cards/5001")
	c.picture("card")
	c.wide(1440, false)
	c.open("/sandbox")
	c.picture("sandbox")
}

// picture takes a screenshot of the whole page.
func (c *console) picture(name string) {
	c.t.Helper()
	const lossless = 100
	image, err := chromedp.Run(c.ctx, chromedp.FullScreenshot(lossless))
	if err != nil {
		c.t.Fatalf("take a picture of %s: %v", name, err)
	}
	folder := filepath.Join("..", "docs", "console")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), image, 0o644); err != nil {
		c.t.Fatal(err)
	}
}
