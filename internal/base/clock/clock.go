// Package clock is the one source of business time in a process: the time at which cards are made,
// secrets expire, rates refill, settings grow old and jobs fall due. Business time is the time of
// this machine, without short jumps of its clock (Machine), plus an offset, or a moment at which it
// is frozen. A transaction that writes to PostgreSQL takes the time of the database server instead,
// with the same offset or moment. Only a sandbox and tests move it. Deadlines, measurements and log
// lines go by the wall clock, package time, and .golangci.yml lists the files that do.
package clock

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// Setting is how business time differs from the time of the engine. The zero value is no
// difference. All nodes that share a setting agree on the time as far as their engines do.
type Setting struct {
	Offset time.Duration // added to the time of the engine
	Frozen time.Time     // the moment at which time stands still; zero while it runs
}

// At returns the business time at a moment of the engine.
func (s Setting) At(engine time.Time) time.Time {
	if !s.Frozen.IsZero() {
		return s.Frozen
	}
	return engine.Add(s.Offset)
}

// RunningAt returns the setting by which it is a moment now, and time runs.
func RunningAt(moment time.Time) Setting { return Setting{Offset: time.Until(moment)} }

// Advance returns the setting that is later by d. Frozen time stays frozen.
func (s Setting) Advance(d time.Duration) Setting {
	if !s.Frozen.IsZero() {
		s.Frozen = s.Frozen.Add(d)
		return s
	}
	s.Offset += d
	return s
}

// Thaw returns the setting under which time runs on from where it stands. Time that runs runs on.
func (s Setting) Thaw(engine time.Time) Setting {
	if s.Frozen.IsZero() {
		return s
	}
	return Setting{Offset: s.Frozen.Sub(engine)}
}

// Clock tells business time by a setting that can change. It is safe for concurrent use. A nil
// Clock follows the engine and cannot be moved.
type Clock struct {
	machine *Machine // nil for the wall clock as it is
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

// On returns a clock that shows the time of a machine.
func On(machine *Machine) *Clock {
	c := New(Setting{})
	c.machine = machine
	return c
}

// FrozenAt returns a clock that stands still at a moment until it is moved.
func FrozenAt(moment time.Time) *Clock { return New(Setting{Frozen: moment}) }

// Now returns the business time of this machine.
func (c *Clock) Now() time.Time { return c.current().At(c.Engine()) }

// Engine returns the time of this machine, which the setting makes business time of.
func (c *Clock) Engine() time.Time {
	if c == nil || c.machine == nil {
		return time.Now()
	}
	return c.machine.Now()
}

// Machine returns the machine whose time the clock shows; nil for the wall clock as it is.
func (c *Clock) Machine() *Machine {
	if c == nil {
		return nil
	}
	return c.machine
}

// At returns the business time at a moment of the engine. A database server has its own.
func (c *Clock) At(engine time.Time) time.Time { return c.current().At(engine) }

// Setting returns how business time differs from that of the engine now.
func (c *Clock) Setting() Setting { return c.current().Setting }

// Frozen reports whether time stands still.
func (c *Clock) Frozen() bool { return !c.current().Frozen.IsZero() }

// Set replaces the setting. It may set the clock back: whether that is allowed is for the caller
// to decide.
func (c *Clock) Set(setting Setting) { c.replace(func(Setting) Setting { return setting }) }

// Advance moves the clock forward by d.
func (c *Clock) Advance(d time.Duration) {
	c.replace(func(before Setting) Setting { return before.Advance(d) })
}

// Freeze has time stand still where it is, and returns that moment, in whole milliseconds.
func (c *Clock) Freeze() time.Time {
	c.replace(func(before Setting) Setting {
		return Setting{Frozen: before.At(c.Engine()).UTC().Truncate(time.Millisecond)}
	})
	return c.Now()
}

// Thaw lets time run on from where it stands.
func (c *Clock) Thaw() {
	c.replace(func(before Setting) Setting { return before.Thaw(c.Engine()) })
}

// ErrSetBack ends a wait during which the clock was set back.
var ErrSetBack = errors.New("clock: set back")

// Wait returns nil when business time has reached a moment, whether it ran there or was moved. It
// returns ErrSetBack when the clock is set back to before the wait began, because what the moment
// was computed from is then undone, and the error of the context when that ends first.
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

// wait returns when the time has passed, the setting is replaced or the context ends. While time
// is frozen it does not pass.
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
