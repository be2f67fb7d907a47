package app

import (
	"testing"
	"time"
)

// TestOffset compares a clock with the moments between which it was read.
func TestOffset(t *testing.T) {
	t.Parallel()
	before := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	after := before.Add(time.Second)
	for _, row := range []struct{ shown, want time.Duration }{
		{-time.Minute, -time.Minute}, {-1, -1}, {0, 0}, {time.Millisecond, 0}, {time.Second, 0},
		{time.Second + 1, 1}, {time.Hour, time.Hour - time.Second},
	} {
		if got := offset(before.Add(row.shown), before, after); got != row.want {
			t.Errorf("%v after the first moment it is %v, want %v", row.shown, got, row.want)
		}
	}
}
