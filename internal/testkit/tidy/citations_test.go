package tidy

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mintmark/internal/domain/fault"
)

// The documents that comments cite as "interface §8.7" and "decision 7".
const (
	interfacePage = "docs/interface.md"
	decisionsPage = "docs/decisions/README.md"
)

// TestCitations checks that comments cite existing sections of the interface, decisions by number,
// and faults by constant.
func TestCitations(t *testing.T) {
	sections := sectionsOf(readFile(t, interfacePage))
	decisions := sectionsOf(readFile(t, decisionsPage))
	sources := goSources(t)
	faults := declared(sources, "internal/domain/fault")
	for _, s := range sources {
		report(t, checkCitations(s, sections, decisions, faults))
	}
}

func TestCitationsAreChecked(t *testing.T) {
	sections := sectionsOf(
		"# The interface\n\n## 8. Operations\n\n### 8.7 /card/lock\n\n## Other\n")
	decisions := sectionsOf("# Decisions\n\n## 1. Acts\n\n## 2. Commits\n")
	faults := map[string]bool{"CardAccess": true}
	old := "sec" + "tion"
	s := parse(t, "internal/domain/card/a.go", `package card

// A is fine (interface §8.7, §8). RFC 9110, `+old+` 5.6 is another document's.
// B is odd: interface §8.8.
// C is in the old form: `+old+` 4.2, and `+old+`s
// 4 and 7.2.
// D is a bare code: 150403; 1504030 and fault.CardAccess are none.
var x = "`+old+` 4.2, 150403, §9" // E is fault.CardLost

// F leaves out which document has §8. Decision 3 is odd, decision 2 is fine.
`)
	expect(t, checkCitations(s, sections, decisions, faults),
		"internal/domain/card/a.go:3: docs/interface.md has no §8.8",
		"internal/domain/card/a.go:3: a citation in the old form: "+old+" 4.2",
		"internal/domain/card/a.go:3: a citation in the old form: "+old+"s 4",
		"internal/domain/card/a.go:3: a code in place of its fault: 150403",
		"internal/domain/card/a.go:8: package fault has no CardLost",
		"internal/domain/card/a.go:10: a citation that does not begin with interface §: §8",
		"internal/domain/card/a.go:10: docs/decisions/README.md has no decision 3")
	elsewhere := parse(t, "internal/face/api/a.go", "package api\n\n// A is 150403.\nvar A int\n")
	expect(t, checkCitations(elsewhere, sections, decisions, faults))
}

var (
	cited = regexp.MustCompile(`(interface )?§(\d+(?:\.\d+)*)((?:(?:,| and| to) §\d+(?:\.\d+)*)*)`)
	// A section of an RFC is cited as "RFC 9110, section 5.6".
	oldForm   = regexp.MustCompile(`(RFC \d+, )?\b[Ss]ections? \d+(?:\.\d+)*`)
	number    = regexp.MustCompile(`\d+(?:\.\d+)*`)
	decided   = regexp.MustCompile(`\b[Dd]ecision (\d+)\b`)
	faultName = regexp.MustCompile(`\bfault\.([A-Z]\w*)`)
	bareCode  = regexp.MustCompile(`\b\d{5,6}\b`)
	numbered  = regexp.MustCompile(`(?m)^##+ (\d+(?:\.\d+)*)\.? `)
)

// domain lists the packages whose comments must name a fault by its constant, never by its code.
var domain = []string{
	"internal/domain/apikey", "internal/domain/bankdoc", "internal/domain/card", "internal/domain/customer", "internal/base/pan",
	"internal/domain/program",
}

// sectionsOf returns the numbers of a document's headings.
func sectionsOf(page string) map[string]bool {
	sections := make(map[string]bool)
	for _, match := range numbered.FindAllStringSubmatch(page, -1) {
		sections[match[1]] = true
	}
	return sections
}

// declared returns the exported names of a package.
func declared(sources []source, dir string) map[string]bool {
	names := make(map[string]bool)
	for _, s := range sources {
		if s.dir() != dir {
			continue
		}
		for _, declaration := range s.file.Decls {
			switch declaration := declaration.(type) {
			case *ast.FuncDecl:
				names[declaration.Name.Name] = true
			case *ast.GenDecl:
				for _, spec := range declaration.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						names[spec.Name.Name] = true
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							names[name.Name] = true
						}
					}
				}
			}
		}
	}
	return names
}

// checkCitations checks every comment of a file.
func checkCitations(s source, sections, decisions, faults map[string]bool) []string {
	var findings []string
	for _, group := range s.file.Comments {
		text := strings.Join(strings.Fields(group.Text()), " ")
		line := s.line(group.Pos())
		for _, what := range slices.Concat(oddSections(text, sections), oddDecisions(text, decisions),
			oddFaults(text, faults, slices.Contains(domain, s.dir()))) {
			findings = append(findings, s.finding(line, what))
		}
	}
	return findings
}

func oddSections(text string, sections map[string]bool) []string {
	var odd []string
	for _, match := range cited.FindAllStringSubmatch(text, -1) {
		if match[1] == "" {
			odd = append(odd, "a citation that does not begin with interface §: "+match[0])
			continue
		}
		for _, section := range number.FindAllString(match[2]+match[3], -1) {
			if !sections[section] {
				odd = append(odd, fmt.Sprintf("%s has no §%s", interfacePage, section))
			}
		}
	}
	for _, match := range oldForm.FindAllStringSubmatch(text, -1) {
		if match[1] == "" {
			odd = append(odd, "a citation in the old form: "+match[0])
		}
	}
	return odd
}

func oddDecisions(text string, decisions map[string]bool) []string {
	var odd []string
	for _, cited := range decided.FindAllStringSubmatch(text, -1) {
		if !decisions[cited[1]] {
			odd = append(odd, fmt.Sprintf("%s has no decision %s", decisionsPage, cited[1]))
		}
	}
	return odd
}

func oddFaults(text string, faults map[string]bool, named bool) []string {
	var odd []string
	for _, match := range faultName.FindAllStringSubmatch(text, -1) {
		if !faults[match[1]] {
			odd = append(odd, "package fault has no "+match[1])
		}
	}
	if !named {
		return odd
	}
	for _, s := range bareCode.FindAllString(text, -1) {
		code, err := strconv.Atoi(s)
		isFault := func(e *fault.Entry) bool { return e.Code == code }
		if err == nil && slices.ContainsFunc(fault.Entries(), isFault) {
			odd = append(odd, "a code in place of its fault: "+s)
		}
	}
	return odd
}
