package api

import (
	"sync"

	"mintmark/internal/issuing"
)

// snapshots keeps the settings of each program as they were written last. They are long and stay
// the same for minutes, while every caller may ask for them at any time. The zero value is ready.
type snapshots struct {
	mu     sync.Mutex
	byCall map[snapshotKey]snapshot
}

type snapshotKey struct{ programID, version int }

type snapshot struct {
	number int64 // of the snapshot of the settings
	text   written
}

// show writes settings for the version of a call, unless they were written already.
func (s *snapshots) show(c *call, settings issuing.ProgramSettings) (written, error) {
	key := snapshotKey{c.who.ProgramID, c.version}
	s.mu.Lock()
	last, known := s.byCall[key]
	s.mu.Unlock()
	if known && last.number == settings.Snapshot {
		return last.text, nil
	}
	shown := settings.Settings
	if c.version > 1 {
		shown = shown.WithoutDeprecated()
	}
	text, err := marshal(shown)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byCall == nil {
		s.byCall = make(map[snapshotKey]snapshot)
	}
	s.byCall[key] = snapshot{settings.Snapshot, text}
	return text, nil
}
