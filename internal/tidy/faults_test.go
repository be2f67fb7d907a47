package tidy

import (
	"fmt"
	"go/ast"
	"strings"
	"testing"

	"mintmark/internal/fault"
)

// TestFaultArguments holds that each call of fault.New fills exactly the blanks of its message.
// The compiler cannot: the arguments are a list of anything.
func TestFaultArguments(t *testing.T) {
	sources := goSources(t)
	blanks := blanksOfKinds(t, sources)
	for _, group := range byPackage(sources) {
		report(t, checkFaults(group, blanks))
	}
}

func TestFaultArgumentsAreChecked(t *testing.T) {
	expect(t, checkFaults([]source{parse(t, "a.go", `package a

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
	wg.Add(1)
	found.add("x", fault.Two, 1)
	found.printable("x", fault.Two)
	found.printable("x", fault.One)
	with(other, fault.Two, fault.One)
	status(fault.One)(1)
	expect(err, fault.One)
	want(fault.One, "a", "b")
}

func expect(err error, kind fault.Kind) bool { return errors.Is(err, fault.New(kind)) }

func want(kind fault.Kind, names ...string) {}

func (f found) printable(name string, kind fault.Kind) { f.add(name, kind, name) }

func (f found) add(name string, kind fault.Kind, args ...any) { f.list.Add(kind, args...) }

func status(kind fault.Kind) func(int) error {
	return func(id int) error { return fault.New(kind, id, "open") }
}
`)}, map[string]int{"None": 0, "One": 1, "Two": 2}),
		"a.go:5: None has 0 blanks and gets 1 arguments",
		"a.go:7: Two has 2 blanks and gets 1 arguments",
		"a.go:8: Two has 2 blanks and gets 0 arguments",
		"a.go:9: Two has 2 blanks and gets 3 arguments",
		"a.go:11: Two has 2 blanks and gets 1 arguments",
		"a.go:12: Two has 2 blanks and gets 0 arguments",
		"a.go:15: Two has 2 blanks and gets 1 arguments",
		"a.go:16: Two has 2 blanks and gets 1 arguments",
		"a.go:19: One has 1 blanks and gets 2 arguments")
}

// blanksOfKinds returns the number of blanks in the message of each kind, by its name in Go.
func blanksOfKinds(t *testing.T, sources []source) map[string]int {
	t.Helper()
	blanks := make(map[string]int)
	for _, s := range sources {
		if s.path != "internal/fault/kind.go" {
			continue
		}
		// The values count from 0 in the order of the names.
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

// checkFaults checks the files of one package.
func checkFaults(sources []source, blanks map[string]int) []string {
	makers := findMakers(sources)
	var findings []string
	for _, s := range sources {
		targets := targetsIn(s.file)
		ast.Inspect(s.file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			kind, args, known := arguments(call, makers)
			if !known || args == 0 && targets[call] {
				return true
			}
			want, found := blanks[kind]
			if found && args != want {
				findings = append(findings, s.finding(s.line(call.Pos()),
					fmt.Sprintf("%s has %d blanks and gets %d arguments", kind, want, args)))
			}
			return true
		})
	}
	return findings
}

// targetsIn returns the targets of errors.Is. It compares the kind only, so blanks may stay open.
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

// arguments returns the kind that a call names and how many arguments fill its blanks. A call
// whose kind is in a variable is skipped: the callers of its function are checked instead.
func arguments(call *ast.CallExpr, makers map[string]maker) (kind string, args int, known bool) {
	m, found := makers[calledName(call)]
	if !found || len(call.Args) <= m.kindAt || call.Ellipsis.IsValid() {
		return "", 0, false
	}
	selector, ok := call.Args[m.kindAt].(*ast.SelectorExpr)
	if !ok || !isQualified(selector, "fault", selector.Sel.Name) {
		return "", 0, false
	}
	if m.fills != fromCaller {
		return selector.Sel.Name, m.fills, true
	}
	return selector.Sel.Name, len(call.Args) - m.kindAt - 1, true
}
