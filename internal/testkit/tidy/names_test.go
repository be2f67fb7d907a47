package tidy

import (
	"go/ast"
	"go/token"
	"slices"
	"testing"
)

// noNames lists words that continue a sentence instead of naming the content of a variable.
var noNames = []string{"asked", "found", "is", "made", "one"}

// TestNames checks that a variable is named after its content, and a condition ok.
func TestNames(t *testing.T) {
	for _, s := range goSources(t) {
		report(t, checkNames(s))
	}
}

func TestNamesAreChecked(t *testing.T) {
	expect(t, checkNames(parse(t, "a.go", `package a

var made int

func f(one string, c card) (is bool) {
	found, ok := find(one)
	for _, one := range found {
		one = found
		c.found = one
	}
	switch asked := c.any.(type) {
	}
}
`)),
		"a.go:3: made is no name for a variable",
		"a.go:5: one is no name for a variable",
		"a.go:5: is is no name for a variable",
		"a.go:6: found is no name for a variable",
		"a.go:7: one is no name for a variable",
		"a.go:11: asked is no name for a variable")
}

// checkNames reports variables, parameters and results with a name in noNames.
func checkNames(s source) (findings []string) {
	check := func(names ...ast.Expr) {
		for _, e := range names {
			name, ok := e.(*ast.Ident)
			if ok && slices.Contains(noNames, name.Name) {
				findings = append(findings,
					s.finding(s.line(name.Pos()), name.Name+" is no name for a variable"))
			}
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				check(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				check(n.Key, n.Value)
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				check(name)
			}
		case *ast.FuncType:
			for _, list := range []*ast.FieldList{n.Params, n.Results} {
				if list == nil {
					continue
				}
				for _, field := range list.List {
					for _, name := range field.Names {
						check(name)
					}
				}
			}
		}
		return true
	})
	return findings
}
