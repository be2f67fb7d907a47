package load

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// TestPiecesAreTheWhole holds that a text means the same, or is refused, when it is parsed in
// pieces, however it is written. A text that only the whole parser takes is refused in pieces, and
// never the other way round.
func TestPiecesAreTheWhole(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.SampledFrom([]string{
			"", "# hush\n", "---\n", "--- # a\n", "--- {a: 1}\n",
		}).Draw(r, "begin")
		for _, list := range []string{"banks", "customers"} {
			head := rapid.SampledFrom([]string{"", " # b", "  "}).Draw(r, "head")
			text += list + ":" + head + "\n"
			indent := rapid.SampledFrom([]string{"", "  ", "    "}).Draw(r, "indent")
			filler := rapid.SampledFrom([]int{0, 0, 0, batchItems - 2}).Draw(r, "filler")
			text += strings.Repeat(indent+"- {a: b}\n", filler)
			for i := range rapid.IntRange(1, 5).Draw(r, "entries") {
				one := rapid.SampledFrom(entryStyles).Draw(r, "style")
				text += strings.NewReplacer("^", indent, "#N", fmt.Sprint(i+1)).Replace(one)
			}
		}
		text += rapid.SampledFrom([]string{"", "...\n", "# end", "...\n# end\n", "---\n"}).
			Draw(r, "end")
		if rapid.Bool().Draw(r, "crlf") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		whole, wholeErr := nodesOf(text, wholeBytes)
		pieces, piecesErr := nodesOf(text, 0)
		switch {
		case piecesErr != nil && !strings.Contains(fmt.Sprint(piecesErr), "cannot be told apart"):
			if wholeErr == nil {
				r.Fatalf("refused in pieces only: %v\n%s", piecesErr, text)
			}
		case piecesErr == nil && (wholeErr != nil || whole != pieces):
			r.Fatalf("whole %v\n%s\nin pieces\n%s\nof\n%s", wholeErr, whole, pieces, text)
		}
	})
}

// entryStyles are ways to write entry #N at the indentation ^.
var entryStyles = []string{
	"^- a: #N\n", "^- {a: #N}\n", "^-\n^  a: #N\n", "^-   a: #N\n^    b: 2\n",
	"^- a: #N\n^  b:\n^  - c\n",
	"^- a: #N\n\n# between\n", "^- a: #N\n^  b: |\n^    - c\n^    # d\n^  e: f\n",
	"^- a: #N # c\n",
	"^- {a: #N,\n^   b: [c,\n^   d]}\n", "^- &x {a: #N}\n",
	"^- a: 'b\n^   - c'\n", "^- ? a\n^  : #N\n",
	"^- a: \"b\n^    c\"\n", "^- - #N\n^  - b\n", "^- !!map {a: #N}\n",
	"^- a: >-\n^     b\n\n^     c\n", "^- #N\n",
	"^# d\n^- a: #N\n", "^-\ta: #N\n", "^- a: &y #N\n^  b: *y\n",
	"^- \n^  a: #N\n", "^- a: '- b'\n",
}

// nodesOf returns the entries of a text, with their lines.
func nodesOf(text string, whole int) (string, error) {
	data, err := read(fstest.MapFS{"a": {Data: []byte(text)}}, "a", whole)
	if err != nil {
		return "", err
	}
	var all strings.Builder
	for _, one := range data.parts() {
		for _, at := range one.items(data.problems) {
			fmt.Fprintln(&all, at.path, told(at.node, at.before))
		}
	}
	return all.String(), data.problems.Err()
}

// told is a node with the lines of the file on which its parts begin.
func told(node *yaml.Node, before int) string {
	text := fmt.Sprint(node.ShortTag(), node.Value, "@", before+node.Line)
	for _, one := range node.Content {
		text += "(" + told(one, before) + ")"
	}
	return text
}
