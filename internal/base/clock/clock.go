// Package clock is the only source of business time in a process: the time at which cards are
// created, secrets expire, rate limits refill, settings become stale and jobs fall due. Business
// time is the time of this machine, without short jumps of its clock (Machine), plus an offset, or
// a time at which it is frozen. A transaction that writes to PostgreSQL uses the time of the
// database server instead, with the same offset or frozen time. Only a sandbox and tests move
// business time. Deadlines, measurements and log lines use the wall clock of package time;
// .golangci.yml lists the files that do.
package clock

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// Setting is the difference between business time and the time of the engine. The zero value means
// no difference. Nodes with the same setting agree on the time as closely as their engines do.
type Setting struct {
	Offset time.Duration // added to the time of the engine
	Frozen time.Time     // the time at which the clock is frozen; zero while it runs
}

// At returns the business time at a time of the engine.
func (s Setting) At(engine time.Time) time.Time {
	if !s.Frozen.IsZero() {
		return s.Frozen
	}
	return engine.Add(s.Offset)
}

// RunningAt returns the setting of a running clock that shows the given time now.
func RunningAt(moment time.Time) Setting { return Setting{Offset: time.Until(moment)} }

// Advance returns the setting that is later by d. A frozen clock stays frozen.
func (s Setting) Advance(d time.Duration) Setting {
	if !s.Frozen.IsZero() {
		s.Frozen = s.Frozen.Add(d)
		return s
	}
	s.Offset += d
	return s
}

// Thaw returns the setting with which a frozen clock runs on from its frozen time. A running clock
// keeps running.
func (s Setting) Thaw(engine time.Time) Setting {
	if s.Frozen.IsZero() {
		return s
	}
	return Setting{Offset: s.Frozen.Sub(engine)}
}

// Clock shows business time by a setting that can change. It is safe for concurrent use. A nil
// Clock follows the engine and cannot be moved.
type Clock struct {
	machine *Machine // nil for the unfiltered wall clock
	state   atomic.Pointer[state]
}

// state is a setting, and a channel that is closed when another setting replaces it.
type state struct {
	Setting
	replaced chan struct{}
}

// unmoved is the state of a nil Clock.
var unmoved = &state{}

// New returns a clock with a setting.
func New(setting Setting) *Clock {
	c := &Clock{}
	c.state.Store(&state{setting, make(chan struct{})})
	return c
}

// Follow returns a clock that follows a machine.
func Follow(machine *Machine) *Clock {
	c := New(Setting{})
	c.machine = machine
	return c
}

// FrozenAt returns a clock that is frozen at a time until it is moved.
func FrozenAt(moment time.Time) *Clock { return New(Setting{Frozen: moment}) }

// Now returns the business time of this machine.
func (c *Clock) Now() time.Time { return c.current().At(c.Engine()) }

// Engine returns the time of this machine, from which the setting derives business time.
func (c *Clock) Engine() time.Time {
	if c == nil || c.machine == nil {
		return time.Now()
	}
	return c.machine.Now()
}

// Machine returns the machine that the clock follows; nil for the unfiltered wall clock.
func (c *Clock) Machine() *Machine {
	if c == nil {
		return nil
	}
	return c.machine
}

// At returns the business time at a time of the engine. A database server has its own time.
func (c *Clock) At(engine time.Time) time.Time { return c.current().At(engine) }

// Setting returns the current difference between business time and the time of the engine.
func (c *Clock) Setting() Setting { return c.current().Setting }

// Frozen reports whether the clock is frozen.
func (c *Clock) Frozen() bool { return !c.current().Frozen.IsZero() }

// Set replaces the setting. It can set the clock back: the caller decides whether that is allowed.
func (c *Clock) Set(setting Setting) { c.replace(func(Setting) Setting { return setting }) }

// Advance moves the clock forward by d.
func (c *Clock) Advance(d time.Duration) {
	c.replace(func(before Setting) Setting { return before.Advance(d) })
}

// Freeze freezes the clock at the current time, and returns that time, in whole milliseconds.
func (c *Clock) Freeze() time.Time {
	c.replace(func(before Setting) Setting {
		return Setting{Frozen: before.At(c.Engine()).UTC().Truncate(time.Millisecond)}
	})
	return c.Now()
}

// Thaw makes a frozen clock run on from its frozen time.
func (c *Clock) Thaw() {
	c.replace(func(before Setting) Setting { return before.Thaw(c.Engine()) })
}

// ErrSetBack ends a wait during which the clock was set back.
var ErrSetBack = errors.New("clock: set back")

// Wait returns nil when business time has reached a time, whether the clock ran or was moved. It
// returns ErrSetBack when the clock is set back to before the wait began, because that undoes what
// the time was computed from. It returns the context's error when the context ends first.
func (c *Clock) Wait(ctx context.Context, moment time.Time) error {
	began := c.Now()
	for ctx.Err() == nil {
		current := c.current()
		now := current.At(c.Engine())
		if now.Before(began) {
			return ErrSetBack
		}
		left := moment.Sub(now)
		if left <= 0 {
			return nil
		}
		current.wait(ctx, left)
	}
	return ctx.Err()
}

// wait returns when d has passed, the setting is replaced or the context ends. While the clock is
// frozen, no time passes.
func (s *state) wait(ctx context.Context, d time.Duration) {
	var passed <-chan time.Time
	if s.Frozen.IsZero() {
		timer := time.NewTimer(d)
		defer timer.Stop()
		passed = timer.C
	}
	select {
	case <-passed:
	case <-s.replaced:
	case <-ctx.Done():
	}
}

func (c *Clock) current() *state {
	if c == nil {
		return unmoved
	}
	return c.state.Load()
}

func (c *Clock) replace(change func(Setting) Setting) {
	for {
		before := c.state.Load()
		after := &state{change(before.Setting), make(chan struct{})}
		if c.state.CompareAndSwap(before, after) {
			close(before.replaced)
			return
		}
	}
}
