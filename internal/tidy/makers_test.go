package tidy

import "go/ast"

// maker is a function that makes a fault of the kind it is given.
type maker struct {
	kindAt int // which of its parameters is the kind
	fills  int // how many blanks it fills itself, or fromCaller
}

const fromCaller = -1 // the parameters behind the kind fill the blanks

// findMakers returns the functions of a package that make faults, and those of package fault.
// The ones that pass arguments on come first, because the others are built on them.
func findMakers(sources []source) map[string]maker {
	makers := map[string]maker{"New": {0, fromCaller}, "Add": {0, fromCaller}}
	for _, passOn := range []bool{true, false} {
		for _, s := range sources {
			for _, decl := range s.file.Decls {
				function, ok := decl.(*ast.FuncDecl)
				if !ok {
					continue
				}
				m, variadic := kindParameter(function)
				if m.kindAt < 0 || variadic != passOn {
					continue
				}
				if variadic || fillsItself(function, makers, &m) {
					makers[function.Name.Name] = m
				}
			}
		}
	}
	return makers
}

// kindParameter finds the parameter of type fault.Kind, and whether a list of anything follows.
func kindParameter(function *ast.FuncDecl) (m maker, variadic bool) {
	m = maker{kindAt: -1, fills: fromCaller}
	at := 0
	for _, field := range function.Type.Params.List {
		if isQualified(field.Type, "fault", "Kind") {
			m.kindAt = at
		}
		variadic = m.kindAt >= 0 && m.kindAt == at-1 && isListOfAny(field.Type)
		at += len(field.Names)
	}
	return m, variadic
}

func isListOfAny(expr ast.Expr) bool {
	list, ok := expr.(*ast.Ellipsis)
	if !ok {
		return false
	}
	element, ok := list.Elt.(*ast.Ident)
	return ok && element.Name == "any"
}

// fillsItself looks for the call with which a function makes the fault of the kind it was given,
// and counts the arguments there.
func fillsItself(function *ast.FuncDecl, makers map[string]maker, m *maker) bool {
	if function.Body == nil {
		return false
	}
	targets := targetsIn(function.Body)
	ast.Inspect(function.Body, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		inner, known := makers[calledName(call)]
		if !known || targets[call] || inner.fills != fromCaller || len(call.Args) <= inner.kindAt {
			return true
		}
		passed, ok := call.Args[inner.kindAt].(*ast.Ident)
		if ok && passed.Name == nameOfParameter(function, m.kindAt) {
			m.fills = len(call.Args) - inner.kindAt - 1
		}
		return true
	})
	return m.fills != fromCaller
}

func nameOfParameter(function *ast.FuncDecl, at int) string {
	for _, field := range function.Type.Params.List {
		if at < len(field.Names) {
			return field.Names[at].Name
		}
		at -= len(field.Names)
	}
	return ""
}

// calledName returns the last part of the name of what is called: Add of found.Add().
func calledName(call *ast.CallExpr) string {
	switch called := call.Fun.(type) {
	case *ast.Ident:
		return called.Name
	case *ast.SelectorExpr:
		return called.Sel.Name
	}
	return ""
}

// isQualified reports whether an expression is the name of another package's thing.
func isQualified(expr ast.Expr, pkg, name string) bool {
	selector, ok := expr.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	qualifier, ok := selector.X.(*ast.Ident)
	return ok && qualifier.Name == pkg && selector.Sel.Name == name
}
