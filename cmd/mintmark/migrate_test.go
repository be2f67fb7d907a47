package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mintmark/internal/importer/load"
	"mintmark/internal/testkit/testinstall"
)

// TestReadersDoNotMigrate checks that every command that only reads refuses a database with the
// tables of another version.
func TestReadersDoNotMigrate(t *testing.T) {
	t.Parallel()
	w := testinstall.New(t, "")
	w.Exec(`DELETE FROM goose_db_version
		WHERE version_id = (SELECT MAX(version_id) FROM goose_db_version)`)
	bank := filepath.Join(t.TempDir(), "bank.yaml")
	if err := os.WriteFile(bank, []byte(load.Example), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"audit verify", "audit checkpoint", "audit proof 1", "audit export", "digest-key status",
		"key-file recipient", "export", "feed --dry-run " + bank, "card import --plain --dry-run " + bank,
		"program export --program 1 --recipient age1x --out " + bank + ".age",
		"program import --dry-run --in " + bank, "load --dry-run " + bank,
	} {
		wantFailure(t, "schema version differs: the tables have version",
			append(strings.Fields(line), "--data", w.Data)...)
	}
}
