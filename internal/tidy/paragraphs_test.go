package tidy

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// TestPackageParagraphs holds that every package has a package comment.
func TestPackageParagraphs(t *testing.T) {
	report(t, checkParagraphs(goSources(t)))
}

func TestPackageParagraphsAreChecked(t *testing.T) {
	expect(t, checkParagraphs([]source{
		parse(t, "good/a.go", "package good\n"),
		parse(t, "good/b.go", "// Package good owns a. The\n// rest is b's.\npackage good\n"),
		parse(t, "cmd/a.go", "// Mintmark does a. It does b.\npackage main\n"),
		parse(t, "tests/a_test.go", "// Package tests tests. That is all.\npackage tests_test\n"),
		parse(t, "none/a.go", "// A license.\n\npackage none\n"),
		parse(t, "none/a_test.go", "// Package none is a test. It does not count.\npackage none\n"),
		parse(t, "short/a.go", "// Package short is version 1.2 of it.\npackage short\n"),
		parse(t, "other/a.go", "// This package is odd. It really is.\npackage other\n"),
		parse(t, "cmd2/a.go", "// Package main is odd. It really is.\npackage main\n"),
	}),
		"none: no package paragraph",
		`short: the package paragraph has less than two sentences`,
		`other: the package paragraph does not begin with "Package other "`,
		`cmd2: the package paragraph does not begin with "Mintmark "`)
}

func checkParagraphs(sources []source) []string {
	var findings []string
	for _, group := range byPackage(sources) {
		dir, file := group[0].dir(), documented(group)
		switch {
		case file == nil:
			findings = append(findings, dir+": no package paragraph")
		case !strings.HasPrefix(file.Doc.Text(), opening(file)):
			findings = append(findings,
				dir+": the package paragraph does not begin with \""+opening(file)+"\"")
		case len(sentenceEnd.FindAllString(file.Doc.Text(), 2)) < 2:
			findings = append(findings, dir+": the package paragraph has less than two sentences")
		}
	}
	return findings
}

// sentenceEnd is a full stop that ends a sentence; the one in 1.2 does not.
var sentenceEnd = regexp.MustCompile(`[.?!]\s`)

// documented returns the file with the paragraph. It may be a test only in a package of tests.
func documented(sources []source) *ast.File {
	var inCode, inTests *ast.File
	onlyTests := true
	for _, s := range sources {
		onlyTests = onlyTests && s.isTest()
		if s.file.Doc == nil {
			continue
		}
		if s.isTest() {
			inTests = s.file
		} else {
			inCode = s.file
		}
	}
	if onlyTests {
		return inTests
	}
	return inCode
}

// opening returns the first words of a package comment.
func opening(file *ast.File) string {
	if file.Name.Name == "main" {
		return "Mintmark "
	}
	return "Package " + strings.TrimSuffix(file.Name.Name, "_test") + " "
}
