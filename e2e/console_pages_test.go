//go:build check

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"mintmark/client/admin"
	controls "mintmark/client/sandbox"
	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// consolePages lists the pages that an administrator can open in a sandbox.
var consolePages = []string{
	"/", "/activity", "/cards", "/cards?q=nobody", "/cards/5001", "/cards/5001/lock", "/cards/5001/reissue",
	"/cards/5001/archive", "/cards/4711", "/customers", "/customers/1001", "/orders",
	"/order-report", "/authorizations", "/holds", "/compromises", "/compromises/new", "/reconciliations", "/customers/1001/erase", "/customers/1003/erase",
	"/programs", "/programs/1", "/programs/1/edit", "/programs/new", "/products", "/products/1",
	"/products/new", "/products/1/edit", "/products/1/remove", "/program-accounts", "/program-accounts/1",
	"/external-accounts", "/external-accounts/1", "/banks/1", "/banks/new", "/banks/1/edit",
	"/bins", "/bins/1", "/bins/1/edit", "/banks", "/bank-keys", "/banks/1/keys", "/banks/1/encryption-keys/1/rotate",
	"/documents",
	"/documents/80", "/documents/new", "/keys", "/keys/example1", "/keys/example1/edit",
	"/keys/example1/rotate",
	"/keys/example1/revoke", "/new-key", "/webhooks", "/webhooks/new", "/events", "/jobs",
	"/audit", "/audit/export", "/audit/1", "/operators", "/operators/1",
	"/operators/1/edit", "/operators/1/invite", "/operators/1/end", "/operators/new",
	"/tokens", "/tokens/new", "/approvals", "/sandbox", "/sandbox/reset", "/sandbox/new-fault",
}

// TestConsolePages opens every page, narrow and wide, light and dark. axe-core must find nothing
// serious, the browser must report no error, and nothing may be fetched from another server.
func TestConsolePages(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	c := openConsole(t, world.App)
	judge := axe(t)
	c.open("/sign-in")
	c.judged(judge, "/sign-in")
	c.signIn("operator")
	pages := append(c.worked(world), consolePages...)
	if ledger.On() != ledger.SQLite {
		pages = pages[:1] // they do not depend on the store; the stories open them on each
	}
	for i, page := range pages {
		// Each page is opened in two of the four combinations to save time.
		c.wide(1440, i%2 == 0)
		c.open(page)
		c.judged(judge, page+" wide")
		c.wide(360, i%2 == 1)
		c.judged(judge, page+" narrow")
	}
	c.unspoilt()
}

// worked creates lists of compromised cards, one of them paused, an authorized purchase, and an
// order that does not reach the processor, and returns their pages.
func (c *console) worked(world *ledger.World) []string {
	c.t.Helper()
	operators := admin.New(world.App.AdminURL(), "sandbox-administrator")
	sandbox := controls.New(world.App.AdminURL())
	change := func(method, path string, body any) {
		c.t.Helper()
		if _, err := controls.Do[any](c.ctx, sandbox, method, path, body); err != nil {
			c.t.Fatal(err)
		}
	}
	act := func(path string, body any) {
		c.t.Helper()
		_, err := operators.Send(c.ctx, admin.Request{
			Method: http.MethodPost, Path: path, Body: body, Reason: "Seen in a shop.",
		})
		if err != nil {
			c.t.Fatal(err)
		}
	}
	for name, cards := range map[string][]int{"first": {5016, 5017}, "second": {5018, 5019}} {
		var numbers []string
		for _, id := range cards {
			number, err := controls.Get[controls.Number](c.ctx, sandbox, fmt.Sprintf("cards/%d/number", id))
			if err != nil {
				c.t.Fatal(err)
			}
			numbers = append(numbers, number.Number)
		}
		act("compromises", admin.NewCompromise{
			Name: name, ProgramID: 1, Numbers: numbers, Act: "replace", PerDay: 1,
		})
	}
	act("compromises/2/pause", nil)
	change(http.MethodPost, "cards/5001/authorizations", controls.Authorization{Amount: "12.50"})
	change(http.MethodPut, "processor", controls.Processor{Mode: controls.Down})
	world.Send(ledger.Request{
		Path: "/card/lock", Body: `{"customerId":1001,"cardId":5001,"lockReasonTypeCode":"TMP"}`,
	})
	pages := []string{"/orders?programId=0", "/compromises/1", "/compromises/1/pause", "/compromises/2/resume"}
	for _, list := range []string{
		"/orders?programId=0&state=waiting", "/authorizations?programId=1&outcome=all", "/holds?programId=1",
	} {
		c.open(list)
		section, _, _ := strings.Cut(list, "?")
		page := c.first(`main td a[href^="/console` + section + `/"]`)
		if page == "" {
			c.t.Fatalf("%s leads to nothing:\n%s", list, c.body())
		}
		pages = append(pages, strings.TrimPrefix(page, "/console"))
	}
	return pages
}

// axe returns the source of axe-core, the accessibility checker.
func axe(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", ".tools", "axe-core-*.js"))
	if err != nil || len(paths) == 0 {
		t.Fatal("axe-core is missing; scripts/need axe downloads it")
	}
	text, err := os.ReadFile(paths[len(paths)-1])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// judged checks the page with axe-core, and fails the test for serious or critical findings.
func (c *console) judged(judge, page string) {
	c.t.Helper()
	const run = `axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(
		r.violations.filter(v => v.impact === "serious" || v.impact === "critical")
		.map(v => v.id + ": " + v.nodes.map(n =>
			n.html + " " + n.failureSummary).join("\n"))))`
	violations, err := chromedp.Run(c.ctx,
		chromedp.Evaluate[string](judge+";"+run, chromedp.EvalAwaitPromise))
	if err != nil {
		c.t.Fatalf("judge %s: %v", page, err)
	}
	var findings []string
	if err := json.Unmarshal([]byte(violations), &findings); err != nil {
		c.t.Fatal(err)
	}
	for _, finding := range findings {
		c.t.Errorf("%s: %s", page, finding)
	}
	c.fits(page)
}
