package openapi

import (
	"os"
	"slices"
	"strings"
	"testing"

	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/precedence"
	"mintmark/internal/face/api"
	"mintmark/internal/testkit/golden"
)

const pagePath = "../../../docs/interface.md"

// TestManualOfTheInterface compares the printed regions of docs/interface.md with the tables they
// are printed from, or prints them anew under -update.
func TestManualOfTheInterface(t *testing.T) {
	page, err := os.ReadFile(pagePath)
	if err != nil {
		t.Fatal(err)
	}
	filled, err := FillPage(page)
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, pagePath, filled)
}

// TestRegionsAreHeld holds that a page with an unknown, missing or duplicate region is refused.
func TestRegionsAreHeld(t *testing.T) {
	page, err := os.ReadFile(pagePath)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- printed: Card -->", "<!-- end -->"
	for why, broken := range map[string]string{
		"unknown": strings.Replace(string(page), begin, "<!-- printed: Kard -->", 1),
		"missing": strings.Replace(string(page), begin, "<!-- by hand -->", 1),
		"twice":   string(page) + begin + "\n" + end + "\n",
	} {
		if _, err := FillPage([]byte(broken)); err == nil {
			t.Errorf("a page with a region that is %s is filled", why)
		}
	}
}

// TestAlikeOperations holds that an operation that is printed as the difference from another one has
// nothing that the other one lacks.
func TestAlikeOperations(t *testing.T) {
	p, err := parse(Document())
	if err != nil {
		t.Fatal(err)
	}
	operations := make(map[string]api.Operation)
	for _, op := range api.Operations() {
		operations[op.Path] = op
	}
	for path, whole := range alike {
		rows := func(path string) string {
			return string(p.printMembers(operations[path].RequestName, "yes", "no"))
		}
		for row := range strings.Lines(rows(path)) {
			if !strings.Contains(rows(whole), row) {
				t.Errorf("%s has a member more than %s: %s", path, whole, row)
			}
		}
		for _, stage := range precedence.Operations[path] {
			if !slices.ContainsFunc(precedence.Operations[whole],
				func(s precedence.Stage) bool { return slices.Equal(s, stage) }) {
				t.Errorf("%s has checks more than %s: %v", path, whole, stage)
			}
		}
	}
}

// TestChecksAreThoseOfTheRoutes compares the stages of each operation with the faults that its
// route may answer, both ways. Faults of every request may be in a stage, too.
func TestChecksAreThoseOfTheRoutes(t *testing.T) {
	described := make(map[string]bool)
	for _, op := range api.Operations() {
		described[op.Path] = true
		told, known := precedence.Operations[op.Path]
		if !known {
			t.Errorf("nothing says in which order %s makes its checks", op.Path)
		}
		answered := faultsOf(told)
		for _, kind := range op.Faults {
			if !slices.Contains(answered, kind) {
				t.Errorf("%s answers %d, which no stage names", op.Path, fault.Lookup(kind).Code)
			}
		}
		for _, kind := range answered {
			if !slices.Contains(op.Faults, kind) && !slices.Contains(anyFaults, kind) &&
				kind != fault.ValueNotAcceptable {
				t.Errorf("%s does not answer %d, which a stage names",
					op.Path, fault.Lookup(kind).Code)
			}
		}
	}
	for path := range precedence.Operations {
		if !described[path] {
			t.Errorf("%s has stages and no route", path)
		}
	}
}

// faultsOf returns the kinds that some stages answer, those of the customer among them.
func faultsOf(stages []precedence.Stage) []fault.Kind {
	var kinds []fault.Kind
	for _, s := range stages {
		if len(s) == 0 {
			kinds = append(kinds, faultsOf(precedence.Customer)...)
		}
		for _, c := range s {
			kinds = append(kinds, c.Kind)
		}
	}
	return kinds
}
