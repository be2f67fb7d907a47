package importer

import (
	"errors"
	"strings"
	"testing"
)

// TestProblemsOfALongFile checks that a file with a problem in each of its many rows takes no more
// memory than the listed problems.
func TestProblemsOfALongFile(t *testing.T) {
	t.Parallel()
	p := NewProblems("list")
	for line := range 3 * maxListed {
		p.Add(line, "cardId", "must be a number")
		p.Add(line, "cardId", "is a second problem of the same member")
	}
	if len(p.known) != maxListed || len(p.List) != maxListed {
		t.Errorf("%d places are remembered, and %d problems", len(p.known), len(p.List))
	}
	var listed *Problems
	if !errors.As(p.Err(), &listed) || p.Noted != 6*maxListed ||
		!strings.HasSuffix(listed.Error(), "and 4000 more") {
		t.Errorf("%d are noted: %.200s", p.Noted, p.Err())
	}
}
