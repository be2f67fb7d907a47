package e2e

import (
	"context"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// chrome is the browser that all tests share. The first test that needs it starts it, and end ends
// it.
var chrome struct {
	sync.Once
	ctx context.Context
	end func()
	err error
}

// endBrowser ends the browser if one was started.
func endBrowser() {
	if chrome.end != nil {
		chrome.end()
	}
}

// openTab opens a tab of the browser in a separate context, like a private window: it has no
// cookies or pages of other tests. The tab is closed when the test ends.
func openTab(t *testing.T) context.Context {
	t.Helper()
	chrome.Do(func() {
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.DisableGPU,
			chromedp.Flag("disable-background-networking", true),
			chromedp.Flag("host-resolver-rules", "MAP *.test 127.0.0.1"))
		allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
		browser, cancel := chromedp.NewContext(allocator)
		chrome.ctx, chrome.err = browser, chromedp.Do(browser)
		chrome.end = func() {
			cancel()
			stop()
		}
	})
	if chrome.err != nil {
		t.Fatalf("start the browser: %v", chrome.err)
	}
	whole, cancel := chromedp.NewContext(chrome.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	const width, height = 1440, 1000
	if err := chromedp.Do(whole, chromedp.EmulateViewport(width, height)); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	ctx, cancel := context.WithTimeout(whole, 6*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// chromium returns the path of the browser. The test fails if there is none.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("Chromium is missing; make test installs it with scripts/need chromium")
	return ""
}
