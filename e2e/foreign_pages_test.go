package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"mintmark/client/admin"
	controls "mintmark/client/sandbox"
	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// helpers holds functions for a page that attacks a sandbox. Each attempt records what the page
// learns; errors thrown by the browser are ignored.
const helpers = `
const learned = [];
const waits = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const tries = async (what, act) => {
	try {
		const got = await Promise.race([act(), waits(patience)]);
		if (got) learned.push(what + ": " + got);
	} catch {}
};
const reads = (mode, path, more) => async () => {
	const credentials = more.headers?.Authorization ? "omit" : "include";
	const answer = await fetch(path, {mode, credentials, ...more});
	const text = answer.type === "opaque" ? "" : await answer.text();
	return answer.ok ? text.slice(0, 200) : "";
};
const basic = {Authorization: "Basic " + btoa("example1:example1")};
const json = {"Content-Type": "application/json"};
const lock = JSON.stringify({customerId: 1001, cardId: 5001, lockReasonTypeCode: "TMP"});
const later = JSON.stringify({advance: "90d"});
`

// permitted holds the requests that a page of the sandbox itself may send.
const permitted = helpers + `
await tries("requests", reads("cors", admin + "/sandbox/v1/requests", {}));
await tries("program", reads("cors", callers + "/program/get", {headers: basic}));
await tries("lock", reads("cors", callers + "/card/lock",
	{method: "POST", body: lock, headers: {...basic, ...json}}));
`

// attack holds everything that a page of another origin tries.
const attack = helpers + `
const targets = [
	[admin + "/sandbox/v1/clock", {}], [admin + "/sandbox/v1/requests", {}],
	[admin + "/sandbox/v1/world", {}], [admin + "/console/", {}], [admin + "/admin/v1/me", {}],
	[admin + "/console/sandbox", {}], [callers + "/program/get", {headers: basic}],
	[admin + "/admin/v1/cards/5001", {headers: {Authorization: "Bearer sandbox-administrator"}}],
	[admin + "/sandbox/v1/clock", {method: "PUT", body: later, headers: json}],
	[admin + "/sandbox/v1/clock", {method: "POST", body: later}],
	[admin + "/sandbox/v1/reset", {method: "POST"}],
	[admin + "/sandbox/v1/reset", {method: "POST", body: "{}", headers: json}],
	[admin + "/sandbox/v1/snapshots/evil", {method: "PUT"}],
	[admin + "/sandbox/v1/faults", {method: "POST", body: '{"route":"*","code":50503}'}],
	[admin + "/sandbox/v1/faults", {method: "DELETE"}],
	[admin + "/console/sandbox/reset", {method: "POST", body: new URLSearchParams({a: "b"})}],
	[admin + "/console/sandbox",
		{method: "POST", body: new URLSearchParams({do: "clock", advance: "90d"})}],
	[callers + "/card/lock", {method: "POST", body: lock, headers: {...basic, ...json}}],
	[callers + "/card/lock", {method: "POST", body: lock, headers: basic}],
	[callers + "/card/lock", {method: "POST", body: lock}],
];
for (const [path, more] of targets) {
	for (const mode of ["cors", "no-cors", "same-origin"]) {
		await tries(mode + " " + (more.method ?? "GET") + " " + path, reads(mode, path, more));
	}
}
const withUser = (address) => address.replace("://", "://example1:example1@");
await tries("beacon", async () => {
	navigator.sendBeacon(admin + "/sandbox/v1/reset", lock);
	navigator.sendBeacon(withUser(callers) + "/card/lock", lock);
});
const loads = (name, attributes) => new Promise((resolve) => {
	const element = Object.assign(document.createElement(name), attributes);
	element.onload = () => resolve(name + " loads");
	element.onerror = () => resolve("");
	document.body.append(element);
	setTimeout(() => resolve(""), 500);
});
await tries("script", () => loads("script", {src: admin + "/sandbox/v1/world"}));
await tries("style", () => loads("link", {rel: "stylesheet", href: admin + "/sandbox/v1/world"}));
await tries("image", () => loads("img", {src: withUser(callers) + "/program/get"}));
await tries("frame", async () => {
	const frame = document.createElement("iframe");
	frame.src = admin + "/console/sandbox";
	document.body.append(frame);
	await waits(300);
	return frame.contentDocument?.body?.innerText;
});
await tries("socket", () => new Promise((resolve) => {
	const socket = new WebSocket(admin.replace("http", "ws") + "/sandbox/v1/world");
	socket.onopen = () => resolve("opened");
	socket.onerror = () => resolve("");
}));
await tries("events", () => new Promise((resolve) => {
	const events = new EventSource(admin + "/sandbox/v1/world", {withCredentials: true});
	events.onopen = () => { events.close(); resolve("opened"); };
	events.onerror = () => { events.close(); resolve(""); };
}));
const forms = [
	["POST", admin + "/sandbox/v1/reset", {}],
	["POST", admin + "/console/sandbox/reset", {}],
	["POST", admin + "/console/sandbox", {do: "clock", advance: "90d"}],
	["POST", withUser(callers) + "/card/lock", {[lock.slice(0, -1) + ',"a":"']: '"}'}],
	["GET", admin + "/console/sandbox/reset", {}],
];
for (const [method, action, fields] of forms) {
	const frame = Object.assign(document.createElement("iframe"), {name: "f" + Math.random()});
	document.body.append(frame);
	const enctype = method === "POST" && fields["do"] === undefined
		? "text/plain" : "application/x-www-form-urlencoded";
	const form = Object.assign(document.createElement("form"),
		{method, action, target: frame.name, enctype});
	for (const [name, value] of Object.entries(fields)) {
		form.append(Object.assign(document.createElement("input"), {name, value, type: "hidden"}));
	}
	document.body.append(form);
	form.submit();
	await waits(150);
	await tries("form " + action, async () => frame.contentDocument?.body?.innerText);
}
`

