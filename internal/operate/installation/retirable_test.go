package installation

import (
	"strings"
	"testing"
	"time"

	"mintmark/internal/domain/digests"
)

// TestRetireWaitsForNumbers checks that a key is needed while a number has no other digest.
func TestRetireWaitsForNumbers(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC)
	state, err := digests.State{Phase: digests.OneKey}.Rotate(digests.Key{ID: 7}, at)
	if err != nil {
		t.Fatal(err)
	}
	err = retirable(state, 0, make([]digests.Sealed, 1), at.Add(time.Hour))
	if err == nil || !strings.Contains(err.Error(), "no digest under the key 7") {
		t.Errorf("the error is %v", err)
	}
	if err := retirable(state, 0, nil, at.Add(time.Hour)); err != nil {
		t.Error(err)
	}
}
