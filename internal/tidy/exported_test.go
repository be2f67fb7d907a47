package tidy

import (
	"go/ast"
	"go/token"
	"testing"
)

// TestExportedNames holds that whatever another package can use says what it is.
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

// Said is said.
type Said[T any] struct{}

func (s *Said[T]) Silent() {}
`)),
		"a.go:3: Bare has no comment",
		"a.go:6: Method has no comment",
		"a.go:9: Function has no comment",
		"a.go:11: Single has no comment",
		"a.go:14: A has no comment",
		"a.go:27: Silent has no comment")
}

func checkExported(s source) []string {
	var findings []string
	for _, decl := range s.file.Decls {
		for _, name := range uncommented(decl) {
			findings = append(findings, s.finding(s.line(name.Pos()), name.Name+" has no comment"))
		}
	}
	return findings
}

// uncommented returns the exported names of a declaration that nothing is said about.
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
		// The first name is the type's; those behind it are its parameters.
		return !ok && !exported
	})
	return exported
}
