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

// console is a browser at the console of a service. It records what goes wrong.
type console struct {
	t    *testing.T
	ctx  context.Context
	app  *app.App
	base string // address of the console, without a trailing slash

	mu      sync.Mutex
	foreign []string // requested addresses of other servers
	errors  []string // of the browser's console
}

// openConsole opens a tab of the browser, closed when the test ends.
func openConsole(t *testing.T, running *app.App) *console {
	t.Helper()
	c := openConsoleAt(t, running.AdminURL())
	c.app = running
	return c
}

// openConsoleAt is openConsole for a service at an address.
func openConsoleAt(t *testing.T, address string) *console {
	t.Helper()
	c := &console{t: t, ctx: openTab(t), base: address + "/console"}
	if err := chromedp.Listen(c.ctx, c.notice); err != nil {
		t.Fatalf("listen to the browser: %v", err)
	}
	return c
}

// notice records what a page should not do.
func (c *console) notice(event any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch event := event.(type) {
	case *network.EventRequestWillBeSent:
		address := event.Request.URL
		// The browser draws parts of its own controls from data: URLs.
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

// refusedOnPurpose matches the message that a browser logs for every status from 400 on.
func refusedOnPurpose(text string) bool {
	return strings.HasPrefix(text, "Failed to load resource: the server responded with a status of")
}

// do performs actions in the browser.
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

// heading returns the heading of the page.
func (c *console) heading() string {
	c.t.Helper()
	return text(c.ctx, c.t, "main h1")
}

// submit clicks a button and waits for the next page.
func (c *console) submit(button string) {
	c.t.Helper()
	_, err := chromedp.RunResponse(c.ctx, chromedp.Click(button))
	if err != nil {
		c.t.Fatalf("press %s: %v\n%s", button, err, c.body())
	}
}

// shows fails the test unless the page contains a text.
func (c *console) shows(text string) {
	c.t.Helper()
	if body := c.body(); !strings.Contains(body, text) {
		c.t.Errorf("the page does not show %q:\n%s", text, body)
	}
}

// signIn signs in as a user of the sandbox.
func (c *console) signIn(name string) {
	c.t.Helper()
	c.open("/sign-in")
	c.do("sign in", chromedp.SendKeys("#name", name), chromedp.SendKeys("#password", name))
	c.submit("main form button")
}

// unspoilt fails the test for everything that notice has recorded.
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
