package golden

import (
	"regexp"
	"strings"
	"testing"
)

// changing matches what differs from run to run: times, keys and digests, sizes, links, and the
// spaces between columns.
var changing = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f]{32,64}|\d+ bytes, after \S+\.` +
	`|invitation/\S+| {2,}`)

// CheckOutput checks that the text blocks in a section of a document appear in the output of its
// commands, in order. A line "..." in a block stands for any number of lines.
func CheckOutput(t *testing.T, section, said string) {
	t.Helper()
	masked := func(text string) string { return changing.ReplaceAllString(text, " ") }
	rest, chunks := masked(said), 0
	for _, block := range strings.Split(section, "```text\n")[1:] {
		block, _, _ = strings.Cut(block, "\n```")
		for chunk := range strings.SplitSeq(block, "\n...\n") {
			_, behind, ok := strings.Cut(rest, masked(chunk))
			if !ok {
				t.Errorf("this is not shown, or too early:\n%s\nonly:\n%s", chunk, masked(said))
				return
			}
			rest, chunks = behind, chunks+1
		}
	}
	if chunks == 0 {
		t.Error("the section shows nothing")
	}
}
