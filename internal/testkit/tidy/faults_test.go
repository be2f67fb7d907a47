package tidy

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"

	"mintmark/internal/domain/fault"
)

// TestFaultArguments checks that each call of fault.New, and of a method Add or add that passes a
// kind and its arguments on to it, fills exactly the blanks of the message. The compiler cannot
// check this: the arguments are variadic and of type any.
func TestFaultArguments(t *testing.T) {
	sources := goSources(t)
	blanks := blanksOfKinds(t, sources)
	for _, s := range sources {
		report(t, checkFaults(s, blanks))
	}
}

func TestFaultArgumentsAreChecked(t *testing.T) {
	expect(t, checkFaults(parse(t, "a.go", `package a

func f(l fault.List, err error) {
	fault.New(fault.None)
	fault.New(fault.None, 1)
	fault.New(fault.Two, 1, 2)
	fault.New(fault.Two, 1)
	fault.New(fault.Two)
	l.Add(fault.Two, 1, 2, 3)
	errors.Is(err, fault.New(fault.Two))
	errors.Is(err, fault.New(fault.Two, 1))
	errors.Is(fault.New(fault.Two), err)
	fault.New(fault.Two, args...)
	fault.New(kind, 1)
	wg.Add(1)
	findings.add("x", fault.Two, 1)
	with(other, fault.Two, fault.One)
	expect(err, fault.One)
}
`), map[string]int{"None": 0, "One": 1, "Two": 2}),
		"a.go:5: None has 0 blanks and gets 1 arguments",
		"a.go:7: Two has 2 blanks and gets 1 arguments",
		"a.go:8: Two has 2 blanks and gets 0 arguments",
		"a.go:9: Two has 2 blanks and gets 3 arguments",
		"a.go:11: Two has 2 blanks and gets 1 arguments",
		"a.go:12: Two has 2 blanks and gets 0 arguments",
		"a.go:16: Two has 2 blanks and gets 1 arguments")
}

// blanksOfKinds returns the number of blanks in the message of each kind, by the name of its
// constant.
func blanksOfKinds(t *testing.T, sources []source) map[string]int {
	t.Helper()
	blanks := make(map[string]int)
	for _, s := range sources {
		if s.path != "internal/domain/fault/kind.go" {
			continue
		}
		// The constants count from 0 in source order.
		ast.Inspect(s.file, func(node ast.Node) bool {
			constant, ok := node.(*ast.ValueSpec)
			if ok && constant.Names[0].IsExported() {
				entry := fault.Lookup(fault.Kind(len(blanks)))
				blanks[constant.Names[0].Name] = strings.Count(entry.Message, "{")
			}
			return true
		})
	}
	if len(blanks) != len(fault.Entries()) {
		t.Fatalf("kind.go has %d names for the %d rows of the catalogue",
			len(blanks), len(fault.Entries()))
	}
	return blanks
}

func checkFaults(s source, blanks map[string]int) []string {
	var findings []string
	targets := targetsIn(s.file)
	ast.Inspect(s.file, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		kind, args, ok := arguments(call)
		want, known := blanks[kind]
		if ok && known && args != want && (args > 0 || !targets[call]) {
			findings = append(findings, s.finding(s.line(call.Pos()),
				fmt.Sprintf("%s has %d blanks and gets %d arguments", kind, want, args)))
		}
		return true
	})
	return findings
}

// targetsIn returns the targets of errors.Is, which compares only the kind, so that blanks may stay
// open.
func targetsIn(node ast.Node) map[ast.Expr]bool {
	targets := make(map[ast.Expr]bool)
	ast.Inspect(node, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if ok && isQualified(call.Fun, "errors", "Is") && len(call.Args) == 2 {
			targets[call.Args[1]] = true
		}
		return true
	})
	return targets
}

// arguments returns the kind that a call names and the number of arguments after it. It skips a
// call whose kind is in a variable.
func arguments(call *ast.CallExpr) (kind string, args int, ok bool) {
	var name string
	switch called := call.Fun.(type) {
	case *ast.Ident:
		name = called.Name
	case *ast.SelectorExpr:
		name = called.Sel.Name
	}
	if !slices.Contains([]string{"New", "Add", "add"}, name) || call.Ellipsis.IsValid() {
		return "", 0, false
	}
	for i, arg := range call.Args {
		selector, ok := arg.(*ast.SelectorExpr)
		if ok && isQualified(selector, "fault", selector.Sel.Name) {
			return selector.Sel.Name, len(call.Args) - i - 1, true
		}
	}
	return "", 0, false
}

// isQualified reports whether an expression is the qualified name pkg.name.
func isQualified(expr ast.Expr, pkg, name string) bool {
	selector, ok := expr.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	qualifier, ok := selector.X.(*ast.Ident)
	return ok && qualifier.Name == pkg && selector.Sel.Name == name
}
