package rows

import (
	"strings"

	"mintmark/internal/importer/load"
)

// The help texts about the file that Load reads: its lists, and a small example.
var (
	LoadSummary = load.Summary()
	LoadExample = indented(load.Example)
)

// indented indents a text, so that the help output preserves its line breaks.
func indented(text string) string {
	var moved strings.Builder
	for line := range strings.Lines(text) {
		moved.WriteString("  " + line)
	}
	return moved.String()
}
