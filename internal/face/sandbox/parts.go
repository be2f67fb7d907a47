package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	wire "mintmark/client/sandbox"
	"mintmark/internal/base/chance"
	"mintmark/internal/base/clock"
)

// Noted is a part of a sandbox that remembers more than the store, and is put back with it.
type Noted interface {
	// State is what the part remembers, as text that Restore reads.
	State() ([]byte, error)
	// Restore has the part remember that, and nothing else. Without a state it is as in a sandbox
	// that was just started.
	Restore(state []byte) error
}

// note is what a snapshot holds beside the data.
type note struct {
	Made  time.Time         `json:"made"` // wall time
	Clock wire.Clock        `json:"clock"`
	Parts map[string][]byte `json:"parts"`
}

// makeNote returns the note of a snapshot of now.
func (s *Controls) makeNote() ([]byte, error) {
	n := note{Made: time.Now().UTC(), Clock: s.clock(), Parts: make(map[string][]byte)}
	for name, part := range s.Noted {
		state, err := part.State()
		if err != nil {
			return nil, fmt.Errorf("the state of %s: %w", name, err)
		}
		n.Parts[name] = state
	}
	return json.Marshal(n)
}

func readNote(text []byte) (note, error) {
	var n note
	if err := json.Unmarshal(text, &n); err != nil {
		return n, fmt.Errorf("the note of a snapshot: %w", err)
	}
	return n, nil
}

// setting is the clock of a snapshot, running on from where it was or standing where it stood.
func (n note) setting() clock.Setting {
	if n.Clock.Frozen {
		return clock.Setting{Frozen: n.Clock.Now}
	}
	return clock.RunningAt(n.Clock.Now)
}

// PutBack has all parts remember what a note says, nil for a sandbox that was just started. The
// clock is no such part: all nodes have the same.
func (s *Controls) PutBack(text []byte) error {
	var n note
	if text != nil {
		var err error
		if n, err = readNote(text); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Noted)) {
		if err := s.Noted[name].Restore(n.Parts[name]); err != nil {
			return fmt.Errorf("put %s back: %w", name, err)
		}
	}
	return nil
}

// Streams are the random bytes of a sandbox as a part of it.
type Streams struct{ *chance.Streams }

// State is where the streams are.
func (s Streams) State() ([]byte, error) { return json.Marshal(s.Streams.State()) }

// Restore has the streams go on from there, or begin again.
func (s Streams) Restore(text []byte) error {
	if len(text) == 0 {
		s.Rewind()
		return nil
	}
	state := make(map[string][]byte)
	if err := json.Unmarshal(text, &state); err != nil {
		return fmt.Errorf("the streams of random bytes: %w", err)
	}
	return s.Streams.Restore(state)
}
