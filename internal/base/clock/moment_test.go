package clock_test

import (
	"context"
	"testing"
	"time"

	"mintmark/internal/base/clock"
)

// TestMoment holds that the moment of a context stands in for any other, also in contexts that are
// made of it.
func TestMoment(t *testing.T) {
	t.Parallel()
	other := june.Add(time.Hour)
	if got := clock.TimeOr(t.Context(), other); !got.Equal(other) {
		t.Errorf("without a moment it is %s", got)
	}
	ctx := context.WithoutCancel(clock.WithTime(t.Context(), june))
	if got := clock.TimeOr(ctx, other); !got.Equal(june) {
		t.Errorf("with a moment it is %s", got)
	}
}
