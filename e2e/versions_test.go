package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/pressly/goose/v3"

	"mintmark/internal/testkit/testrun"
)

// oldVariable names a commit or a tag: the program of that commit is built from the repository's
// own history, and takes part in TestRollingRestart. It is meant for the time before a release,
// when banks run the previous one. A checkout without history has none to build.
const oldVariable = "MINTMARK_TEST_OLD"

// versions returns programs, oldest first: one from the history if the variable names it, this one,
// and the next. Outside make check, this one is also the next one, because building the next
// version compiles most of the program again.
func versions(t *testing.T) []string {
	t.Helper()
	var programs []string
	if commit := os.Getenv(oldVariable); commit == "" {
		t.Logf("no program of an older version takes part: %s names none", oldVariable)
	} else {
		programs = append(programs, buildCommit(t, commit))
	}
	this, err := binary()
	if err != nil {
		t.Fatalf("build the program: %v", err)
	}
	if !testrun.Full() {
		return append(programs, this, this)
	}
	following, err := nextBinary()
	if err != nil {
		t.Fatalf("build the next version: %v", err)
	}
	return append(programs, this, following)
}

// buildCommit builds the program at a commit.
func buildCommit(t *testing.T, commit string) string {
	t.Helper()
	sources := t.TempDir()
	// "-e" would not detect that the first of the two has failed.
	unpack := exec.Command("bash", "-c",
		`set -o pipefail; git archive "$1" | tar -x -C "$2"`, "unpack", commit, sources)
	unpack.Dir = ".."
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("%s=%s: there is no such version in the history here: %v\n%s",
			oldVariable, commit, err, out)
	}
	path := filepath.Join(sources, "old-mintmark")
	if err := build(sources, "-o", path); err != nil {
		t.Fatalf("build %s: %v", commit, err)
	}
	return path
}

// nextMigration is the migration of the next version: it adds everything that the rule for
// migrations allows.
const nextMigration = `-- What a later version might need.

-- +goose Up
ALTER TABLE cards ADD COLUMN next_note TEXT;
ALTER TABLE cards ADD COLUMN next_count BIGINT NOT NULL DEFAULT 7;
ALTER TABLE audit ADD COLUMN next_kind TEXT NOT NULL DEFAULT 'none';
CREATE INDEX cards_next ON cards (program_id, next_count);
CREATE TABLE next_things (
    card_id BIGINT NOT NULL PRIMARY KEY REFERENCES cards (card_id),
    thing   TEXT NOT NULL
);
`

// nextBinary builds the next version once: this program with one more migration. The compiler gets
// the migration as an overlay, so no file is added to the sources.
var nextBinary = sync.OnceValues(func() (string, error) {
	this, err := binary()
	if err != nil {
		return "", err
	}
	directory := filepath.Dir(this)
	added := filepath.Join(directory, "next.sql")
	if err := os.WriteFile(added, []byte(nextMigration), 0o600); err != nil {
		return "", err
	}
	migrations, err := filepath.Abs("../internal/store/sqlstore/migrations")
	if err != nil {
		return "", err
	}
	there, err := os.ReadDir(filepath.Join(migrations, "postgres"))
	if err != nil {
		return "", err
	}
	// The files are sorted by number.
	last, err := goose.NumericComponent(there[len(there)-1].Name())
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("%05d_next.sql", last+1)
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(migrations, "postgres", name): added,
		filepath.Join(migrations, "sqlite", name):   added,
	}})
	if err != nil {
		return "", err
	}
	list := filepath.Join(directory, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return "", err
	}
	path := filepath.Join(directory, "next-mintmark")
	return path, build("..", "-overlay", list, "-o", path)
})
