package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	controls "mintmark/client/sandbox"
	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// isSignedIn is what the reference page shows once it sends credentials.
const isSignedIn = operation + " .authorization__btn[aria-label$=' locked']"

// tryIt presses the buttons that lead to a request, and those that close the operation again.
const tryIt = `globalThis.tryIt = async (block) => {
	const press = async (button) => {
		const found = () => document.querySelector(block + " " + button);
		while (!found()) await new Promise((resolve) => setTimeout(resolve, 10));
		found().click();
	};
	await press(".opblock-summary-control");
	await press(".try-out__btn:not(.cancel)");
	await press(".execute");
	await press(".live-responses-table");
	await press(".try-out__btn.cancel");
	await press(".opblock-summary-control");
	return true;
};
`

// TestReferencePageRepeats tries the example of every operation that changes something, twice, on
// the operators' address of a sandbox. Each makes a card of its own, so each succeeds.
func TestReferencePageRepeats(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	ctx, page := openPage(t)
	err := chromedp.Do(ctx, chromedp.Navigate(world.App.AdminURL()+"/docs"),
		chromedp.WaitVisible(isSignedIn))
	if err != nil {
		t.Fatal(err)
	}
	client := controls.New(world.App.AdminURL())
	operations := slices.DeleteFunc(describedOperations(t), func(op described) bool {
		return op.method != http.MethodPost
	})
	operations = some(operations, 3)
	if ledger.On() != ledger.SQLite {
		operations = operations[:2] // the page is the same on both stores
	}
	cards := make(map[string]bool)
	for _, op := range operations {
		tries := "tryIt('#operations-Card-" + op.ID + "')"
		for range 2 {
			before := requestsOf(t, client, 0)
			var last int64
			if len(before) > 0 {
				last = before[0].ID
			}
			_, err := chromedp.Run(ctx,
				chromedp.Evaluate[bool](tryIt+tries, chromedp.EvalAwaitPromise))
			if err != nil {
				t.Fatalf("%s: %v", op.ID, err)
			}
			sent := requestOf(t, client, last, op.path)
			if sent.Status != http.StatusOK {
				t.Errorf("the example of %s is answered %s", op.ID, sent.Answer)
			}
			if cards[op.ID+sent.Body] {
				t.Errorf("%s was sent twice: %s", op.ID, sent.Body)
			}
			cards[op.ID+sent.Body] = true
		}
	}
	if len(cards) != 2*len(operations) {
		t.Errorf("only %d examples were tried", len(cards))
	}
	if seen := page.violations(); len(seen) > 0 {
		t.Errorf("the page wants more than its policy allows: %q", seen)
	}
	for _, address := range page.fetched() {
		inside := strings.HasPrefix(address, world.App.URL()+"/") ||
			strings.HasPrefix(address, world.App.AdminURL()+"/")
		if !inside && !strings.HasPrefix(address, "data:") {
			t.Errorf("the page has fetched %s", address)
		}
	}
	const demo = `[...document.querySelectorAll(".info details td")].map(td => td.innerText).join()`
	shown, err := chromedp.Run(ctx, chromedp.Evaluate[string](
		`document.querySelectorAll(".info details").forEach(d => d.open = true); `+demo))
	if err != nil || !strings.Contains(shown, "example1:example1,version 1, program 1,") {
		t.Errorf("the demo data is shown as %q: %v", shown, err)
	}
}

// requestsOf are the requests of callers behind one, the newest first.
func requestsOf(t *testing.T, client *controls.Client, after int64) []controls.Request {
	t.Helper()
	found, err := controls.Get[controls.List[controls.Request]](t.Context(), client,
		fmt.Sprint("requests?after=", after))
	if err != nil {
		t.Fatal(err)
	}
	return found.Items
}

// requestOf is the last request behind one, which was for a path. It is kept before it is answered.
func requestOf(
	t *testing.T, client *controls.Client, after int64, path string,
) controls.Request {
	t.Helper()
	found := requestsOf(t, client, after)
	if len(found) == 0 || found[0].Path != path {
		t.Fatalf("no request for %s, only %+v", path, found)
	}
	return found[0]
}
