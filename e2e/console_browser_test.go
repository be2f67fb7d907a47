package e2e

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"mintmark/internal/app"
)

// console is a browser at the console of a service, with what went wrong in it.
type console struct {
	t    *testing.T
	ctx  context.Context
	app  *app.App
	base string // address of the console, without a slash at its end

	mu      sync.Mutex
	foreign []string // addresses of other servers that were asked for
	errors  []string // of the browser's console
}

// openConsole opens a tab of the browser, closed when the test ends.
func openConsole(t *testing.T, running *app.App) *console {
	t.Helper()
	c := openConsoleAt(t, running.AdminURL())
	c.app = running
	return c
}

// openConsoleAt is openConsole for the service on an address.
func openConsoleAt(t *testing.T, address string) *console {
	t.Helper()
	c := &console{t: t, ctx: openTab(t), base: address + "/console"}
	if err := chromedp.Listen(c.ctx, c.notice); err != nil {
		t.Fatalf("listen to the browser: %v", err)
	}
	return c
}

// notice keeps what a page should not do.
func (c *console) notice(event any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch event := event.(type) {
	case *network.EventRequestWillBeSent:
		address := event.Request.URL
		// The browser draws parts of its own controls from addresses that begin with data:.
		inside := strings.HasPrefix(address, c.base+"/") ||
			strings.HasPrefix(address, "data:image/svg+xml")
		if !inside {
			c.foreign = append(c.foreign, address)
		}
	case *log.EventEntryAdded:
		if event.Entry.Level == log.EntryLevelError && !refusedOnPurpose(event.Entry.Text) {
			c.errors = append(c.errors, event.Entry.Text+" "+event.Entry.URL)
		}
	case *runtime.EventExceptionThrown:
		c.errors = append(c.errors, event.ExceptionDetails.Text)
	}
}

// refusedOnPurpose are the lines that a browser writes of every answer of 400 and above.
func refusedOnPurpose(text string) bool {
	return strings.HasPrefix(text, "Failed to load resource: the server responded with a status of")
}

// do has the browser act.
func (c *console) do(what string, actions ...chromedp.Action[chromedp.Void]) {
	c.t.Helper()
	if err := chromedp.Do(c.ctx, actions...); err != nil {
		c.t.Fatalf("%s: %v\n%s", what, err, c.body())
	}
}

func (c *console) body() string {
	text, err := chromedp.Run(c.ctx, chromedp.Evaluate[string](`document.body.innerText`))
	if err != nil {
		return err.Error()
	}
	return text
}

// open opens a page of the console.
func (c *console) open(path string) {
	c.t.Helper()
	c.do("open "+path, chromedp.Navigate(c.base+path), chromedp.WaitReady("main h1"))
}

// heading is what the page is about.
func (c *console) heading() string {
	c.t.Helper()
	return text(c.ctx, c.t, "main h1")
}

// submit sends the form of a button and waits for the page that follows.
func (c *console) submit(button string) {
	c.t.Helper()
	_, err := chromedp.RunResponse(c.ctx, chromedp.Click(button))
	if err != nil {
		c.t.Fatalf("press %s: %v\n%s", button, err, c.body())
	}
}

// shows fails the test where the page does not hold a text.
func (c *console) shows(text string) {
	c.t.Helper()
	if body := c.body(); !strings.Contains(body, text) {
		c.t.Errorf("the page does not show %q:\n%s", text, body)
	}
}

// signIn signs somebody of the sandbox in.
func (c *console) signIn(name string) {
	c.t.Helper()
	c.open("/sign-in")
	c.do("sign in", chromedp.SendKeys("#name", name), chromedp.SendKeys("#password", name))
	c.submit("main form button")
}

// unspoilt fails the test for what the browser has noticed.
func (c *console) unspoilt() {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, address := range slices.Compact(slices.Sorted(slices.Values(c.foreign))) {
		c.t.Errorf("the console has fetched %s", address)
	}
	for _, line := range c.errors {
		c.t.Errorf("the browser says: %s", line)
	}
}

// fill types into a field.
func (c *console) fill(field, value string) {
	c.t.Helper()
	c.do("fill "+field, chromedp.SendKeys(field, value))
}
