package openapi

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/precedence"
)

// TestStagesAreProven compares the documented order of checks with the order that the tests of
// package issuing prove: each list of codes there must appear, in that order, in the stages of an
// operation.
func TestStagesAreProven(t *testing.T) {
	proven := make(map[string]bool)
	for _, chain := range provenOrders(t) {
		ok := false
		for path, told := range precedence.Operations {
			if follows(codesOf(told), chain) {
				ok, proven[path] = true, true
			}
		}
		if !ok {
			t.Errorf("the order %v is proven and printed of no operation", chain)
		}
	}
	const enough = 10 // operations whose order is written as a list
	if len(proven) < enough {
		t.Errorf("the order of %d operations is found in the tests, want %d", len(proven), enough)
	}
}

func TestFollows(t *testing.T) {
	all := []int{1, 2, 3, 2}
	for _, part := range [][]int{{1, 3}, {2, 2}, {3, 2}, {1, 1, 2}} {
		if !follows(all, part) {
			t.Errorf("%v is not found in %v", part, all)
		}
	}
	for _, part := range [][]int{{2, 1}, {4}, {2, 3, 2, 3}} {
		if follows(all, part) {
			t.Errorf("%v is found in %v", part, all)
		}
	}
}

func codesOf(told []precedence.Stage) []int {
	var codes []int
	for _, kind := range faultsOf(told) {
		codes = append(codes, fault.Lookup(kind).Code)
	}
	return codes
}

// follows reports whether the codes of part appear in all, in the same order. A code may be proven
// several times in a row.
func follows(all, part []int) bool {
	for _, code := range slices.Compact(slices.Clone(part)) {
		at := slices.Index(all, code)
		if at < 0 {
			return false
		}
		all = all[at+1:]
	}
	return true
}

// provenOrders returns all lists with at least three codes in the tests of package issuing.
func provenOrders(t *testing.T) [][]int {
	t.Helper()
	files, err := filepath.Glob("../../issuing/*/order*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var chains [][]int
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			list, ok := node.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if chain := chainOf(list); len(chain) > 2 {
				chains = append(chains, chain)
			}
			return true
		})
	}
	return chains
}

// chainOf returns the codes of those elements of a list that have a literal code.
func chainOf(list *ast.CompositeLit) []int {
	var chain []int
	for _, element := range list.Elts {
		row, ok := element.(*ast.CompositeLit)
		if !ok {
			continue
		}
		for _, member := range row.Elts {
			pair, ok := member.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			key, named := pair.Key.(*ast.Ident)
			value, literal := pair.Value.(*ast.BasicLit)
			if !named || key.Name != "code" || !literal {
				continue
			}
			if code, err := strconv.Atoi(value.Value); err == nil {
				chain = append(chain, code)
			}
		}
	}
	return chain
}
