package openapi

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/precedence"
	"mintmark/internal/face/api"
	"mintmark/internal/testkit/golden"
)

const pagePath = "../../../docs/interface.md"

// TestManualOfTheInterface compares the generated regions of docs/interface.md with their tables,
// or regenerates them under -update.
func TestManualOfTheInterface(t *testing.T) {
	page, err := os.ReadFile(pagePath)
	if err != nil {
		t.Fatal(err)
	}
	filled, err := fillPage(page)
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, pagePath, filled)
}

// TestRegionsAreHeld checks that a page with an unknown, missing or duplicate region is refused.
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
		if _, err := fillPage([]byte(broken)); err == nil {
			t.Errorf("a page with a region that is %s is filled", why)
		}
	}
}

// TestAlikeOperations checks that an operation described by its difference from another has no
// member and no check that the other lacks.
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
// route may return, both ways. A stage may also have faults of every request.
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

// faultsOf returns the kinds of fault in the stages, including those of the customer.
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

// region matches a generated part of docs/interface.md: the text between two comments, the first of
// which names it.
var region = regexp.MustCompile(
	`(?s)(<!-- printed: ([^\n]*?) -->\n).*?(<!-- end -->)`)

// fillPage returns a page with every region regenerated. It is an error if a region of printers is
// missing or duplicated, or if the page has another one.
func fillPage(page []byte) ([]byte, error) {
	all, err := printers()
	if err != nil {
		return nil, err
	}
	unknown, seen := "", make(map[string]int)
	filled := region.ReplaceAllFunc(page, func(text []byte) []byte {
		parts := region.FindSubmatch(text)
		name := string(parts[2])
		seen[name]++
		print := all[name]
		if print == nil {
			unknown = name
			return text
		}
		return slices.Concat(parts[1], []byte("\n"), print(), []byte("\n"), parts[3])
	})
	if unknown != "" {
		return nil, fmt.Errorf("openapi: nothing prints the region %q", unknown)
	}
	for name := range all {
		if seen[name] != 1 {
			return nil, fmt.Errorf("openapi: the page has the region %q %d times, want 1",
				name, seen[name])
		}
	}
	return filled, nil
}

// printers maps regions to their printers: one for each operation, each object of a response, and
// the tables that several operations share.
func printers() (map[string]func() []byte, error) {
	parsed, err := parse(Document())
	if err != nil {
		return nil, err
	}
	all := map[string]func() []byte{
		"operations":    printOperations,
		"every request": func() []byte { return printStages(precedence.Request) },
		"the customer":  func() []byte { return printStages(precedence.Customer) },
		"about a card":  func() []byte { return parsed.printRequest(aboutCard) },
	}
	for _, op := range api.Operations() {
		all[op.Path] = func() []byte { return parsed.printOperation(op) }
	}
	for name, s := range parsed.Components.Schemas {
		request := strings.HasSuffix(name, "Request")
		if len(s.properties()) > 0 && !request && !slices.Contains(toldInWords, name) {
			all[name] = func() []byte { return parsed.printProperties(name) }
		}
	}
	return all, nil
}

// toldInWords lists the schemas that the page describes by their difference from another, and the
// envelope of a failure.
var toldInWords = []string{"CardOrdered", "CardReissued", "CardAdded", "Failure"}

// printOperations prints one line per operation.
func printOperations() []byte {
	var out bytes.Buffer
	out.WriteString("| Operation | Purpose |\n|---|---|\n")
	for _, op := range api.Operations() {
		path := "`" + op.Method + " " + op.Path + "`"
		for _, name := range op.Query {
			path += ", query `" + name + "`"
		}
		purpose := op.Summary
		if op.ReplacedBy != "" {
			purpose += ". Deprecated: use " + op.ReplacedBy
		}
		if op.LastVersion != 0 {
			purpose += fmt.Sprintf("; up to version %d of the interface", op.LastVersion)
		}
		fmt.Fprintf(&out, "| %s | %s |\n", path, purpose)
	}
	return out.Bytes()
}

// mayNotAct replaces the rows of precedence.Customer with a link to them.
const mayNotAct = "the customer may not act: [§7.3](#73-the-customer)"

// printStages prints one row per check. The checks of one stage have the same number.
func printStages(stages []precedence.Stage) []byte {
	var out bytes.Buffer
	out.WriteString("| Stage | Code | Answered when |\n|---|---|---|\n")
	for i, s := range stages {
		if len(s) == 0 {
			fmt.Fprintf(&out, "| %d | 60001 to 60005 | %s |\n", i+1, mayNotAct)
		}
		for _, c := range s {
			fmt.Fprintf(&out, "| %d | %s | %s |\n", i+1, codeLink(c.Kind), c.When)
		}
	}
	return out.Bytes()
}

// codeLink returns a code with a link to its entry in docs/errors.md.
func codeLink(kind fault.Kind) string {
	return fmt.Sprintf("[%[1]d](errors.md#%[1]d)", fault.Lookup(kind).Code)
}
