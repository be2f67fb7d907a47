package tidy

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// word is a word that no file may contain. A letter in brackets keeps the expressions from
// matching themselves.
type word struct {
	what string
	text *regexp.Regexp
}

var (
	anywhere = []word{
		{"a note for later", regexp.MustCompile(
			`\b(T[O]DO|F[I]XME)\b|(//|#|/\*|<!--)\s*X[X]X\b|\bX[X]X:`)},
		{"a path of one machine", regexp.MustCompile(`(^|[^\w.~/$}*-])/([w]ork|[r]oot|[t]mp)\b`)},
	}
	// In the documents these words may state a fact about the service. In code they are a
	// leftover.
	inCode = []word{
		{"something that is missing", regexp.MustCompile(`\b[n]ot implemented\b`)},
	}
)

// TestWords holds that no leftover word is in the tree.
func TestWords(t *testing.T) {
	for _, name := range projectFiles(t) {
		text := readFile(t, name)
		// PDF and other binary documents are not read as text.
		if strings.Contains(text, "\x00") {
			continue
		}
		report(t, checkWords(name, text, anywhere))
		if path.Ext(name) == ".go" {
			report(t, checkWords(name, text, inCode))
		}
	}
	for _, s := range goSources(t) {
		report(t, checkCode(s))
	}
}

func TestWordsAreChecked(t *testing.T) {
	text := strings.Join([]string{
		"fine: code XX" + "X, $WORK/tmp, dir/tmp, /tmpl, https://example.com/tmp",
		"TO" + "DO: write it", "// FIX" + "ME", "// XX" + "X odd",
		"cd /wo" + "rk/main", "rm -r /tm" + "p", `"/ro` + `ot/x"`,
		"not" + " implemented",
	}, "\n")
	expect(t, checkWords("a.md", text, anywhere),
		"a.md:2: a note for later: TO"+"DO",
		"a.md:3: a note for later: FIX"+"ME",
		"a.md:4: a note for later: // XX"+"X",
		"a.md:5: a path of one machine: /wo"+"rk",
		"a.md:6: a path of one machine: /tm"+"p",
		`a.md:7: a path of one machine: "/ro`+`ot`)
	expect(t, checkWords("a.go", text, inCode),
		"a.go:8: something that is missing: not"+" implemented")
}

func TestCodeIsChecked(t *testing.T) {
	expect(t, checkCode(parse(t, "a.go", `package a

// One — two.
func f(t *testing.T, r *rapid.T) {
	t.Skip()
	r.Skip()
	t.Skipf("—")
	t.Run("", func(t *testing.T) { t.SkipNow() })
	t.SkipValue()
}

func g(t *rapid.T) { t.Skip() }
`)),
		"a.go:5: a test is skipped",
		"a.go:7: a test is skipped",
		"a.go:8: a test is skipped",
		"a.go:3: a comment with a dash that a colon or a full stop can replace")
}

// checkWords checks a file line by line.
func checkWords(name, text string, words []word) []string {
	var findings []string
	number := 0
	for line := range strings.Lines(text) {
		number++
		for _, w := range words {
			found := strings.TrimSpace(w.text.FindString(line))
			if found != "" {
				findings = append(findings,
					fmt.Sprintf("%s:%d: %s: %s", name, number, w.what, found))
			}
		}
	}
	return findings
}

// checkCode looks for skipped tests and for dashes in comments. A skipped test proves nothing and
// goes unnoticed.
func checkCode(s source) []string {
	var findings []string
	ast.Inspect(s.file, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if ok && skips[method.Sel.Name] && !ofRapid(s, method.X) {
			findings = append(findings, s.finding(s.line(call.Pos()), "a test is skipped"))
		}
		return true
	})
	for _, group := range s.file.Comments {
		for _, comment := range group.List {
			if strings.Contains(comment.Text, "\u2014") {
				findings = append(findings, s.finding(s.line(comment.Pos()),
					"a comment with a dash that a colon or a full stop can replace"))
			}
		}
	}
	return findings
}

var skips = map[string]bool{"Skip": true, "Skipf": true, "SkipNow": true}

// ofRapid reports whether a name is a parameter of type *rapid.T. Skipping there discards one
// drawn case, and rapid fails a test that discards too many.
func ofRapid(s source, name ast.Expr) bool {
	used, ok := name.(*ast.Ident)
	if !ok {
		return false
	}
	found := false
	ast.Inspect(s.file, func(node ast.Node) bool {
		if node == nil || used.Pos() < node.Pos() || node.End() <= used.Pos() {
			return false
		}
		for _, parameter := range parametersOf(node) {
			// The innermost function that has the parameter is inspected last, and decides.
			if slices.ContainsFunc(parameter.Names, sameName(used)) {
				pointer, ok := parameter.Type.(*ast.StarExpr)
				found = ok && isQualified(pointer.X, "rapid", "T")
			}
		}
		return true
	})
	return found
}

func sameName(a *ast.Ident) func(*ast.Ident) bool {
	return func(b *ast.Ident) bool { return a.Name == b.Name }
}

// parametersOf returns the parameters of a node that is a function.
func parametersOf(node ast.Node) []*ast.Field {
	switch function := node.(type) {
	case *ast.FuncDecl:
		return function.Type.Params.List
	case *ast.FuncLit:
		return function.Type.Params.List
	}
	return nil
}
