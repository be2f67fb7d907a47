//go:build check

package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mintmark/e2e/ledger"
)

// recipeRow matches a row of the table of recipes in docs/sandbox.md: the file and the command.
var recipeRow = regexp.MustCompile(`\]\(recipes/([\w.]+)\) \| ` + "`([^`]+)`")

// recipeNeeds holds shell commands that succeed where a recipe can run.
var recipeNeeds = map[string]string{
	"python_standard_library.py": "python3 --version",
	"python_requests.py":         "python3 -c 'import requests'",
	"node_fetch.mjs": "node -e " +
		"'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'",
	"JavaHttpClient.java":   "javac --version",
	"csharp_http_client.cs": "mono --version && command -v mcs",
	"curl.sh":               "curl --version && openssl version",
}

// recipeTells matches the output of a recipe that has completed.
var recipeTells = regexp.MustCompile(
	`^verified card \d+\nwebhook card\.verified\nexpired card \d+\nlocked card \d+\n$`)

// TestRecipes runs the commands of docs/sandbox.md whose language is installed. With
// MINTMARK_RECIPES=all a missing language is a failure: scripts/need recipes installs what Debian
// has.
func TestRecipes(t *testing.T) {
	t.Parallel()
	if ledger.On() == ledger.Postgres {
		return // a recipe's sandbox has its data in memory
	}
	docs, err := filepath.Abs(filepath.Join("..", "docs"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(docs, "sandbox.md"))
	if err != nil {
		t.Fatal(err)
	}
	program, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	rows := recipeRow.FindAllStringSubmatch(string(page), -1)
	for _, row := range rows {
		file, line := row[1], row[2]
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			if recipeNeeds[file] == "" {
				t.Fatal("nobody knows what it needs")
			}
			if out, err := shellIn(t, docs, recipeNeeds[file]); err != nil {
				if os.Getenv("MINTMARK_RECIPES") == "all" {
					t.Fatalf("%s: %v\n%s", recipeNeeds[file], err, out)
				}
				t.Logf("left out, because this fails: %s", recipeNeeds[file])
				return
			}
			// The commands are meant for a clone. Here they run in a directory with a link to docs,
			// so that the output of a compiler leaves no trace.
			dir := t.TempDir()
			if err := os.Symlink(docs, filepath.Join(dir, "docs")); err != nil {
				t.Fatal(err)
			}
			out, err := shellIn(t, dir, line, "MINTMARK="+program)
			if err != nil || !recipeTells.MatchString(out) {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
		})
	}
	files, err := os.ReadDir(filepath.Join(docs, "recipes"))
	if err != nil || len(files) != len(rows) || len(rows) != len(recipeNeeds) {
		t.Errorf("%d files, %d rows, %d needs: %v", len(files), len(rows), len(recipeNeeds), err)
	}
}

// shellIn runs a line in a shell and returns its standard output; an error includes its standard
// error.
func shellIn(t *testing.T, dir, line string, environment ...string) (string, error) {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "sh", "-c", line)
	shell.Dir, shell.Env = dir, append(os.Environ(), environment...)
	shell.WaitDelay = 10 * time.Second
	var complaint strings.Builder
	shell.Stderr = &complaint
	out, err := shell.Output()
	if err != nil {
		err = errors.Join(err, errors.New(complaint.String()))
	}
	return string(out), err
}
