package golden

import (
	"regexp"
	"strings"
	"testing"
)

// changing is what differs from run to run: moments, keys and digests, sizes, links, and the
// room between columns.
var changing = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f]{32,64}|\d+ bytes, after \S+\.` +
	`|invitation/\S+| {2,}`)

// Shown holds that a section of a document shows what its commands say: each of its blocks of text is
// in what was said, in their order. A line of three points stands for any number of lines.
func Shown(t *testing.T, section, said string) {
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
