package tidy

import (
	"path/filepath"
	"testing"

	"mintmark/e2e/ledger"
	"mintmark/internal/domain/fault"
	"mintmark/internal/face/openapi"
	"mintmark/internal/testkit/golden"
)

// TestManual compares docs/errors.md with its sources: the catalogue, the route table and the
// end-to-end cases. It is here because none of the three may import the others.
func TestManual(t *testing.T) {
	path := filepath.Join(root, "docs", "errors.md")
	now := fault.Manual(fault.Sources{
		Operations: openapi.AnsweredBy,
		Cases:      ledger.Names,
	})
	golden.Compare(t, path, now)
}
