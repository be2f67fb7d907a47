package issuing

import (
	"context"

	"mintmark/internal/store"
)

// JobStates returns a page of the states of the jobs for an operator, by their names. Why a job has
// failed may name what belongs to any bank, so only an operator of all banks reads it.
func (s *Service) JobStates(
	ctx context.Context, who Operator, page Page,
) (items []store.JobState, last string, err error) {
	states, err := s.Jobs(ctx)
	if err != nil {
		return nil, "", toFault(err)
	}
	for i := range states {
		if !who.Scope.All {
			states[i].Error = ""
		}
	}
	name := func(state store.JobState) string { return state.Name }
	items, last = pageBy(states, page, page.After, name)
	return items, last, nil
}
