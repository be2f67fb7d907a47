package main

import (
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shownCommand matches a command shown on a page of the console.
var shownCommand = regexp.MustCompile(`<code[^>]*>(mintmark [^<]*)</code>`)

// TestConsoleCommands checks that the parser accepts every command shown on a page of the console.
func TestConsoleCommands(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../internal/face/console/testdata/*/*.html")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range shownCommand.FindAllStringSubmatch(string(text), -1) {
			line, _, _ := strings.Cut(html.UnescapeString(match[1]), " > ")
			shown[strings.TrimPrefix(line, "mintmark ")] = true
		}
	}
	if len(shown) == 0 {
		t.Fatal("no page shows a command")
	}
	parser, err := newParser(t.Context(), nil, console{io.Discard, io.Discard}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	for line := range shown {
		if strings.HasPrefix(line, "audit verify ") { // the parser needs its files
			continue
		}
		// The shell splits the line into words.
		words, err := exec.CommandContext(t.Context(), "bash", "-c",
			`words() { printf '%s\n' "$@"; }; words `+line).Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		_, err = parser.Parse(strings.Split(strings.TrimSuffix(string(words), "\n"), "\n"))
		if err != nil {
			t.Errorf("mintmark %s: %v", line, err)
		}
	}
}
