package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"mintmark/client/admin"
	"mintmark/e2e/ledger"
	"mintmark/internal/app"
	"mintmark/internal/base/clock"
	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
)

// TestConsoleStories is a day of operators in a browser, one story after another in one sandbox.
func TestConsoleStories(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	number := numberOf(t, data, 5001)
	// With a frozen clock, a sandbox completes background work before it answers.
	world := ledger.NewWorld(t, app.Settings{Data: data, Clock: clock.FrozenAt(time.Now())})
	c := openConsole(t, world.App)
	c.signIn("operator")
	c.issuesAKey(world)
	c.publishesADocument(world)
	c.findsByNumber(number)
	c.sendsAnEventAgain(world)
	c.retriesAnOrder(world)
	c.verifiesAProof()
	c.asksASecond()
	c.erasesACustomer(world)
	c.unspoilt()
}

// numberOf starts a sandbox in a directory, ends it, and returns the number of one of its cards.
func numberOf(t *testing.T, data string, cardID int) string {
	t.Helper()
	seed := uint64(1)
	first, err := app.Start(t.Context(), app.Settings{
		Sandbox: true, Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0", Data: data, Seed: &seed,
		Database: ledger.Database(t, data),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	keys, err := installation.OpenVault(data, true, &seed)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := installation.OpenStore(t.Context(), data, ledger.Database(t, data))
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	var number string
	err = kept.View(t.Context(), func(r store.Tx) error {
		sealed, err := r.CardNumbers().Find(1, cardID)
		if err != nil {
			return err
		}
		opened, err := keys.OpenNumber(sealed.Sealed, cardID)
		number = opened.Reveal()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return number
}

// issuesAKey issues a key, sees its secret once, calls with it, and rotates it with an overlap.
func (c *console) issuesAKey(world *ledger.World) {
	c.t.Helper()
	c.open("/new-key?programId=1")
	c.fill("#name", "branch")
	c.fill("#allow", "127.0.0.0/8\n::1/128")
	c.submit("main form .go")
	key, secret := text(c.ctx, c.t, "#key"), text(c.ctx, c.t, "#secret")
	c.calls(world, key, secret)
	c.open("/keys/branch?programId=1")
	if strings.Contains(c.body(), secret) {
		c.t.Error("the secret is shown again")
	}
	c.open("/keys/branch/rotate?programId=1")
	c.fill("#reason", "As every quarter.")
	c.submit("main form .go")
	next := text(c.ctx, c.t, "#secret")
	if next == secret {
		c.t.Error("the secret is the same")
	}
	c.calls(world, key, next)
	c.calls(world, key, secret) // until the overlap ends
	c.open("/keys/branch/revoke?programId=1")
	c.fill("#reason", "The branch is closed.")
	c.submit("main form .do")
	c.shows("Revoked")
}

// calls reads the settings of the program as a caller.
func (c *console) calls(world *ledger.World, key, secret string) {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.ctx, http.MethodGet,
		world.App.URL()+"/program/get", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	request.SetBasicAuth(key, secret)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	same(c.t, "status under the key", answer.StatusCode, http.StatusOK)
}

// publishesADocument drafts and publishes a version, which callers then can list.
func (c *console) publishesADocument(world *ledger.World) {
	c.t.Helper()
	c.open("/documents/new?programId=1&culture=en-US")
	c.do("choose the type", chromedp.SetValue("#documentType", "FeeSchedule"))
	c.fill("#title", "Fees from now on")
	c.fill("#html", "<p>Nothing is free.</p>")
	file, err := filepath.Abs("../internal/app/demo/documents/en-US/fee-schedule.pdf")
	if err != nil {
		c.t.Fatal(err)
	}
	c.do("choose the file", chromedp.SetUploadFiles("#file", []string{file}))
	c.submit("main form .go")
	c.open(strings.TrimPrefix(c.path(), "/console") + "/publish")
	c.submit("main form button")
	listed := world.Send(ledger.Request{Path: "/bankdocument/list/en-US/FeeSchedule"})
	if !strings.Contains(string(listed.Raw), "Fees from now on") {
		c.t.Errorf("callers list %s", listed.Raw)
	}
}

// path returns the path of the current page.
func (c *console) path() string {
	c.t.Helper()
	path, err := chromedp.Run(c.ctx, chromedp.Evaluate[string](`location.pathname`))
	if err != nil {
		c.t.Fatal(err)
	}
	return path
}

// findsByNumber finds a card by its full number, which no URL contains, and opens its timeline.
func (c *console) findsByNumber(number string) {
	c.t.Helper()
	c.open("/audit")
	_, err := chromedp.RunResponse(c.ctx, chromedp.SendKeys(".find [name=q]", number+"\r"))
	if err != nil {
		c.t.Fatalf("search: %v\n%s", err, c.body())
	}
	if got := c.heading(); got != "Card 5001" {
		c.t.Errorf("the number leads to %q", got)
	}
	address, err := chromedp.Run(c.ctx, chromedp.Evaluate[string](`location.href`))
	if err != nil || strings.Contains(address, number) || strings.Contains(c.body(), number) {
		c.t.Errorf("the number is in %s, or on its page (%v)", address, err)
	}
	c.open("/cards/5001?show=reads")
	c.shows("Found by its number")
}

// sendsAnEventAgain adds a webhook, causes an event, and sends it a second time.
func (c *console) sendsAnEventAgain(world *ledger.World) {
	c.t.Helper()
	got := new(counter)
	subscriber := httptest.NewServer(http.HandlerFunc(
		func(http.ResponseWriter, *http.Request) { got.add() }))
	defer subscriber.Close()
	c.open("/webhooks/new?programId=1")
	c.fill("#url", subscriber.URL)
	c.do("choose an event", chromedp.Click(`input[value="card.locked"]`))
	c.submit("main form .go")
	locked := world.Send(ledger.Request{
		Path: "/card/lock", Body: `{"customerId":1001,"cardId":5001,"lockReasonTypeCode":"TMP"}`,
	})
	if locked.HTTP != http.StatusOK {
		c.t.Fatalf("lock: %s", locked.Raw)
	}
	c.open("/webhooks")
	c.open(strings.TrimPrefix(c.first(`main a[href^="/console/webhooks/"]:not(.btn)`), "/console"))
	delivery := ""
	c.until("the event is told", func() bool {
		delivery = c.first(`main a[href*="/deliveries/"]`)
		return delivery != ""
	})
	c.open(strings.TrimPrefix(delivery, "/console"))
	c.submit("main .head form button")
	got.Until(c.t, "the event is told again", func() bool { return got.count.Load() == 2 })
}

// first returns the target of the first matching link, or "".
func (c *console) first(link string) string {
	c.t.Helper()
	s, err := chromedp.Run(c.ctx, chromedp.Evaluate[string](
		fmt.Sprintf(`document.querySelector(%q)?.getAttribute("href") ?? ""`, link)))
	if err != nil {
		c.t.Fatal(err)
	}
	return s
}

// until reloads the page until it shows the effect of an act: pages do not update themselves.
func (c *console) until(what string, holds func() bool) {
	c.t.Helper()
	for !holds() {
		if c.ctx.Err() != nil {
			c.t.Fatalf("%s: never\n%s", what, c.body())
		}
		c.do("look again", chromedp.Reload())
	}
}

// retriesAnOrder retries an order that the card processor has rejected. The simulator of a sandbox
// rejects nothing, so the test marks the order in the database.
func (c *console) retriesAnOrder(world *ledger.World) {
	c.t.Helper()
	_, err := ledger.Open(c.t, world.Dir).ExecContext(c.ctx, `UPDATE orders
		SET state = 'failed', done_at = NULL, last_error = 'the bin is closed',
			revision = revision + 1
		WHERE order_id = (SELECT max(order_id) FROM orders WHERE state = 'done')`)
	if err != nil {
		c.t.Fatal(err)
	}
	c.open("/orders?state=failed")
	order := strings.TrimPrefix(c.first(`main td a[href^="/console/orders/"]`), "/console")
	c.open(order)
	c.shows("the bin is closed")
	order, _, _ = strings.Cut(order, "?")
	c.open(order + "/retry")
	c.fill("#reason", "The processor has opened the bin again.")
	c.submit("main form .go")
	c.until("the order is done", func() bool {
		return strings.Contains(c.body(), "Done")
	})
}

// verifiesAProof opens the newest sealed audit entry, whose proof the page has verified.
func (c *console) verifiesAProof() {
	c.t.Helper()
	c.open("/audit")
	entry := c.first(`main td a[href^="/console/audit/"]`)
	if entry == "" {
		c.t.Fatalf("no entry is sealed:\n%s", c.body())
	}
	c.open(strings.TrimPrefix(entry, "/console"))
	c.shows("Proved")
}

// asksASecond turns four eyes on. After that, two operators are needed to clear a system lock.
func (c *console) asksASecond() {
	c.t.Helper()
	c.open("/programs/1/edit?programId=1")
	c.do("switch four eyes on", chromedp.Click("#fourEyes"))
	c.submit("main form .go")
	c.shows("Nothing is changed yet.")
	c.fill("#reason", "Two operators from now on.")
	c.submit("main form .go")
	c.open("/cards/5001/lock")
	c.fill("#reason", "Two purchases are unknown.")
	c.submit("form .do")
	c.open("/cards/5001/unlock")
	c.fill("#reason", "Called back on the number on file.")
	c.submit("form .go:not(a)")
	c.shows("Waiting for another operator")
	approval := strings.TrimPrefix(c.path(), "/console")
	c.open("/cards/5001")
	c.shows("Locked SYS/ADM")

	c.submit("nav .me button")
	c.signIn("support")
	c.open(approval)
	c.shows("You may decide")
	c.wide(360, false)
	c.fits("the approval of an act on a card")
	c.wide(1440, false)
	c.open(approval + "/approve")
	c.fill("#reason", "I have heard the recording.")
	c.submit("main form .go")
	c.open("/cards/5001")
	if strings.Contains(c.body(), "Locked SYS/ADM") {
		c.t.Error("the card is still locked")
	}
	c.shows("Called back on the number on file.")
}

// erasesACustomer requests the erasure of a customer while four eyes are on: nothing is erased
// before another operator approves.
func (c *console) erasesACustomer(world *ledger.World) {
	c.t.Helper()
	support := admin.New(world.App.AdminURL(), "sandbox-support")
	do[admin.Customer](c.t, support, admin.Request{
		Method: http.MethodPost, Path: "customers", Body: admin.NewCustomer{
			ID: 7300, ProgramID: 1, Status: "Verified", Access: "FULL", FirstName: "Thaddeus",
			LastName: "Umberfield", BirthDate: "1971-05-06", MobilePhone: "+1 555 0177",
		},
	})
	named := func() string {
		return readAs[admin.Customer](c.t, support, "customers/7300").FirstName
	}
	do[admin.Account](c.t, support, admin.Request{
		Method: http.MethodPost, Path: "accounts", Body: admin.NewAccount{
			ID: 7301, ProgramID: 1, CustomerID: 7300, Type: "Checking", Status: "Open",
			Name: "Umberfield's savings", AccountNumber: "123456789", AccountBalance: "4.50",
		},
	})
	c.open("/customers/7300/erase?programId=1")
	c.shows("Not possible")
	c.shows("Account 7301 is Open and has money.")
	if strings.Contains(c.body(), "Reason, for the audit") {
		c.t.Error("the page offers what would be refused")
	}
	do[admin.Account](c.t, support, admin.Request{
		Method: http.MethodPatch, Path: "accounts/7301", Revision: 1,
		Body: map[string]any{"accountBalance": 0, "availableBalance": 0},
	})
	c.open("/customers/7300/erase?programId=1")
	c.shows("Would be removed")
	for _, text := range []string{"Birth date", "+1 555 0177", "Umberfield's savings"} {
		c.shows(text)
	}
	if got := named(); got != "Thaddeus" {
		c.t.Errorf("a dry run has erased the customer: %s", got)
	}
	c.fill("#reason", "Request 2026/17.")
	c.submit("form .do")
	c.shows("Waiting for another operator")
	if got := named(); got != "Thaddeus" {
		c.t.Errorf("one operator has erased the customer: %s", got)
	}
	approval := strings.TrimPrefix(c.path(), "/console")

	c.submit("nav .me button")
	c.signIn("operator")
	c.open(approval + "/approve")
	c.fill("#reason", "I have seen the request.")
	c.submit("main form .go")
	if got := named(); got != "Erased" {
		c.t.Errorf("two operators have not erased the customer: %s", got)
	}
	c.open("/customers/7300?programId=1")
	c.shows("Erased customer")
	if body := c.body(); strings.Contains(body, "Umberfield") || strings.Contains(body, "0177") {
		c.t.Error("the page of the customer still names it")
	}
}
