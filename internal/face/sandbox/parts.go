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

// StatefulPart is a part of a sandbox with state outside the store. Snapshots save and restore that
// state together with the data.
type StatefulPart interface {
	// State returns the part's state, for Restore.
	State() ([]byte, error)
	// Restore replaces the part's state. An empty state means that of a sandbox that has just
	// started.
	Restore(state []byte) error
}

// note is what a snapshot stores besides the data.
type note struct {
	Made  time.Time         `json:"made"` // wall time
	Clock wire.Clock        `json:"clock"`
	Parts map[string][]byte `json:"parts"`
}

// makeNote returns the note for a snapshot taken now.
func (s *Controls) makeNote() ([]byte, error) {
	n := note{Made: time.Now().UTC(), Clock: s.clock(), Parts: make(map[string][]byte)}
	for name, part := range s.Parts {
		state, err := part.State()
		if err != nil {
			return nil, fmt.Errorf("save the state of %s: %w", name, err)
		}
		n.Parts[name] = state
	}
	return json.Marshal(n)
}

func readNote(text []byte) (note, error) {
	var n note
	if err := json.Unmarshal(text, &n); err != nil {
		return n, fmt.Errorf("decode the note of a snapshot: %w", err)
	}
	return n, nil
}

// setting returns the clock setting of a snapshot: it continues from the saved time, or stays
// frozen at it.
func (n note) setting() clock.Setting {
	if n.Clock.Frozen {
		return clock.Setting{Frozen: n.Clock.Now}
	}
	return clock.RunningAt(n.Clock.Now)
}

// RestoreParts restores the state of all parts from a note; nil means a sandbox that has just
// started. The clock is not among the parts: all nodes share it.
func (s *Controls) RestoreParts(text []byte) error {
	var n note
	if text != nil {
		var err error
		if n, err = readNote(text); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Parts)) {
		if err := s.Parts[name].Restore(n.Parts[name]); err != nil {
			return fmt.Errorf("restore %s: %w", name, err)
		}
	}
	return nil
}

// Streams makes the random streams of a sandbox a Noted part.
type Streams struct{ *chance.Streams }

// State returns the positions of the streams.
func (s Streams) State() ([]byte, error) { return json.Marshal(s.Streams.State()) }

// Restore sets the positions of the streams, or rewinds them if there is no state.
func (s Streams) Restore(text []byte) error {
	if len(text) == 0 {
		s.Rewind()
		return nil
	}
	state := make(map[string][]byte)
	if err := json.Unmarshal(text, &state); err != nil {
		return fmt.Errorf("restore the random streams: %w", err)
	}
	return s.Streams.Restore(state)
}
