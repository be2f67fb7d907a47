package tidy

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// root is the root of the repository, relative to the directory of the tests.
const root = "../../.."

// source is one parsed Go file.
type source struct {
	path string // relative to the root of the repository, with slashes
	text string
	fset *token.FileSet
	file *ast.File
}

// parse parses one Go file. The tests of the checks also parse their bad examples with it.
func parse(t *testing.T, path, text string) source {
	t.Helper()
	fset := token.NewFileSet()
	mode := parser.ParseComments | parser.SkipObjectResolution
	file, err := parser.ParseFile(fset, path, text, mode)
	if err != nil {
		t.Fatal(err)
	}
	return source{path: path, text: text, fset: fset, file: file}
}

func (s source) dir() string { return path.Dir(s.path) }

// line returns the line number of a position.
func (s source) line(pos token.Pos) int { return s.fset.Position(pos).Line }

// finding formats a location and a finding so that editors can jump to it.
func (s source) finding(line int, what string) string {
	return s.path + ":" + strconv.Itoa(line) + ": " + what
}

// goSources returns every Go file of the project.
func goSources(t *testing.T) []source {
	t.Helper()
	var sources []source
	for _, name := range projectFiles(t) {
		if path.Ext(name) == ".go" && !strings.Contains(name, "testdata/") {
			sources = append(sources, parse(t, name, readFile(t, name)))
		}
	}
	return sources
}

// projectFiles returns the paths of the files that git tracks or would add.
func projectFiles(t *testing.T) []string {
	t.Helper()
	list := output(t, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	var names []string
	seen := make(map[string]bool)
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		// A deleted file is listed until the deletion is committed.
		_, err := os.Stat(filepath.Join(root, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		names = append(names, name)
		watch(t, path.Dir(name), seen)
	}
	return names
}

// watch reads a directory and its parents. Go caches a test result until a file changes that the
// test itself has read. It does not track what git reads, so a new file would go unnoticed.
func watch(t *testing.T, dir string, seen map[string]bool) {
	t.Helper()
	for ; !seen[dir]; dir = path.Dir(dir) {
		seen[dir] = true
		_, err := os.ReadDir(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
	}
}

// listed is the go command's description of a package.
type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

// packages lists every package of the module with the go command.
func packages(t *testing.T) []listed {
	t.Helper()
	// A package that does not compile is still listed with its imports.
	text := output(t, "go", "list", "-e",
		"-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	var all []listed
	decoder := json.NewDecoder(strings.NewReader(text))
	for {
		var p listed
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// output runs a command at the root of the repository and returns its output.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir = root
	command.Stderr = t.Output()
	text, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return string(text)
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// report reports each finding as a test error.
func report(t *testing.T, findings []string) {
	t.Helper()
	for _, finding := range findings {
		t.Error(finding)
	}
}

// expect compares the findings of a check with the expected ones for a bad example.
func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}
