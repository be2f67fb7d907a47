package tidy

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestExportedNames holds that every exported name has a comment, in more words than the name has.
func TestExportedNames(t *testing.T) {
	for _, s := range goSources(t) {
		if !s.isTest() {
			report(t, checkExported(s))
		}
	}
}

func TestExportedNamesAreChecked(t *testing.T) {
	expect(t, checkExported(parse(t, "a.go", `package a

type Bare struct{}
type hidden struct{}

func (Bare) Method() {}
func (*Bare) method() {}
func (hidden) Method() {}
func Function() {}

const Single = 1

var (
	A, B = 1, 2
	C    = 3 // which is said here
)

// A group speaks for all of its names.
const (
	D = iota
	E
)

// Said shows a type with a parameter.
type Said[T any] struct{}

func (s *Said[T]) Silent() {}

// ReadAll reads it all.
func ReadAll() {}

// Close is there to close it.
func (s *Said[T]) Close() {}

// Flush empties the buffer.
func (s *Said[T]) Flush() {}

// Buffer is a buffer.
type Buffer struct{}
`)),
		"a.go:3: Bare has no comment",
		"a.go:6: Method has no comment",
		"a.go:9: Function has no comment",
		"a.go:11: Single has no comment",
		"a.go:14: A has no comment",
		"a.go:27: Silent has no comment",
		"a.go:30: the comment of ReadAll says no more than its name",
		"a.go:33: the comment of Close says no more than its name",
		"a.go:39: the comment of Buffer says no more than its name")
}

func checkExported(s source) []string {
	var findings []string
	for _, decl := range s.file.Decls {
		for _, name := range uncommented(decl) {
			findings = append(findings, s.finding(s.line(name.Pos()), name.Name+" has no comment"))
		}
		if name, comment := described(decl); comment != nil && !informs(name.Name, comment.Text()) {
			findings = append(findings, s.finding(s.line(name.Pos()),
				"the comment of "+name.Name+" says no more than its name"))
		}
	}
	return findings
}

// described returns the exported name that a comment is about, if there is one such name.
func described(decl ast.Decl) (*ast.Ident, *ast.CommentGroup) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Name.IsExported() && reachable(decl.Recv) {
			return decl.Name, decl.Doc
		}
	case *ast.GenDecl:
		if decl.Tok == token.TYPE && !decl.Lparen.IsValid() {
			if spec, ok := decl.Specs[0].(*ast.TypeSpec); ok && spec.Name.IsExported() {
				return spec.Name, decl.Doc
			}
		}
	}
	return nil, nil
}

var (
	words   = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+|[0-9]+`)
	fillers = strings.Fields("a all an and are as be by can does for from has have in is it its " +
		"of on or returns so that the then there they this to what when which with")
)

// informs reports whether a comment has two words that are not forms of those in the name. Words
// that stand in every sentence do not count.
func informs(name, comment string) bool {
	known := words.FindAllString(name, -1)
	fresh := 0
	for _, word := range words.FindAllString(comment, -1) {
		word = strings.ToLower(word)
		repeats := func(part string) bool {
			return strings.HasPrefix(word, strings.TrimSuffix(strings.ToLower(part), "e"))
		}
		if !slices.Contains(fillers, word) && !slices.ContainsFunc(known, repeats) {
			fresh++
		}
	}
	return fresh >= 2
}

// uncommented returns the exported names of a declaration without a comment.
func uncommented(decl ast.Decl) []*ast.Ident {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Doc == nil && decl.Name.IsExported() && reachable(decl.Recv) {
			return []*ast.Ident{decl.Name}
		}
	case *ast.GenDecl:
		if decl.Doc != nil || decl.Tok == token.IMPORT {
			return nil
		}
		var names []*ast.Ident
		for _, spec := range decl.Specs {
			name := firstExported(spec)
			if name != nil {
				names = append(names, name)
			}
		}
		return names
	}
	return nil
}

// firstExported returns the first exported name of a line that has no comment of its own.
func firstExported(spec ast.Spec) *ast.Ident {
	var names []*ast.Ident
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Doc == nil && spec.Comment == nil {
			names = []*ast.Ident{spec.Name}
		}
	case *ast.ValueSpec:
		if spec.Doc == nil && spec.Comment == nil {
			names = spec.Names
		}
	}
	for _, name := range names {
		if name.IsExported() {
			return name
		}
	}
	return nil
}

// reachable reports whether another package can name the receiver of a method. A function
// without a receiver is reachable.
func reachable(receiver *ast.FieldList) bool {
	if receiver == nil {
		return true
	}
	exported := false
	ast.Inspect(receiver.List[0].Type, func(node ast.Node) bool {
		name, ok := node.(*ast.Ident)
		if ok {
			exported = name.IsExported()
		}
		// The first name is the type's; the following are its parameters.
		return !ok && !exported
	})
	return exported
}
