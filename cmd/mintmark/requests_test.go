package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"mintmark/internal/testkit/golden"
)

// Patterns for a word of an example, for a quoted part, and for a time, which may depend on the
// current time.
var (
	word   = regexp.MustCompile(`(?:"[^"]*"|'[^']*'|\S)+`)
	quoted = regexp.MustCompile(`"([^"]*)"|'([^']*)'`)
	timed  = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d(:|%3A)\d\d(:|%3A)\d\dZ`)
)

// readsFile has the commands whose examples need a file.
var readsFile = map[string]bool{
	"document pdf": true, "feed": true, "program create": true, "reconciliation run": true,
}

// TestRequests compares the requests sent by the examples of commands with
// testdata/requests.golden.
func TestRequests(t *testing.T) {
	t.Setenv("MINTMARK_TOKEN", "a-token")
	var sent, out bytes.Buffer
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(&sent, "  %s %s", r.Method, r.URL.RequestURI())
		for _, name := range []string{"If-Match", "Mintmark-Reason"} {
			if value := r.Header.Get(name); value != "" {
				fmt.Fprintf(&sent, " %s=%s", name, value)
			}
		}
		if len(body) > 0 {
			fmt.Fprintf(&sent, " %s", body)
		}
		fmt.Fprintln(&sent)
		fmt.Fprintln(w, `{"revision":9,"items":[]}`)
	}))
	defer server.Close()
	exited := -1
	parser, err := newParser(t.Context(), nil, console{&out, &out}, func(code int) { exited = code })
	if err != nil {
		t.Fatal(err)
	}
	for _, leaf := range leaves(t) {
		for _, e := range examples(leaf) {
			line, typed := strings.CutPrefix(e.line, "mintmark ")
			if !typed || !asks(leaf) || endless[e.command] || readsFile[e.command] ||
				e.ofMachine(true) {
				continue
			}
			line, _, _ = strings.Cut(line, " > ")
			line = strings.NewReplacer(" EVENT", " 17", " ORDER", " O17").Replace(line)
			words := word.FindAllString(line, -1)
			for i, w := range words {
				words[i] = quoted.ReplaceAllString(w, "$1$2")
			}
			fmt.Fprintln(&sent, "mintmark", line)
			words = append(words, "--server="+server.URL)
			if code := runParsed(t.Context(), parser, words, &exited); code != 0 {
				t.Errorf("%s: code %d: %s", line, code, out.String())
			}
		}
	}
	golden.Compare(t, "testdata/requests.golden", timed.ReplaceAll(sent.Bytes(), []byte("MOMENT")))
}
