package overview

import (
	"context"

	"mintmark/internal/issuing"
	"mintmark/internal/issuing/keys"
	"mintmark/internal/store"
)

// JobDetail is the state of a job, with its progress.
type JobDetail struct {
	store.JobState
	Progress *keys.Progress // nil for a job that does not report it, or has nothing to do
}

// JobStates returns a page of the states of the jobs for an operator, by name. The error of a job
// may name data of any bank, so only an operator of all banks may read it.
func (s *Service) JobStates(
	ctx context.Context, who issuing.Operator, page issuing.Page,
) (items []JobDetail, last string, err error) {
	err = s.Store.View(ctx, func(r store.Tx) error {
		states, err := r.Jobs().List()
		if err != nil {
			return err
		}
		all := make([]JobDetail, len(states))
		for i, state := range states {
			if !who.Scope.All {
				state.Error = ""
			}
			all[i].JobState = state
		}
		name := func(state JobDetail) string { return state.Name }
		items, last = issuing.PageBy(all, page, page.After, name)
		for i := range items {
			if items[i].Name != keys.ReencryptJob {
				continue
			}
			items[i].Progress, err = keys.ReencryptProgress(s.Service, r, who.Scope)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return items, last, err
}

// Jobs returns the states of the jobs of all nodes, by name.
func (s *Service) Jobs(ctx context.Context) ([]store.JobState, error) {
	return store.ViewOf(ctx, s.Store, func(r store.Tx) ([]store.JobState, error) {
		return r.Jobs().List()
	})
}
