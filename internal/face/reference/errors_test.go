package reference

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"mintmark/internal/domain/fault"
)

// TestErrorsPageShowsEveryRow checks that the page shows each row of the catalogue: anchor,
// message, meaning and cure.
func TestErrorsPageShowsEveryRow(t *testing.T) {
	t.Parallel()
	page := string(errorsPage("Mintmark 1.2"))
	text := html.UnescapeString(page)
	shown := 0
	for _, e := range fault.Entries() {
		shown++
		for _, want := range []string{e.Message, e.Meaning, e.Cure, e.Reserved} {
			if !strings.Contains(text, want) {
				t.Errorf("%d: the page does not say %q", e.Code, want)
			}
		}
	}
	places := regexp.MustCompile(`id="([0-9-]+)"`).FindAllStringSubmatch(page, -1)
	taken := make(map[string]bool)
	for _, place := range places {
		if taken[place[1]] {
			t.Errorf("two rows stand at #%s", place[1])
		}
		taken[place[1]] = true
	}
	if len(places) != shown || !taken["150801-1"] {
		t.Errorf("%d rows have %d places: %v", shown, len(places), taken)
	}
	if !strings.Contains(page, "<title>Errors - Mintmark 1.2</title>") {
		t.Error("the page does not say of which version it is")
	}
}

// TestErrorsPageIsPlain checks that the page works under a policy that forbids inline scripts and
// styles.
func TestErrorsPageIsPlain(t *testing.T) {
	t.Parallel()
	page := string(errorsPage("Mintmark"))
	text := regexp.MustCompile(`<script|<style|style=| on[a-z]+=|https?:`).FindString(page)
	if text != "" {
		t.Errorf("the page holds %q", text)
	}
	for _, link := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(page, `id="`+link[1]+`"`) {
			t.Errorf("the link to #%s leads nowhere", link[1])
		}
	}
}
