package tidy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const dependenciesPage = "docs/decisions/dependencies.md"

// TestDependencies checks that docs/decisions/dependencies.md names every direct dependency.
func TestDependencies(t *testing.T) {
	var mod struct{ Require []required }
	err := json.Unmarshal([]byte(output(t, "go", "mod", "edit", "-json")), &mod)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, dependenciesPage))
	if err != nil {
		t.Fatalf("the page that names the dependencies: %v", err)
	}
	report(t, checkDependencies(string(page), mod.Require, packages(t)))
}

func TestDependenciesAreChecked(t *testing.T) {
	mods := []required{
		{Path: "example.com/named"},
		{Path: "example.com/newer/v3"},
		{Path: "example.com/unnamed"},
		{Path: "example.com/name"},
		{Path: "example.com/behind", Indirect: true},
		{Path: "example.com/used", Indirect: true},
	}
	use := []listed{{ImportPath: "mintmark/a", XTestImports: []string{"example.com/used/sub"}}}
	page := "| `example.com/named` | it is good |\n| [x](https://example.com/newer) | as well |\n"
	expect(t, checkDependencies(page, mods, use),
		"docs/decisions/dependencies.md does not name example.com/unnamed",
		"docs/decisions/dependencies.md does not name example.com/name",
		"docs/decisions/dependencies.md does not name example.com/used")
}

// required is a line of go.mod.
type required struct {
	Path     string
	Indirect bool
}

// version matches the major version at the end of a module path.
var version = regexp.MustCompile(`/v\d+$`)

func checkDependencies(page string, mods []required, packages []listed) []string {
	var findings []string
	for _, mod := range mods {
		// The "indirect" mark in go.mod may be older than the import, so the imports are checked,
		// too.
		if mod.Indirect && !slices.ContainsFunc(packages, importsFrom(mod.Path)) {
			continue
		}
		name := version.ReplaceAllString(mod.Path, "")
		if !regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).MatchString(page) {
			findings = append(findings, dependenciesPage+" does not name "+mod.Path)
		}
	}
	return findings
}

// importsFrom reports whether a package or its tests import a package of a module.
func importsFrom(path string) func(listed) bool {
	ofModule := func(imported string) bool {
		return imported == path || strings.HasPrefix(imported, path+"/")
	}
	return func(p listed) bool {
		imports := slices.Concat(p.Imports, p.TestImports, p.XTestImports)
		return slices.ContainsFunc(imports, ofModule)
	}
}
