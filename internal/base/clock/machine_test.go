package clock_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/testkit/testrun"
)

// TestMachine sets the clock of a machine and compares the times that follow.
func TestMachine(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	type look struct{ after, set, want time.Duration } // want is the expected error of the time
	for name, row := range map[string]struct {
		looks []look
		jumps int
		taken bool
	}{
		"a month ahead for a second": {[]look{
			{time.Hour, 0, 0}, {time.Second, 30 * day, 0}, {time.Second, 30 * day, 0},
			{time.Second, 0, 0}, {time.Minute, 0, 0},
		}, 1, false},
		"back by two hours": {[]look{
			{time.Second, -2 * time.Hour, 0}, {3 * time.Second, -2 * time.Hour, 0},
			{time.Second, -2 * time.Hour, -2 * time.Hour}, {day, -2 * time.Hour, -2 * time.Hour},
		}, 1, true},
		"back by forty days": {[]look{
			{time.Second, -40 * day, 0}, {4 * time.Second, -40 * day, -40 * day},
		}, 1, true},
		"to and fro": {[]look{
			{time.Second, day, 0}, {3 * time.Second, -day, 0}, {3 * time.Second, -day, 0},
			{time.Second, -day, -day}, {time.Second, 0, -day}, {4 * time.Second, 0, 0},
		}, 3, true},
		"held while it is a little behind": {[]look{
			{time.Second, -3 * time.Second, -time.Second}, {time.Second, -3 * time.Second, -2 * time.Second},
			{time.Second, -3 * time.Second, -3 * time.Second},
			{time.Second, -7 * time.Second, -4 * time.Second}, {time.Second, -12 * time.Second, -4 * time.Second},
			{4 * time.Second, -12 * time.Second, -12 * time.Second},
		}, 1, true},
		"corrected while it runs": {[]look{
			{time.Second, 2 * time.Second, 2 * time.Second}, {time.Second, 6 * time.Second, 6 * time.Second},
		}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			wall, running := june, time.Duration(0)
			m := clock.NewMachine(func() (time.Time, time.Duration) { return wall, running })
			m.Now()
			for i, look := range row.looks {
				running += look.after
				wall = june.Add(running + look.set)
				if off := m.Now().Sub(june.Add(running)); off != look.want {
					t.Errorf("look %d: the time is %v off, want %v", i, off, look.want)
				}
			}
			count, last := m.Jumps()
			if count != row.jumps || last.Taken != row.taken {
				t.Errorf("%d jumps, the last %+v", count, last)
			}
		})
	}
}

// TestWatch checks that each jump is reported although nothing else reads the time.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var off atomic.Int64 // in nanoseconds
		m := clock.NewMachine(func() (time.Time, time.Duration) {
			return time.Now().Round(0).Add(time.Duration(off.Load())), time.Since(began)
		})
		var told []clock.Jump
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			m.Watch(ctx, func(j clock.Jump) { told = append(told, j) })
		}()
		testrun.Pass(time.Minute)
		off.Store(int64(-time.Hour))
		testrun.Pass(5 * time.Second)
		if len(told) != 2 || told[0].Taken || !told[1].Taken || told[1].By != -time.Hour {
			t.Errorf("told are %+v", told)
		}
		if got := clock.Follow(m).Now(); !got.Equal(time.Now().Add(-time.Hour)) {
			t.Errorf("the time is %s", got)
		}
		cancel()
		<-ended
	})
}
