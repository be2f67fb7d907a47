//go:build screenshots

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"mintmark/client/admin"
	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// pictures are the pages that docs/console shows.
var pictures = []struct {
	name, page string
	width      int
	dark       bool
}{
	{"overview", "/", 1280, false},
	{"cards", "/cards", 1280, false},
	{"card", "/cards/5001", 1280, false},
	{"card-dark", "/cards/5001", 1280, true},
	{"documents", "/documents", 1280, false},
	{"card-narrow", "/cards/5001", 360, false},
	{"sandbox", "/sandbox", 1440, false},
	{"reconciliation", "/reconciliations/1", 1280, false},
}

// TestScreenshots takes the pictures of docs/console. `make screenshots` calls it.
func TestScreenshots(t *testing.T) {
	world := ledger.NewWorld(t, app.Settings{})
	c := openConsole(t, world.App)
	c.wide(1280, false)
	c.open("/sign-in")
	c.picture("sign-in")
	c.signIn("operator")
	c.open("/cards/5001/lock")
	c.picture("lock")
	c.fill("#reason", "The caller could not name two of the last three purchases.")
	c.submit("form .do")
	for _, path := range []string{"/program/get", "/card/get/1001/5001", "/card/get/1001/4711"} {
		world.Send(ledger.Request{Path: path})
	}
	world.Send(ledger.Request{
		Path: "/card/lock", Body: `{"customerId":1001,"cardId":5003,"lockReasonTypeCode":"TMP"}`,
	})
	reconcileBalances(t, world.App.AdminURL())
	for _, one := range pictures {
		c.wide(one.width, one.dark)
		c.open(one.page)
		c.picture(one.name)
	}
}

// picture takes a picture of the whole page.
func (c *console) picture(name string) {
	c.t.Helper()
	const lossless = 100
	image, err := chromedp.Run(c.ctx, chromedp.FullScreenshot(lossless))
	if err != nil {
		c.t.Fatalf("take a picture of %s: %v", name, err)
	}
	folder := filepath.Join("..", "docs", "console")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), image, 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// reconcileBalances has the balances of a program compared with a list of the core: one differs,
// and one account is not here.
func reconcileBalances(t *testing.T, server string) {
	t.Helper()
	client := admin.New(server, "sandbox-administrator")
	kept, err := admin.Page[admin.Account](t.Context(), client, "accounts",
		url.Values{"programId": {"1"}, "limit": {"200"}})
	if err != nil {
		t.Fatal(err)
	}
	balances := map[int]json.Number{999: "20.00"}
	for _, one := range kept.Items {
		balances[one.ID] = one.AccountBalance
	}
	balances[2002] = "480.25"
	list := fmt.Sprintf(`{"kind":"balances","programId":1,"at":%q}`+"\n",
		time.Now().Format(time.RFC3339Nano))
	for _, id := range slices.Sorted(maps.Keys(balances)) {
		list += fmt.Sprintf(`{"accountId":%d,"accountBalance":%s}`+"\n", id, balances[id])
	}
	_, err = client.Send(t.Context(), admin.Request{
		Method: http.MethodPost, Path: "reconciliations", FileType: "application/x-ndjson",
		File: []byte(list),
	})
	if err != nil {
		t.Fatal(err)
	}
}
