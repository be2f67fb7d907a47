package tidy

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/e2e/ledger"
	"mintmark/internal/fault"
	"mintmark/internal/openapi"
)

var update = flag.Bool("update", false, "print docs/errors.md anew")

// TestManual holds docs/errors.md against what it is printed from: the catalogue, the route table
// and the end-to-end cases. It stands here because none of the three may import the others.
func TestManual(t *testing.T) {
	path := filepath.Join(root, "docs", "errors.md")
	now := fault.Manual(fault.Sources{
		Operations: openapi.AnsweredBy,
		Cases:      ledger.Names,
	})
	if *update {
		if err := os.WriteFile(path, now, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(kept), string(now)); diff != "" {
		t.Errorf("docs/errors.md differs; if that is meant, run make docs (-file +now):\n%s", diff)
	}
}
