package openapi

import (
	"testing"

	"mintmark/internal/testkit/golden"
)

// TestGoldenOperatorsDocument compares the file in the repository with the table that it is printed
// from.
func TestGoldenOperatorsDocument(t *testing.T) {
	golden.Compare(t, "../../../admin.openapi.yaml", Operators())
}

// TestOperatorsDocumentIsValid has another library judge the document.
func TestOperatorsDocumentIsValid(t *testing.T) {
	if err := load(t, Operators()).Validate(t.Context()); err != nil {
		t.Error(err)
	}
}
