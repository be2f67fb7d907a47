package clock

import (
	"context"
	"sync"
	"time"
)

const (
	// MaxStep is the largest step of a machine's clock that is not a jump.
	MaxStep = 5 * time.Second
	// jumpLasts is how long a clock must stay at its new time before the jump is accepted.
	jumpLasts = 4 * time.Second
)

// Jump is a step of a machine's clock by more than MaxStep, in either direction.
type Jump struct {
	At    time.Time     // time of the machine when the jump was detected, without the jump
	By    time.Duration // negative when the clock was set back
	Taken bool          // the clock has stayed there: from now on its time counts
}

// Machine is the clock of a machine, without its short jumps. The monotonic clock predicts the time
// of the wall clock. After a jump, Machine ignores the jump for jumpLasts, and follows the wall
// clock only if it is still there then. It is safe for concurrent use.
type Machine struct {
	read   func() (wall time.Time, running time.Duration)
	jumped chan Jump

	mu    sync.Mutex
	now   time.Time     // the last time returned
	at    time.Duration // monotonic clock at that time
	jump  *Jump         // not accepted yet; nil while the clock is as predicted
	since time.Duration // monotonic clock when the jump was detected
	jumps int
	last  Jump
}

// OfMachine returns the clock of this machine.
func OfMachine() *Machine {
	began := time.Now()
	return NewMachine(func() (time.Time, time.Duration) {
		now := time.Now()
		// Without its monotonic part the wall clock reveals that it was set.
		return now.Round(0), now.Sub(began)
	})
}

// NewMachine returns a machine with a wall clock and a monotonic clock that are read together.
func NewMachine(read func() (wall time.Time, running time.Duration)) *Machine {
	return &Machine{read: read, jumped: make(chan Jump, 16)}
}

// Now returns the time. It goes back only when a jump back is accepted.
func (m *Machine) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	wall, running := m.read()
	if m.now.IsZero() {
		m.now, m.at = wall, running
	}
	expected := m.now.Add(running - m.at)
	off := wall.Sub(expected)
	switch {
	case off.Abs() <= MaxStep:
		expected, m.jump = m.now, nil
		if wall.After(m.now) {
			expected = wall
		}
	case m.jump == nil || (off-m.jump.By).Abs() > MaxStep:
		m.jump, m.since = &Jump{At: expected, By: off}, running
		m.tell(*m.jump)
	case running-m.since >= jumpLasts:
		m.tell(Jump{At: expected, By: off, Taken: true})
		expected, m.jump = wall, nil
	}
	m.now, m.at = expected, running
	return expected
}

// tell records a jump and queues it for Watch. When the queue is full, Watch misses the jump.
func (m *Machine) tell(jump Jump) {
	m.last = jump
	if !jump.Taken {
		m.jumps++
	}
	select {
	case m.jumped <- jump:
	default:
	}
}

// watchEvery is the interval at which Watch reads the clock.
const watchEvery = 250 * time.Millisecond

// Watch calls a function for each jump when it is detected, and again when it is accepted, until
// the context ends.
func (m *Machine) Watch(ctx context.Context, jumped func(Jump)) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case jump := <-m.jumped:
			jumped(jump)
		case <-ticker.C:
			m.Now()
		case <-ctx.Done():
			return
		}
	}
}

// Jumps returns how many jumps were detected, and the last one.
func (m *Machine) Jumps() (count int, last Jump) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.jumps, m.last
}
