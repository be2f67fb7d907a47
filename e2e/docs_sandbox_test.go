package e2e

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	controls "mintmark/client/sandbox"
)

// isSignedIn selects what the reference page shows once it sends credentials.
const isSignedIn = operation + " .authorization__btn[aria-label$=' locked']"

// tryIt presses the buttons that send a request, and those that close the operation again.
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

// tryExamples tries the example of every operation that changes something, twice, on the reference
// page of a sandbox; in make test that of only one operation. Each creates its own card, so each
// succeeds.
func tryExamples(ctx context.Context, t *testing.T, client *controls.Client) {
	t.Helper()
	operations := some(slices.DeleteFunc(describedOperations(t), func(op described) bool {
		return op.method != http.MethodPost
	}), 1)
	bodies := make(map[string]bool)
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
			bodies[op.ID+sent.Body] = true
		}
	}
	if len(bodies) != 2*len(operations) {
		t.Errorf("%d of %d examples differ from those before", len(bodies), 2*len(operations))
	}
}

// requestsOf returns the requests of callers after an id, newest first.
func requestsOf(t *testing.T, client *controls.Client, after int64) []controls.Request {
	t.Helper()
	requests, err := controls.Get[controls.List[controls.Request]](t.Context(), client,
		fmt.Sprint("requests?after=", after))
	if err != nil {
		t.Fatal(err)
	}
	return requests.Items
}

// requestOf returns the last request after an id, which must be for a path. A request is recorded
// before it is answered.
func requestOf(
	t *testing.T, client *controls.Client, after int64, path string,
) controls.Request {
	t.Helper()
	requests := requestsOf(t, client, after)
	if len(requests) == 0 || requests[0].Path != path {
		t.Fatalf("no request for %s, only %+v", path, requests)
	}
	return requests[0]
}
