package tidy

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestImportsPointDown checks that a package under internal imports only packages of its own folder
// and of the folders below it in layers.txt. Test files may import any package.
func TestImportsPointDown(t *testing.T) {
	report(t, checkLayers(layers(t), packages(t)))
}

// TestEveryFolderIsALayer compares layers.txt with the folders under internal.
func TestEveryFolderIsALayer(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join(root, "internal"))
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, entry := range entries {
		folders = append(folders, entry.Name())
	}
	if diff := cmp.Diff(folders, slices.Sorted(slices.Values(layers(t)))); diff != "" {
		t.Errorf("internal and layers.txt differ (-internal +layers.txt):\n%s", diff)
	}
}

func TestLayersAreChecked(t *testing.T) {
	expect(t, checkLayers([]string{"app", "domain", "base"}, []listed{
		{ImportPath: "mintmark/internal/base/a", Imports: []string{
			"fmt", "mintmark/internal/base/b", "mintmark/internal/domain/card", "mintmark/client"}},
		{ImportPath: "mintmark/internal/domain/card", Imports: []string{"mintmark/internal/base/a"}},
		{ImportPath: "mintmark/internal/domain/pin", Imports: []string{"mintmark/internal/app"},
			TestImports: []string{"mintmark/internal/app"}},
		{ImportPath: "mintmark/internal/app", Imports: []string{"mintmark/internal/domain/card"}},
		{ImportPath: "mintmark/cmd", Imports: []string{"mintmark/internal/app"}},
	}),
		"mintmark/internal/base/a imports mintmark/internal/domain/card, which is above it",
		"mintmark/internal/domain/pin imports mintmark/internal/app, which is above it")
}

// layers returns the folders under internal, highest first.
func layers(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("layers.txt")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, " ")
		names = append(names, name)
	}
	return names
}

// checkLayers reports imports that point up. Packages outside internal may import anything.
func checkLayers(layers []string, packages []listed) []string {
	layer := func(path string) int {
		inside, ok := strings.CutPrefix(path, "mintmark/internal/")
		if !ok {
			return -1
		}
		folder, _, _ := strings.Cut(inside, "/")
		return slices.Index(layers, folder)
	}
	var findings []string
	for _, p := range packages {
		own := layer(p.ImportPath)
		for _, imported := range p.Imports {
			if above := layer(imported); above >= 0 && above < own {
				findings = append(findings,
					fmt.Sprintf("%s imports %s, which is above it", p.ImportPath, imported))
			}
		}
	}
	return findings
}
