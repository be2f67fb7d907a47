package e2e

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"mintmark/e2e/ledger"
	"mintmark/e2e/recording"
	"mintmark/internal/app"
	"mintmark/internal/operate/installation"
)

// ask sends a request to an address, with headers that may include another host name.
func ask(t *testing.T, method, address string, headers map[string]string) (
	status int, header http.Header, body string,
) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth("example1", "example1")
	for name, value := range headers {
		request.Header.Set(name, value)
		if name == "Host" {
			request.Host = value
		}
	}
	response, err := recording.Transport(t).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(text)
}

// TestSandboxDoors sends requests to both addresses of a sandbox as web pages would: its own pages,
// those of other servers, and those whose host name was pointed at its address.
func TestSandboxDoors(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{SandboxHosts: []string{"Cards.Test"}})
	public, admin := world.App.URL(), world.App.AdminURL()
	port := func(address string) string { return address[strings.LastIndex(address, ":"):] }
	link := map[string]string{
		"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
	}
	for _, row := range []struct {
		name    string
		headers map[string]string
		in      bool
	}{
		{"its own address", nil, true},
		{"a loopback name", map[string]string{"Host": "localhost" + port(public)}, true},
		{"a port that leads here", map[string]string{"Host": "LOCALHOST:9"}, true},
		{"a loopback address", map[string]string{"Host": "[::1]:80"}, true},
		{"another one", map[string]string{"Host": "127.8.0.1"}, true},
		{"a given name", map[string]string{"Host": "cards.test"}, true},
		{"the same page", map[string]string{
			"Host": "cards.test:9", "Origin": "http://cards.test:9",
			"Sec-Fetch-Site": "same-origin"}, true},
		{"its other address by another name", map[string]string{
			"Origin": "http://localhost" + port(admin), "Sec-Fetch-Site": "cross-site"}, true},
		{"its public address", map[string]string{"Origin": public}, true},
		{"its admin address", map[string]string{
			"Origin": admin, "Sec-Fetch-Site": "same-site"}, true},

		{"a name that was given its address", map[string]string{"Host": "evil.test"}, false},
		{"one that begins well", map[string]string{"Host": "localhost.evil.test"}, false},
		{"one that ends well", map[string]string{"Host": "evil-localhost"}, false},
		{"an address of elsewhere", map[string]string{"Host": "192.0.2.1"}, false},
		{"no name", map[string]string{"Host": ":80"}, false},
		{"another page", map[string]string{"Origin": "https://evil.test"}, false},
		{"a page without a name", map[string]string{"Origin": "null"}, false},
		{"a page on this machine", map[string]string{
			"Origin": "http://localhost:1", "Sec-Fetch-Site": "same-site"}, false},
		{"a page of the same name", map[string]string{
			"Host": "cards.test", "Origin": "http://cards.test:1"}, false},
		{"a page that hides its name", map[string]string{"Sec-Fetch-Site": "cross-site"}, false},
		{"a link to the interface", link, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			status, header, body := ask(t, "GET", public+"/program/get", row.headers)
			if row.in != (status == http.StatusOK) {
				t.Errorf("the interface answers %d %s", status, body)
			}
			if !row.in {
				reply := ledger.ReadReply(t, status, header, []byte(body))
				wantCode(t, reply, 59999)
			}
			status, header, body = ask(t, "GET", admin+"/healthz", row.headers)
			if row.in != (status == http.StatusNoContent) {
				t.Errorf("the admin address answers %d %s", status, body)
			}
			if !row.in {
				same(t, "status", status, http.StatusForbidden)
				same(t, "Content-Type", header.Get("Content-Type"), "application/problem+json")
				if !json.Valid([]byte(body)) {
					t.Errorf("the problem is %s", body)
				}
			}
		})
	}
	// Any page may link to the reference, but no page may show it in a frame.
	status, header, _ := ask(t, "GET", public+"/docs", link)
	same(t, "a link to the reference", status, http.StatusOK)
	if !strings.HasSuffix(header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
		t.Errorf("the policy is %q", header.Get("Content-Security-Policy"))
	}
	frame := maps.Clone(link)
	frame["Sec-Fetch-Dest"] = "iframe"
	status, _, _ = ask(t, "GET", public+"/docs", frame)
	same(t, "the reference in a frame", status, http.StatusBadRequest)
}

// TestSandboxSharesWithItself sends requests to the interface as the page on the admin address
// does, which is another origin to a browser.
func TestSandboxSharesWithItself(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	public, admin := world.App.URL(), world.App.AdminURL()
	preflight := map[string]string{
		"Origin": admin, "Access-Control-Request-Method": "POST",
		"Access-Control-Request-Headers": "authorization,content-type",
	}
	status, header, _ := ask(t, "OPTIONS", public+"/card/lock", preflight)
	same(t, "may it ask", status, http.StatusNoContent)
	same(t, "allowed origin", header.Get("Access-Control-Allow-Origin"), admin)
	for _, name := range []string{"Authorization", "Content-Type"} {
		if !strings.Contains(header.Get("Access-Control-Allow-Headers"), name) {
			t.Errorf("it may send only %s", header.Get("Access-Control-Allow-Headers"))
		}
	}
	status, header, _ = ask(t, "GET", public+"/program/get", map[string]string{"Origin": admin})
	same(t, "it asks", status, http.StatusOK)
	same(t, "origin allowed to read", header.Get("Access-Control-Allow-Origin"), admin)

	preflight["Origin"] = "https://evil.test"
	status, header, _ = ask(t, "OPTIONS", public+"/card/lock", preflight)
	same(t, "may another page ask", status, http.StatusBadRequest)
	same(t, "allowed origin", header.Get("Access-Control-Allow-Origin"), "")
	// Without an Origin header, OPTIONS is a method like any other.
	status, _, _ = ask(t, "OPTIONS", public+"/card/lock", nil)
	same(t, "OPTIONS", status, http.StatusMethodNotAllowed)
}

// TestProductionHasNoDoors checks that callers of a production server may use any host name.
func TestProductionHasNoDoors(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if _, err := installation.Init(t.Context(), installation.Location{Data: data}, false); err != nil {
		t.Fatal(err)
	}
	running, err := app.Start(t.Context(), app.Settings{
		Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0", Data: data,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = running.Close(t.Context()) })
	anywhere := map[string]string{"Host": "cards.bank.example", "Origin": "https://bank.example"}
	status, _, body := ask(t, "GET", running.URL()+"/program/get", anywhere)
	if status != http.StatusForbidden || !strings.Contains(body, "50403") {
		t.Errorf("the interface answers %d %s", status, body) // no key allows the address
	}
	status, _, _ = ask(t, "GET", running.AdminURL()+"/healthz", anywhere)
	same(t, "the admin address", status, http.StatusNoContent)
}
