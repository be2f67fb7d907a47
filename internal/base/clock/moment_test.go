package clock_test

import (
	"context"
	"testing"
	"time"

	"mintmark/internal/base/clock"
)

// TestMoment checks that the time of a context takes precedence over any other, also in derived
// contexts.
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
