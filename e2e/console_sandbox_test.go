package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	controls "mintmark/client/sandbox"
	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// TestConsoleSandbox controls a sandbox through its page: the effect of each form shows in the
// controls.
func TestConsoleSandbox(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	c := openConsole(t, world.App)
	c.signIn("support")
	c.goesByKeys()
	c.choosesByScript()
	c.open("/sandbox")
	began := c.world().Clock.Now

	c.submit(`button[name=advance][value="P30D"]`)
	if passed := c.world().Clock.Now.Sub(began); passed < 29*24*time.Hour {
		t.Errorf("after 30 days %s have passed", passed)
	}
	// The session continues although it began much longer ago.
	if got := c.heading(); got != "Sandbox controls" {
		t.Fatalf("after 30 days comes %q", got)
	}
	c.submit(`button[name=frozen]`)
	if !c.world().Clock.Frozen {
		t.Error("the clock is not frozen")
	}
	c.fill("#name", "before-fault")
	c.submit(`form:has(#name) button`)
	c.shows("before-fault")
	c.do("choose", chromedp.Click("input[value=down]"))
	c.submit(`form:has(input[name=mode]) button`)
	if mode := c.world().Processor; mode != controls.Down {
		t.Errorf("the processor is %s", mode)
	}

	c.open("/sandbox/new-fault")
	c.do("choose", chromedp.SetValue("#route", "/card/lock"))
	c.fill("#code", "50503")
	c.submit("main form button")
	const lock = `{"customerId":1001,"cardId":5001,"lockReasonTypeCode":"TMP"}`
	reply := world.Send(ledger.Request{Path: "/card/lock", Body: lock})
	wantCode(t, reply, 50503)
	c.open("/sandbox")
	c.shows("answers 50503")

	c.open("/sandbox/restore?name=before-fault")
	c.submit("main form .do")
	if faults := c.world().Faults; len(faults) != 0 {
		t.Errorf("after the restore there are the rules %+v", faults)
	}
	c.open("/sandbox/reset")
	c.submit("main form .do")
	if now := c.world().Clock; now.Frozen || now.Now.Sub(began) > 24*time.Hour {
		t.Errorf("after the reset the clock is %+v", now)
	}
	c.open("/sandbox/drop?name=before-fault")
	c.submit("main form .do")
	if kept := c.world().Snapshots; len(kept) != 0 {
		t.Errorf("kept are %+v", kept)
	}
	c.unspoilt()
}

// world returns the state of the sandbox from its controls.
func (c *console) world() controls.World {
	c.t.Helper()
	client := controls.New(c.app.AdminURL())
	world, err := controls.Get[controls.World](c.t.Context(), client, "world")
	if err != nil {
		c.t.Fatal(err)
	}
	return world
}

// goesByKeys finds a card with / and a page with Ctrl+K, without a click. The browser of the test
// types a / even if a script has prevented that, so the script gets only the key event.
func (c *console) goesByKeys() {
	c.t.Helper()
	enter := func(text, heading string) {
		c.t.Helper()
		c.do("type "+text, chromedp.KeyEvent(text))
		if _, err := chromedp.RunResponse(c.ctx, chromedp.KeyEvent("\r")); err != nil {
			c.t.Fatalf("press Enter: %v\n%s", err, c.body())
		}
		if got := c.heading(); got != heading {
			c.t.Errorf("the keys lead to %q, want %q:\n%s", got, heading, c.body())
		}
	}
	c.open("/activity")
	typed, err := chromedp.Run(c.ctx, chromedp.Evaluate[bool](`document.body.dispatchEvent(
		new KeyboardEvent("keydown", {key: "/", bubbles: true, cancelable: true}))`))
	if err != nil || typed {
		c.t.Errorf("a / is typed (%v)", err)
	}
	enter("card 5001", "Card 5001")
	c.do("open the pages", chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	enter("hold", "Holds")
	c.do("open the pages", chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	for _, step := range []struct{ keys, want string }{
		{"nothing like it", "true INPUT nothing like it: No page matches."},
		{kb.Escape, "true INPUT : "},
		{"card", "true INPUT card: "},
		{kb.ArrowDown, "true A card: "},
		{kb.ArrowUp, "true INPUT card: "},
		{kb.ArrowUp, "true A card: "},
		{kb.Escape, "true INPUT : "},
		{kb.Escape, "false BODY : "},
	} {
		c.do("press "+step.keys, chromedp.KeyEvent(step.keys))
		got, err := chromedp.Run(c.ctx, chromedp.Evaluate[string](`(() => {
			const pages = document.querySelector("dialog.pages");
			return pages.open + " " + document.activeElement.tagName + " " +
				pages.querySelector("input").value + ": " + pages.querySelector("[role=status]").textContent;
		})()`))
		if err != nil || got != step.want {
			c.t.Errorf("after %q the pages are %q, want %q (%v)", step.keys, got, step.want, err)
		}
	}
}

// choosesByScript selects a whole list, and checks that the command of an act names the choice.
func (c *console) choosesByScript() {
	c.t.Helper()
	c.open("/cards")
	c.do("select all", chromedp.Click("th.pick input"))
	ok, err := chromedp.Run(c.ctx, chromedp.Evaluate[bool](
		`[...document.querySelectorAll("td.pick input")].filter((box) => box.checked).length > 10`))
	if err != nil || !ok {
		c.t.Errorf("not all cards are selected (%v)", err)
	}
	c.open("/cards/5001/lock")
	c.do("choose", chromedp.Click("input[value=STL]"))
	c.shows("--reason-code STL")
}

// TestConsoleRequests opens the page of a sandbox while a caller sends a request: the request
// appears without a reload, and its page shows it as a command.
func TestConsoleRequests(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	c := openConsole(t, world.App)
	c.signIn("support")
	c.open("/sandbox")
	world.Send(ledger.Request{
		Path: "/card/verify",
		Body: `{"customerId":1001,"cardId":5007,"birthDate":"1999-12-31",` +
			`"cardNumberMasked":"1111"}`,
	})
	const row = `tr[data-id="1"] a`
	c.do("wait for the request", chromedp.WaitVisible(row))
	if body := c.body(); !strings.Contains(body, "POST /card/verify") {
		t.Errorf("the page shows %s", body)
	}
	c.submit(row)
	if got := c.heading(); got != "Request 1" {
		t.Fatalf("behind the link is %q", got)
	}
	c.shows("-u example1:example1")
	if body := c.body(); strings.Contains(body, "1999") {
		t.Errorf("the page shows the date of birth: %s", body)
	}
	const copies = `(async () => {
		const button = document.querySelector('button[aria-label="Copy the command"]');
		button.click();
		while (button.textContent === "Copy") await new Promise((next) => setTimeout(next, 10));
		return button.textContent;
	})()`
	got, err := chromedp.Run(c.ctx, chromedp.Evaluate[string](copies, chromedp.EvalAwaitPromise))
	if err != nil || got != "Copied" && got != "Marked" {
		t.Errorf("the button says %q: %v", got, err)
	}
	c.unspoilt()
}
