package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/app"
	"mintmark/internal/base/clock"
)

// june is the time at which the sandboxes of the tests begin.
var june = time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)

// startSandbox starts a sandbox in memory, frozen in june.
func startSandbox(t *testing.T) *app.App {
	t.Helper()
	seed := uint64(1)
	running, err := app.Start(t.Context(), app.Settings{
		Sandbox: true, Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0", Seed: &seed,
		Clock: clock.FrozenAt(june),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := running.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return running
}

// send sends a request, with the credentials of example1 in case it is a caller's.
func send(
	t *testing.T, method, address, body string,
) (status int, header http.Header, text string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address,
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth("example1", "example1")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(answer)
}

// example is a request of docs/sandbox.md with its response.
type example struct {
	method, path, body string
	status             int
	answer             string
}

var fences = regexp.MustCompile(
	"(?s)```http\n([A-Z]+) /sandbox/v1/(\\S+)\n(.*?)\n?\n(\\d+)\n(.*?)```")

func examples(t *testing.T) []example {
	t.Helper()
	text, err := os.ReadFile("../../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	var all []example
	for _, match := range fences.FindAllStringSubmatch(string(text), -1) {
		status, err := strconv.Atoi(match[4])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, example{match[1], match[2], match[3], status, match[5]})
	}
	if want := strings.Count(string(text), "```http"); len(all) != want {
		t.Fatalf("%d of %d examples can be read", len(all), want)
	}
	return all
}

// TestSandboxPage sends every example of docs/sandbox.md to a fresh sandbox, in their order.
func TestSandboxPage(t *testing.T) {
	t.Parallel()
	running := startSandbox(t)
	names := map[string]string{} // ids by the names that the page uses for them
	for _, e := range examples(t) {
		if e.path == "requests" {
			send(t, "GET", running.URL()+"/program/get", "")
		}
		path := e.path
		for name, id := range names {
			path = strings.ReplaceAll(path, name, id)
		}
		status, header, text := send(t, e.method, running.AdminURL()+"/sandbox/v1/"+path, e.body)
		if header.Get("Mintmark-Environment") != "sandbox" {
			t.Errorf("%s %s: the header is %q", e.method, path, header)
		}
		if diff := compare(t, e.answer, text, names); status != e.status || diff != "" {
			t.Errorf("%s %s %s: %d %s\n(-page +answer):\n%s", e.method, path, e.body, status, text,
				diff)
		}
	}
}

// invented matches the names that the page uses for ids.
var invented = regexp.MustCompile(`^(HOLD|AUTH|FAULT)-\d$`)

// compare returns the difference between a response and the page. On the page, "..." matches
// anything, and a name matches an id, the same one wherever the name appears.
func compare(t *testing.T, page, answer string, names map[string]string) string {
	t.Helper()
	if strings.TrimSpace(page) == "" {
		return cmp.Diff("", answer)
	}
	want, got := decoded(t, page), decoded(t, answer)
	if object, ok := got.(map[string]any); ok {
		delete(object, "requestId")
	}
	return cmp.Diff(fill(want, got, names), got)
}

func decoded(t *testing.T, text string) any {
	t.Helper()
	var value any
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

// fill replaces the placeholders of the page with the values of the response.
func fill(page, got any, names map[string]string) any {
	switch page := page.(type) {
	case string:
		if page == "..." && got != nil {
			return got
		}
		if id, ok := got.(string); ok && invented.MatchString(page) {
			if names[page] == "" {
				names[page] = id
			}
			return names[page]
		}
	case map[string]any:
		of, _ := got.(map[string]any)
		for name := range page {
			page[name] = fill(page[name], of[name], names)
		}
	case []any:
		of, _ := got.([]any)
		for i := range page {
			if i < len(of) {
				page[i] = fill(page[i], of[i], names)
			}
		}
	}
	return page
}
