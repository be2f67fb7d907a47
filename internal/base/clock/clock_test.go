package clock_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/testkit/testrun"
)

var june = time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)

func TestSetting(t *testing.T) {
	t.Parallel()
	engine := time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)
	for name, row := range map[string]struct {
		setting clock.Setting
		want    time.Time
	}{
		"no difference":       {clock.Setting{}, engine},
		"ahead":               {clock.Setting{Offset: time.Hour}, engine.Add(time.Hour)},
		"behind":              {clock.Setting{Offset: -time.Hour}, engine.Add(-time.Hour)},
		"frozen":              {clock.Setting{Frozen: june}, june},
		"frozen with offset":  {clock.Setting{Offset: time.Hour, Frozen: june}, june},
		"advanced":            {clock.Setting{}.Advance(time.Hour), engine.Add(time.Hour)},
		"advanced and frozen": {clock.Setting{Frozen: june}.Advance(1), june.Add(1)},
		"thawed":              {clock.Setting{Frozen: june}.Thaw(engine), june},
		"thawed for a while": {
			clock.Setting{Frozen: june}.Thaw(engine.Add(-time.Hour)), june.Add(time.Hour),
		},
		"thawed while it runs": {
			clock.Setting{Offset: time.Hour}.Thaw(engine.Add(-time.Hour)), engine.Add(time.Hour),
		},
	} {
		if got := row.setting.At(engine); !got.Equal(row.want) {
			t.Errorf("%s: the time is %s, want %s", name, got, row.want)
		}
		if got := clock.New(row.setting).At(engine); !got.Equal(row.want) {
			t.Errorf("%s: the time of a clock is %s, want %s", name, got, row.want)
		}
	}
}

// TestClockRunsAndIsMoved moves one clock in all ways that a sandbox does.
func TestClockRunsAndIsMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		c := clock.New(clock.Setting{})
		check := func(what string, want time.Time) {
			t.Helper()
			if got := c.Now(); !got.Equal(want) {
				t.Errorf("%s the time is %s, want %s", what, got, want)
			}
		}
		check("at first", began)
		testrun.Pass(time.Minute)
		check("after a minute", began.Add(time.Minute))
		c.Advance(time.Hour)
		check("an hour ahead", began.Add(time.Hour+time.Minute))
		c.Set(clock.Setting{Frozen: c.Now()})
		testrun.Pass(time.Minute)
		check("while frozen", began.Add(time.Hour+time.Minute))
		c.Advance(time.Hour)
		check("advanced while frozen", began.Add(2*time.Hour+time.Minute))
		c.Thaw()
		testrun.Pass(time.Minute)
		check("thawed", began.Add(2*time.Hour+2*time.Minute))
		c.Set(clock.Setting{})
		check("set back", began.Add(3*time.Minute))
	})
}

// TestNilClockFollowsTheWall checks that a nil clock tells the wall clock's time and can wait.
func TestNilClockFollowsTheWall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c *clock.Clock
		began := time.Now()
		if !c.Now().Equal(began) || !c.At(june).Equal(june) {
			t.Errorf("at %s the time is %s", began, c.Now())
		}
		err := c.Wait(t.Context(), began.Add(time.Hour))
		if took := time.Since(began); err != nil || took != time.Hour {
			t.Errorf("it waited %s: %v", took, err)
		}
	})
}

// TestWait checks that a wait ends when business time reaches its end, whatever moves it there.
func TestWait(t *testing.T) {
	for name, row := range map[string]struct {
		setting clock.Setting
		move    func(*clock.Clock) // after a minute
		took    time.Duration
		want    error
	}{
		"it runs there":       {clock.Setting{}, func(*clock.Clock) {}, time.Hour, nil},
		"it is advanced":      {clock.Setting{}, by(time.Hour), time.Minute, nil},
		"it is advanced less": {clock.Setting{}, by(30 * time.Minute), 30 * time.Minute, nil},
		"it is frozen": {clock.Setting{Frozen: time.Now()}, func(c *clock.Clock) {
			c.Advance(59 * time.Minute)
			<-time.After(10 * time.Hour)
			c.Advance(time.Minute)
		}, 10*time.Hour + time.Minute, nil},
		"it is set back a little": {clock.Setting{}, by(-time.Second), 3601 * time.Second, nil},
		"it is set back":          {clock.Setting{}, by(-time.Hour), time.Minute, clock.ErrSetBack},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := clock.New(row.setting)
				began, until := time.Now(), c.Now().Add(time.Hour)
				go func() {
					<-time.After(time.Minute)
					row.move(c)
				}()
				err := c.Wait(t.Context(), until)
				if took := time.Since(began); !errors.Is(err, row.want) || took != row.took {
					t.Errorf("it waited %s: %v, want %s: %v", took, err, row.took, row.want)
				}
			})
		})
	}
}

func by(d time.Duration) func(*clock.Clock) { return func(c *clock.Clock) { c.Advance(d) } }

func TestWaitEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clock.FrozenAt(june)
		if err := c.Wait(t.Context(), june); err != nil {
			t.Errorf("a moment that has come is waited for: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := c.Wait(ctx, june.Add(time.Second))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the wait ends with %v", err)
		}
		err = c.Wait(ctx, june)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a wait whose context has ended ends with %v", err)
		}
	})
}

// TestMovesAtOnce checks that no move is lost, and that every wait sees the last one.
func TestMovesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clock.FrozenAt(june)
		var waits, moves sync.WaitGroup
		for range 10 {
			waits.Go(func() {
				if err := c.Wait(t.Context(), june.Add(100*time.Second)); err != nil {
					t.Error(err)
				}
			})
			moves.Go(func() {
				for range 10 {
					c.Advance(time.Second)
				}
			})
		}
		moves.Wait()
		waits.Wait()
		if want := june.Add(100 * time.Second); !c.Now().Equal(want) {
			t.Errorf("the time is %s, want %s", c.Now(), want)
		}
	})
}
