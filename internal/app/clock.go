package app

import (
	"context"
	"time"

	"mintmark/internal/base/clock"
)

var clockJumps = describe("clock_jumps_total",
	"How often the clock of this machine was set by more than 5 seconds at once.")

// clockState is the state of the clock in /readyz?verbose.
type clockState struct {
	Jumps int       `json:"jumps"` // since the start
	Last  time.Time `json:"last"`  // time of the last jump, without the jump
	By    string    `json:"by"`    // negative when the clock was set back
	Taken bool      `json:"taken"` // the clock has stayed there
}

// clockState returns nil for a clock that has not jumped.
func (a *App) clockState() *clockState {
	machine := a.Clock.Machine()
	if machine == nil {
		return nil
	}
	count, last := machine.Jumps()
	if count == 0 {
		return nil
	}
	return &clockState{Jumps: count, Last: last.At.UTC(), By: last.By.String(), Taken: last.Taken}
}

// recordJumps records each jump of this machine's clock, in the log and in the audit, until the
// context ends.
func (a *App) recordJumps(ctx context.Context) {
	machine := a.Clock.Machine()
	if machine == nil {
		return
	}
	var entered time.Time // by the wall clock and its monotonic reading
	machine.Watch(ctx, func(jump clock.Jump) {
		told := []any{"by", jump.By, "at", jump.At.UTC()}
		// A clock that jumps back and forth must not flood the audit.
		if !a.Sandbox && (jump.Taken || time.Since(entered) >= time.Minute) {
			entered = time.Now()
			noting, cancel := context.WithTimeout(ctx, noteJumpWithin)
			if err := a.service.Overview.NoteJump(noting, a.node, jump); err != nil {
				told = append(told, "error", err)
			}
			cancel()
		}
		if jump.Taken {
			a.Log.ErrorContext(ctx,
				"system time adopted after a clock jump", told...)
		} else {
			a.Log.ErrorContext(ctx, "system clock jumped", told...)
		}
	})
}

// noteJumpWithin is the timeout for recording a jump in the audit.
const noteJumpWithin = 5 * time.Second

// checkClock logs at the start that the database has acts in the future, and corrects what waits
// for those times. A sandbox's clock may be set back.
func (a *App) checkClock(ctx context.Context) error {
	if a.Sandbox {
		return nil
	}
	back, err := a.service.Overview.MendFuture(ctx, a.node)
	if err == nil && back > 0 {
		a.Log.ErrorContext(ctx, "database clock was set back: the newest act is in the future",
			"by", -back)
	}
	return err
}

// watchServerEvery is the interval of watchServerClock. A clock that was set back, even because
// another server replaced the previous one, is corrected within it.
const watchServerEvery = 5 * time.Second

// watchServerClock corrects the times in the future that remain after a database server's clock was
// set back, until the context ends. The embedded database follows the clock of this machine: see
// recordJumps.
func (a *App) watchServerClock(ctx context.Context) {
	ticker := time.NewTicker(watchServerEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			a.mendSetBack(ctx)
		case <-ctx.Done():
			return
		}
	}
}

func (a *App) mendSetBack(ctx context.Context) {
	err := a.store.Server.HandleClockSetBack(func(by time.Duration) error {
		a.Log.ErrorContext(ctx, "database server clock was set back", "by", -by)
		return a.service.Overview.RepairTimes(ctx, a.node, by)
	})
	if err != nil && ctx.Err() == nil {
		a.Log.WarnContext(ctx, "correcting times in the future failed", "error", err)
	}
}
