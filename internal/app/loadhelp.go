package app

import (
	"strings"

	"mintmark/internal/load"
)

// What the command line tells about the file that Load reads: its lists, and a small example.
var (
	LoadSummary = load.Summary()
	LoadExample = indented(load.Example)
)

// indented moves a text to the right, so that the help leaves its lines as they are.
func indented(text string) string {
	var moved strings.Builder
	for line := range strings.Lines(text) {
		moved.WriteString("  " + line)
	}
	return moved.String()
}
