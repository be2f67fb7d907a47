package e2e

import (
	"strings"
	"testing"

	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// consolePages are the pages that an administrator reaches, in a sandbox.
var consolePages = []string{
	"/", "/cards", "/cards?q=nobody", "/cards/5001", "/cards/5001/lock", "/cards/5001/reissue",
	"/cards/5001/archive", "/cards/4711", "/customers", "/customers/1001", "/orders",
	"/order-report", "/reconciliations", "/customers/1001/erase", "/customers/1003/erase",
	"/programs", "/programs/1", "/programs/1/edit", "/programs/new", "/products", "/products/1",
	"/products/new", "/products/1/remove", "/program-accounts", "/program-accounts/1",
	"/external-accounts", "/external-accounts/1", "/banks/1", "/banks/new", "/banks/1/edit",
	"/bins", "/bank-keys", "/banks/1/keys", "/banks/1/encryption-keys/1/rotate",
	"/banks/1/encryption-keys/1/compromise", "/documents",
	"/documents/80", "/documents/new", "/keys", "/keys/example1", "/keys/example1/rotate",
	"/keys/example1/revoke", "/new-key", "/webhooks", "/webhooks/new", "/events", "/jobs",
	"/audit", "/audit/export", "/audit/1", "/operators", "/operators/1", "/operators/new",
	"/tokens", "/tokens/new", "/approvals", "/sandbox", "/sandbox/reset", "/sandbox/new-fault",
}

// TestConsolePages opens every page, narrow and wide, light and dark. axe-core finds nothing
// serious, the browser complains of nothing, and nothing is fetched from elsewhere.
func TestConsolePages(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	c := openConsole(t, world.App)
	judge := axe(t)
	c.open("/sign-in")
	c.judged(judge, "/sign-in")
	c.signIn("operator")
	pages := consolePages
	if ledger.On() != ledger.SQLite {
		pages = pages[:1] // they are the same on both stores; the stories open them on each
	}
	for i, page := range pages {
		// Each page is seen in two of the four, so that a page more costs little.
		c.wide(1440, i%2 == 0)
		c.open(page)
		c.judged(judge, page+" wide")
		c.wide(360, i%2 == 1)
		c.judged(judge, page+" narrow")
	}
	c.unspoilt()
}

// TestConsoleCard locks a card as the system, sees the caller refused and clears the lock.
func TestConsoleCard(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	c := openConsole(t, world.App)
	c.signIn("support")

	c.open("/cards/5001/lock")
	const why = "The caller could not name two of the last three purchases."
	c.fill("#reason", why)
	c.submit("form .do")
	if got := c.heading(); got != "Card 5001" {
		t.Fatalf("after the lock comes %q", got)
	}
	for _, want := range []string{"Locked SYS/ADM", why, "support", "Locked by the system"} {
		c.shows(want)
	}
	refused := world.Send(ledger.Request{
		Path: "/card/unlock", Body: `{"customerId":1001,"cardId":5001}`,
	})
	if len(refused.Errors) != 1 || refused.Errors[0].Code != 150502 {
		t.Errorf("the caller is answered %+v", refused.Errors)
	}

	c.open("/cards/5001/unlock")
	c.fill("#reason", "Called back on the number on file.")
	c.submit("form .go:not(a)")
	if strings.Contains(c.body(), "Locked SYS/ADM") {
		t.Error("the card is still locked")
	}
	c.shows("Called back on the number on file.")
	c.unspoilt()
}
