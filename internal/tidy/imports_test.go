package tidy

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unlisted are the folders whose packages have no row: internal/tidy reads every package, e2e
// starts the whole program, and bench measures it.
var unlisted = []string{"internal/tidy", "e2e", "bench"}

// TestImports compares the imports of the packages with the table in ARCHITECTURE.md.
func TestImports(t *testing.T) {
	rules, err := readRules(readFile(t, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	report(t, rules.check(packages(t)))
}

// rules is the section "Who may import whom". Packages are named from the root of the module.
type rules struct {
	may      map[string][]string // what each package may import
	inTests  []string            // what every test may import besides
	http     []string            // where net/http may stand
	database []string            // where SQL drivers may stand
}

func (r rules) check(packages []listed) []string {
	var findings []string
	rowless := maps.Clone(r.may)
	for _, p := range packages {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		delete(rowless, name)
		if slices.ContainsFunc(unlisted, func(tree string) bool { return within(name, tree) }) {
			continue
		}
		if _, found := r.may[name]; !found {
			findings = append(findings, name+" has no row in ARCHITECTURE.md")
			continue
		}
		findings = append(findings, r.checkPackage(name, p)...)
	}
	for _, name := range slices.Sorted(maps.Keys(rowless)) {
		findings = append(findings, name+" has a row in ARCHITECTURE.md, but is no package")
	}
	return findings
}

func (r rules) checkPackage(name string, p listed) []string {
	var findings []string
	for _, path := range p.Imports {
		if !r.allows(name, path, false) {
			findings = append(findings, fmt.Sprintf("%s may not import %s", name, path))
		}
	}
	for _, path := range slices.Concat(p.TestImports, p.XTestImports) {
		if !r.allows(name, path, true) {
			findings = append(findings,
				fmt.Sprintf("the tests of %s may not import %s", name, path))
		}
	}
	return findings
}

func (r rules) allows(name, path string, test bool) bool {
	own, ours := strings.CutPrefix(path, module+"/")
	switch {
	case ours:
		return slices.Contains(r.may[name], own) ||
			test && (own == name || slices.Contains(r.inTests, own))
	case within(path, "net/http"):
		// The tests of a command talk to the program that they start.
		return slices.Contains(r.http, name) || test && within(name, "cmd")
	case within(path, "modernc.org/sqlite"), within(path, "zombiezen.com/go/sqlite"),
		within(path, "github.com/jackc/pgx"):
		return slices.Contains(r.database, name)
	}
	return true
}

func within(path, tree string) bool { return path == tree || strings.HasPrefix(path, tree+"/") }

var (
	tableRow   = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|(.*)\\|$")
	quotedName = regexp.MustCompile("`([^`]+)`")
	oneName    = regexp.MustCompile("^`([^`]+)`$")
	inclusion  = regexp.MustCompile("^`([^`]+)` and what `([^`]+)` may import$")
	testNames  = regexp.MustCompile(`test files may also use ([^.]*)\.`)
	homes      = regexp.MustCompile(
		"`net/http` stands in ([^;]*) only; SQL drivers in ([^.]*) only")
)

// readRules reads the section. What it does not understand is an error: a sentence that a test
// passes over would no longer be held.
func readRules(architecture string) (rules, error) {
	_, section, found := strings.Cut(architecture, "\n## Who may import whom\n")
	section, _, _ = strings.Cut(section, "\n## ")
	prose := strings.Join(strings.Fields(section), " ")
	tests, places := testNames.FindStringSubmatch(prose), homes.FindStringSubmatch(prose)
	if !found || tests == nil || places == nil {
		return rules{}, fmt.Errorf("the section about imports lacks its heading or a sentence")
	}

	cells := make(map[string]string)
	for _, row := range tableRow.FindAllStringSubmatch(section, -1) {
		cells[row[1]] = strings.TrimSpace(row[2])
	}
	r := rules{may: make(map[string][]string)}
	for name := range cells {
		imports, err := readCell(cells, name)
		if err != nil {
			return rules{}, err
		}
		r.may[name] = imports
	}
	r.inTests = named(cells, tests[1])
	r.http = named(cells, places[1])
	r.database = named(cells, places[2])
	return r, nil
}

// readCell returns the packages that a row names, those of an included row among them.
func readCell(cells map[string]string, name string) ([]string, error) {
	var imports []string
	for part := range strings.SplitSeq(cells[name], ", ") {
		switch included := inclusion.FindStringSubmatch(part); {
		case part == "":
		case part == "everything under `internal`":
			for other := range cells {
				if within(other, "internal") {
					imports = append(imports, other)
				}
			}
		case included != nil && included[1] == included[2]:
			own := named(cells, part)
			imports = append(imports, own...)
			theirs, err := readCell(cells, own[0])
			if err != nil {
				return nil, err
			}
			imports = append(imports, theirs...)
		case oneName.MatchString(part):
			imports = append(imports, named(cells, part)...)
		default:
			return nil, fmt.Errorf("the row of %s: cannot read %q", name, part)
		}
	}
	return imports, nil
}

// named returns the packages whose names stand in backquotes. A name may leave out the folders
// before it: `store/sqlstore` and `sqlstore` are both internal/store/sqlstore. `admin` is
// internal/admin rather than client/admin.
func named(cells map[string]string, text string) []string {
	var names []string
	for _, quoted := range quotedName.FindAllStringSubmatch(text, -1) {
		full := quoted[1]
		if _, inside := cells["internal/"+full]; inside {
			names = append(names, "internal/"+full)
			continue
		}
		for row := range cells {
			if strings.HasSuffix(row, "/"+quoted[1]) {
				full = row
			}
		}
		if _, inside := cells["internal/"+quoted[1]]; inside {
			full = "internal/" + quoted[1]
		}
		names = append(names, full)
	}
	return names
}
