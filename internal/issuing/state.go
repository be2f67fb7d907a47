package issuing

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"mintmark/internal/domain/program"
)

// memoryState is the in-memory state of the service as stored in a sandbox snapshot.
type memoryState struct {
	Programs []rememberedProgram `json:"programs,omitempty"`
	Refused  []rememberedRefusal `json:"refused,omitempty"`
}

type rememberedProgram struct {
	ID       int              `json:"id"`
	BankID   int              `json:"bankId"`
	Zone     string           `json:"zone"`
	Settings program.Settings `json:"settings"`
	Taken    time.Time        `json:"taken"`
}

type rememberedRefusal struct {
	Key   string       `json:"key"`
	Count refusalCount `json:"count"`
}

// State returns the in-memory state of the service: the settings of programs as callers see them,
// and the refusals that are not in the audit yet.
func (s *Service) State() ([]byte, error) {
	var state memoryState
	generation := s.Generation.Number()
	s.ProgramCache.byID.Range(func(id, value any) bool {
		if p := value.(*Program); p.generation == generation {
			state.Programs = append(state.Programs, rememberedProgram{
				id.(int), p.BankID, p.Zone.String(), p.Settings, p.taken,
			})
		}
		return true
	})
	slices.SortFunc(state.Programs, func(a, b rememberedProgram) int { return a.ID - b.ID })
	state.Refused = s.refused.list()
	return json.Marshal(state)
}

// Restore replaces the in-memory state with one that State returned, or clears it if text is empty.
func (s *Service) Restore(text []byte) error {
	var state memoryState
	if len(text) > 0 {
		if err := json.Unmarshal(text, &state); err != nil {
			return fmt.Errorf("read the state of the service: %w", err)
		}
	}
	s.ProgramCache.byID.Clear()
	generation := s.Generation.Number()
	for _, r := range state.Programs {
		zone, err := time.LoadLocation(r.Zone)
		if err != nil {
			return fmt.Errorf("program %d: %w", r.ID, err)
		}
		s.ProgramCache.byID.Store(r.ID, &Program{
			BankID: r.BankID, Zone: zone, Settings: r.Settings, taken: r.Taken, generation: generation,
			Version: s.ProgramCache.newest.Add(1),
		})
	}
	s.refused.take()
	for _, r := range state.Refused {
		s.refused.add(refusalKind{r.Key, r.Count.Code}, r.Count)
	}
	return nil
}

// list returns the counts, ordered by key and code.
func (f *refusals) list() []rememberedRefusal {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []rememberedRefusal
	for kind, count := range f.counted {
		all = append(all, rememberedRefusal{kind.key, *count})
	}
	slices.SortFunc(all, func(a, b rememberedRefusal) int {
		if a.Key != b.Key {
			return strings.Compare(a.Key, b.Key)
		}
		return a.Count.Code - b.Count.Code
	})
	return all
}
