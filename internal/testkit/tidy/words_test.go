package tidy

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"
)

// word is a word that no file may contain. A letter in brackets prevents the expressions from
// matching themselves.
type word struct {
	what string
	text *regexp.Regexp
}

var (
	anywhere = []word{
		{"a note for later", regexp.MustCompile(
			`\b(T[O]DO|F[I]XME)\b|(//|#|/\*|<!--)\s*X[X]X\b|\bX[X]X:`)},
		{"a mark of an unsolved merge", regexp.MustCompile(`^([<]{7}|[>]{7}) `)},
		{"a path of one machine", regexp.MustCompile(`(^|[^\w.~/$}*-])/([w]ork|[r]oot|[t]mp)\b`)},
	}
	// In documents these words may state a fact about the service. In code they are leftovers.
	inCode = []word{
		{"something that is missing", regexp.MustCompile(`\b[n]ot implemented\b`)},
		{"a comment with a dash that a colon or a full stop can replace",
			regexp.MustCompile("//.*\u2014")},
	}
)

// TestWords checks that no file contains a leftover word.
func TestWords(t *testing.T) {
	for _, name := range projectFiles(t) {
		text := readFile(t, name)
		// PDF and other binary documents are skipped.
		if strings.Contains(text, "\x00") {
			continue
		}
		report(t, checkWords(name, text, anywhere))
		if path.Ext(name) == ".go" {
			report(t, checkWords(name, text, inCode))
		}
	}
}

func TestWordsAreChecked(t *testing.T) {
	text := strings.Join([]string{
		"fine: code XX" + "X, $WORK/tmp, dir/tmp, /tmpl, https://example.com/tmp",
		"TO" + "DO: write it", "// FIX" + "ME", "// XX" + "X odd",
		"<<<<" + "<<< HEAD", "cd /wo" + "rk/main", "rm -r /tm" + "p", `"/ro` + `ot/x"`,
		"not" + " implemented", "\"\u2014\" /" + "/ One \u2014 two",
	}, "\n")
	expect(t, checkWords("a.md", text, anywhere),
		"a.md:2: a note for later: TO"+"DO",
		"a.md:3: a note for later: FIX"+"ME",
		"a.md:4: a note for later: // XX"+"X",
		"a.md:5: a mark of an unsolved merge: <<<<"+"<<<",
		"a.md:6: a path of one machine: /wo"+"rk",
		"a.md:7: a path of one machine: /tm"+"p",
		`a.md:8: a path of one machine: "/ro`+`ot`)
	expect(t, checkWords("a.go", text, inCode),
		"a.go:9: something that is missing: not"+" implemented",
		"a.go:10: a comment with a dash that a colon or a full stop can replace: /"+"/ One \u2014")
}

// checkWords checks a file line by line.
func checkWords(name, text string, words []word) []string {
	var findings []string
	number := 0
	for line := range strings.Lines(text) {
		number++
		for _, w := range words {
			match := strings.TrimSpace(w.text.FindString(line))
			if match != "" {
				findings = append(findings,
					fmt.Sprintf("%s:%d: %s: %s", name, number, w.what, match))
			}
		}
	}
	return findings
}