// TestForeignPagesAreKeptOut opens pages of other origins in a browser whose operator is signed in
// to the console, lets them try everything that a page can, and checks that the sandbox is
// unchanged.
func TestForeignPagesAreKeptOut(t *testing.T) {
	t.Parallel()
	if ledger.On() != ledger.SQLite {
		return // what a browser shows does not depend on the database
	}
	world := ledger.NewWorld(t, app.Settings{})
	c := openConsole(t, world.App)
	c.signIn("operator")
	before, client := stateOf(t, world), controls.New(world.App.AdminURL())

	// Some attacks never end. Permitted requests end, and get more time.
	script := func(tries string, patience time.Duration) string {
		return fmt.Sprintf("(async () => { const admin = %q, callers = %q, patience = %d; %s "+
			"return learned; })()",
			world.App.AdminURL(), world.App.URL(), patience.Milliseconds(), tries)
	}
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>foreign</title><body>"))
	}))
	t.Cleanup(foreign.Close)
	_, port, err := net.SplitHostPort(foreign.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	pages := []string{
		foreign.URL, "http://evil.test:" + port, "http://localhost:" + port,
		"http://localhost.evil.test:" + port,
	}
	for _, page := range some(pages, 2) {
		for _, s := range c.learns(page+"/", script(attack, 2*time.Second)) {
			t.Errorf("a page of %s learns %s", page, s)
		}
	}
	c.rebinds(world)
	c.opensWindows(foreign.URL, world)

	if after := stateOf(t, world); after != before {
		t.Errorf("the sandbox was\n%s, and is\n%s", before, after)
	}
	for _, request := range requestsOf(t, client, 0) {
		if request.Status == http.StatusOK {
			t.Errorf("a foreign page was answered %s %s: %s", request.Method, request.Path, request.Answer)
		}
	}
	// Requests of a page of the sandbox itself are answered.
	learned := strings.Join(c.learns(world.App.AdminURL()+"/sandbox/v1/clock",
		script(permitted, time.Minute)), "\n")
	for _, want := range []string{"requests: {", "program: {", "lock: {"} {
		if !strings.Contains(learned, want) {
			t.Errorf("a page of the sandbox does not learn %s, but\n%s", want, learned)
		}
	}
}

// learns runs a script in a page, and returns what the page has learned.
func (c *console) learns(page, script string) []string {
	c.t.Helper()
	c.do("open "+page, chromedp.Navigate(page))
	learned, err := chromedp.Run(c.ctx,
		chromedp.Evaluate[[]string](script, chromedp.EvalAwaitPromise))
	if err != nil {
		c.t.Fatalf("%s: %v", page, err)
	}
	return learned
}

// rebinds opens the ports of the sandbox under a host name that an attacker has pointed at its
// address, as in DNS rebinding: to the browser every request from there stays within one origin.
func (c *console) rebinds(world *ledger.World) {
	c.t.Helper()
	for _, address := range []string{world.App.AdminURL(), world.App.URL()} {
		parsed, err := url.Parse(address)
		if err != nil {
			c.t.Fatal(err)
		}
		evil := "http://evil.test:" + parsed.Port()
		if parsed.Port() == "" {
			c.t.Fatalf("%s has no port", address)
		}
		script := fmt.Sprintf("(async () => { const admin = %q, callers = admin; %s })()",
			evil, attack)
		learned := c.learns(evil+"/console/", script)
		// A frame of the same origin shows the refusal.
		learned = slices.DeleteFunc(learned, func(s string) bool {
			return strings.Contains(s, "does not name this sandbox")
		})
		for _, s := range learned {
			c.t.Errorf("a page of %s learns %s", evil, s)
		}
	}
}

// opensWindows lets a foreign page open the console in a new window, as a link may, and read from
// it.
func (c *console) opensWindows(page string, world *ledger.World) {
	c.t.Helper()
	c.do("open "+page, chromedp.Navigate(page+"/"))
	const opens = `(async () => {
		const opened = window.open(%q);
		await new Promise((resolve) => setTimeout(resolve, 1000));
		try { return opened.document.body.innerText } catch { return "" }
	})()`
	got, err := chromedp.Run(c.ctx, chromedp.Evaluate[string](
		fmt.Sprintf(opens, world.App.AdminURL()+"/console/sandbox"), chromedp.EvalAwaitPromise))
	if err != nil || got != "" {
		c.t.Errorf("a page that opens the console reads %q, %v", got, err)
	}
}

// stateOf returns what a foreign page might change: the clock, cards, the audit log, and the state
// of the controls.
func stateOf(t *testing.T, world *ledger.World) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	clock, err := controls.Get[controls.Clock](ctx, controls.New(world.App.AdminURL()), "clock")
	if err != nil {
		t.Fatal(err)
	}
	client := admin.New(world.App.AdminURL(), "sandbox-administrator")
	card, err := admin.Get[admin.CardDetail](ctx, client, "cards/5001")
	if err != nil {
		t.Fatal(err)
	}
	orders, err := admin.Page[admin.Order](ctx, client, "orders", nil)
	if err != nil {
		t.Fatal(err)
	}
	moved := time.Until(clock.Now).Abs() > time.Hour || clock.Frozen
	text, err := json.Marshal([]any{card, orders, moved})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
