package tidy

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	maxFunction = 70  // lines, from the signature to the closing brace
	maxColumns  = 100 // a tab counts 4
	maxFile     = 500 // lines

	maxStorePackage = 1700 // lines of a package below internal/store, without its tests
)

// TestSizes checks the limits that keep code small enough to understand.
func TestSizes(t *testing.T) {
	for _, s := range goSources(t) {
		report(t, checkSizes(s))
	}
}

func TestSizesAreChecked(t *testing.T) {
	wide := "// " + strings.Repeat("é", 98) + "\n"
	long := "func f() {" + strings.Repeat("\n", 70) + "}\n"
	fits := "type a struct {\n\tb int `c:\"" + strings.Repeat("d", 100) + "\"`\n}\n" +
		"// See https://example.com/" + strings.Repeat("e", 100) + ".\n" +
		"func g() {" + strings.Repeat("\n", 69) + "}\n"
	expect(t, checkSizes(parse(t, "a.go", "package a\n"+fits+wide+long)),
		"a.go:76: the line has 101 columns",
		"a.go:77: the function has 71 lines")
	tabs := "var a = []int{\n" + strings.Repeat("\t", 24) + "12345,\n}\n"
	expect(t, checkSizes(parse(t, "a.go", "package a\n"+tabs)), "a.go:3: the line has 102 columns")
	expect(t, checkSizes(parse(t, "a.go", "package a\n"+strings.Repeat("\n", 500))),
		"a.go:501: the file has 501 lines")
}

// TestStorePackagesAreSmall limits the packages of the store, because a store tends to grow into
// one large package. The suite of tests may be long.
func TestStorePackagesAreSmall(t *testing.T) {
	for _, group := range byPackage(goSources(t)) {
		dir, lines := group[0].dir(), 0
		for _, s := range group {
			if !strings.HasSuffix(s.path, "_test.go") {
				lines += strings.Count(s.text, "\n")
			}
		}
		if within(dir, "internal/store") && dir != "internal/store/storetest" &&
			lines > maxStorePackage {
			t.Errorf("%s has %d lines, and may have %d", dir, lines, maxStorePackage)
		}
	}
}

// TestTablesAreNotCounted holds that the rows of a table do not count in tests, and do count
// elsewhere.
func TestTablesAreNotCounted(t *testing.T) {
	text := "package a\n\nfunc f() {\n\t_ = []int{\n" + strings.Repeat("\t\t1,\n", 80) + "\t}\n}\n"
	expect(t, checkSizes(parse(t, "a_test.go", text)))
	expect(t, checkSizes(parse(t, "a.go", text)), "a.go:3: the function has 84 lines")
}

func checkSizes(s source) []string {
	var findings []string
	unbreakable := tagLines(s)
	number := 0
	for line := range strings.Lines(s.text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		columns := columnsOf(line)
		if columns > maxColumns && !unbreakable[number] {
			findings = append(findings,
				s.finding(number, fmt.Sprintf("the line has %d columns", columns)))
		}
	}
	if number > maxFile {
		findings = append(findings, s.finding(number, fmt.Sprintf("the file has %d lines", number)))
	}

	ast.Inspect(s.file, func(node ast.Node) bool {
		switch node.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			lines := functionLines(s, node)
			if lines > maxFunction {
				findings = append(findings, s.finding(s.line(node.Pos()),
					fmt.Sprintf("the function has %d lines", lines)))
			}
		}
		return true
	})
	return findings
}

// functionLines counts the lines of a function. In a test the rows of a table do not count: there
// are as many as cases, and each is read by itself.
func functionLines(s source, function ast.Node) int {
	lines := s.line(function.End()) - s.line(function.Pos()) + 1
	if !s.isTest() {
		return lines
	}
	ast.Inspect(function, func(node ast.Node) bool {
		literal, ok := node.(*ast.CompositeLit)
		if !ok {
			return true
		}
		switch literal.Type.(type) {
		case *ast.ArrayType, *ast.MapType:
			lines -= max(0, s.line(literal.Rbrace)-s.line(literal.Lbrace)-1)
			return false
		}
		return true
	})
	return lines
}

// tagLines returns the lines that end in a struct tag, which Go does not let wrap.
func tagLines(s source) map[int]bool {
	lines := make(map[int]bool)
	ast.Inspect(s.file, func(node ast.Node) bool {
		field, ok := node.(*ast.Field)
		if ok && field.Tag != nil {
			lines[s.line(field.Tag.Pos())] = true
		}
		return true
	})
	return lines
}

// columnsOf counts the columns of a line. An address and a directive cannot be wrapped and do not
// count.
func columnsOf(line string) int {
	if strings.HasPrefix(line, "//go:") {
		return 0
	}
	line = address.ReplaceAllString(line, "")
	return utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
}

var address = regexp.MustCompile(`https?://\S+`)
