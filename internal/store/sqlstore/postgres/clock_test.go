package postgres

import (
	"errors"
	"testing"
	"time"

	"mintmark/internal/base/clock"
)

// TestServerClockSetBack checks that an Update is never older than the one before it, unless the
// server's clock was set back far.
func TestServerClockSetBack(t *testing.T) {
	t.Parallel()
	e := &Engine{}
	at := time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct{ off, want time.Duration }{
		{0, 0}, {clock.MaxStep, clock.MaxStep}, {0, clock.MaxStep},
		{30 * 24 * time.Hour, 30 * 24 * time.Hour}, {0, 0}, {-2 * time.Hour, -2 * time.Hour},
	} {
		if got := e.updateTime(at.Add(row.off).UnixMilli()); !got.Equal(at.Add(row.want)) {
			t.Errorf("%v off the time is %v, want %v off", row.off, got, row.want)
		}
	}
	broken := errors.New("broken")
	for _, row := range []struct {
		fails error
		want  time.Duration // the reported setback of the clock
	}{{broken, 2 * time.Hour}, {nil, 2 * time.Hour}, {nil, 0}} {
		got := time.Duration(0)
		err := e.HandleClockSetBack(func(by time.Duration) error { got = by; return row.fails })
		if got != row.want || !errors.Is(err, row.fails) {
			t.Errorf("set back by %v, %v, want %v, %v", got, err, row.want, row.fails)
		}
	}
}

// TestAhead checks that the estimate of how far the server's clock is ahead changes only if the
// clock shows a time outside the interval in which it was read.
func TestAhead(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)
	running := time.Duration(0)
	e := &Engine{clock: clock.Follow(clock.NewMachine(func() (time.Time, time.Duration) {
		return start.Add(running), running
	}))}
	for _, row := range []struct{ shown, want time.Duration }{
		{0, 0}, {time.Second, 0}, {-time.Minute, -time.Minute + time.Millisecond},
		{-time.Minute + time.Second, -time.Minute + time.Millisecond},
		{time.Hour, time.Hour - time.Second}, {time.Second / 2, time.Second/2 + time.Millisecond},
	} {
		sent := e.clock.Engine()
		running += time.Second
		e.learn(sent.Add(row.shown).UnixMilli(), sent)
		if got := e.Ahead(); got != row.want {
			t.Errorf("a server that shows %v reads as %v ahead, want %v", row.shown, got, row.want)
		}
	}
}
