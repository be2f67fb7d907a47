package e2e

import (
	"context"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/pquerna/otp/totp"

	"mintmark/e2e/ledger"
)

// pasted pastes the clipboard into the focused field.
func pasted() chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: input.DispatchKeyEventTypeKeyDown, Commands: []string{"paste"},
		})
		return err
	})
}

// TestConsoleInProduction signs the first operator in with a browser. The only script of the
// console copies a text and opens the list of pages; no other script runs.
func TestConsoleInProduction(t *testing.T) {
	t.Parallel()
	if ledger.On() != ledger.SQLite {
		return // what a browser shows does not depend on the database
	}
	config := filepath.Join(t.TempDir(), "mintmark.yaml")
	_, server := inProduction(t, config, "")
	printed, _ := run(t, "operator", "create", "ada", "--role", "administrator", "--config", config)
	link := regexp.MustCompile(`/invitation/\S+`).FindString(printed)
	c := openConsoleAt(t, server)
	c.open(link)
	code, err := totp.GenerateCode(text(c.ctx, t, "main code"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	c.fill("#password", "correct horse battery")
	c.fill("#code", code)
	c.submit("main form button")

	const copied = ".cmd code + button"
	c.do("copy", chromedp.Click(copied), chromedp.Click(".find input"), pasted())
	shown, err := chromedp.Run(c.ctx, chromedp.Evaluate[string](
		`document.querySelector("`+copied+`").textContent + " " + document.querySelector(".find input").value`))
	if err != nil || shown != "Copied mintmark overview" {
		t.Errorf("button and search say %q (%v)", shown, err)
	}
	c.do("open the pages", chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	c.do("look for a page", chromedp.KeyEvent("approv"))
	if _, err := chromedp.RunResponse(c.ctx, chromedp.KeyEvent("\r")); err != nil {
		t.Fatal(err)
	}
	same(t, "page behind the keys", c.heading(), "Approvals")
	c.unspoilt()

	smuggled, err := chromedp.Run(c.ctx, chromedp.Evaluate[bool](`(async () => {
		const add = (script) => document.body.append(Object.assign(document.createElement("script"), script));
		add({text: "window.smuggled = true"});
		add({text: "window.smuggled = true", integrity: document.querySelector("script").integrity});
		const asked = await fetch(location.href).then(() => true, () => false);
		return asked || window.smuggled === true;
	})()`, chromedp.EvalAwaitPromise))
	if err != nil || smuggled {
		t.Errorf("a page runs a foreign script, or sends a request (%v)", err)
	}
}
