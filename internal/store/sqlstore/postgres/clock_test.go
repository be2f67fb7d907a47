package postgres

import (
	"testing"
	"time"

	"mintmark/internal/base/clock"
)

// TestServerClockSetBack holds that an Update is never older than the one before it, but for a
// server whose clock was set back far.
func TestServerClockSetBack(t *testing.T) {
	t.Parallel()
	e := &Engine{}
	at := time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct{ off, want time.Duration }{
		{0, 0}, {clock.MostStep, clock.MostStep}, {0, clock.MostStep},
		{30 * 24 * time.Hour, 30 * 24 * time.Hour}, {0, 0}, {-2 * time.Hour, -2 * time.Hour},
	} {
		if got := e.updateTime(at.Add(row.off).UnixMilli()); !got.Equal(at.Add(row.want)) {
			t.Errorf("%v off the time is %v, want %v off", row.off, got, row.want)
		}
	}
}
