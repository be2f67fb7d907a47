package sandbox

import (
	"os"
	"regexp"
	"testing"
)

var (
	shownRequest = regexp.MustCompile("(?m)^```http\n([A-Z]+) /sandbox/v1/(\\S+)$")
	placeholder  = regexp.MustCompile(`\{[^}]*\}`)
)

// TestPageHasEachRoute checks that docs/sandbox.md has an example of every route, and of no other.
// The tests of package app send the examples.
func TestPageHasEachRoute(t *testing.T) {
	text, err := os.ReadFile("../../../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := make(map[string]bool)
	for _, match := range shownRequest.FindAllStringSubmatch(string(text), -1) {
		shown[match[1]+" "+match[2]] = true
	}
	for _, row := range (&Controls{}).routes() {
		pattern := regexp.MustCompile("^" + row.method + " " +
			placeholder.ReplaceAllString(row.path, `[^/]+`) + "$")
		has := false
		for example := range shown {
			if pattern.MatchString(example) {
				has = true
				delete(shown, example)
			}
		}
		if !has {
			t.Errorf("the page has no example of %s %s", row.method, row.path)
		}
	}
	for example := range shown {
		t.Errorf("%s has no route", example)
	}
}
