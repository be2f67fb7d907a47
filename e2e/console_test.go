package e2e

import (
	"strings"
	"testing"

	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// TestConsoleCard locks a card as the system, checks that the caller is rejected, and clears the
// lock.
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
