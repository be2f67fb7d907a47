package overview

import (
	"context"
	"slices"

	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/events"
	"mintmark/internal/store"
)

// Frame is the data around every page: what an operator may see, by name, and what waits for the
// operator.
type Frame struct {
	Banks    []store.Bank
	Programs []store.ProgramName
	Waiting  []issuing.Approval  // the newest
	Others   []operator.Identity // active people besides the operator, who may approve
	FourEyes bool                // acts outside any program need a second operator

	FailedOrders, FailingWebhooks int
}

// Frame returns the data around a page, from one snapshot.
func (s *Service) Frame(ctx context.Context, who operator.Identity) (Frame, error) {
	return store.ViewOf(ctx, s.Store, func(r store.Tx) (frame Frame, err error) {
		banks, err := r.Banks().List()
		if err != nil {
			return frame, err
		}
		programs, err := r.Programs().ListNames()
		if err != nil {
			return frame, err
		}
		frame.Banks = slices.DeleteFunc(banks, func(b store.Bank) bool {
			return !who.Scope.Includes(b.ID)
		})
		frame.Programs = slices.DeleteFunc(programs, func(p store.ProgramName) bool {
			return !who.Scope.Includes(p.BankID)
		})
		frame.FourEyes = s.FourEyes != nil && s.FourEyes()
		frame.Waiting, err = s.WaitingApprovals(r, who)
		if err != nil {
			return frame, err
		}
		people, err := r.Operators().List()
		if err != nil {
			return frame, err
		}
		for _, p := range people {
			if p.Standing() == operator.Active && p.Identity().Person() != who.Person() {
				frame.Others = append(frame.Others, p.Identity())
			}
		}
		troubles, err := r.Webhooks().CountProblems(r.Now().Add(-events.LongestWait))
		for _, trouble := range troubles {
			seen := slices.ContainsFunc(frame.Programs, func(p store.ProgramName) bool {
				return p.ID == trouble.ProgramID
			})
			if seen {
				frame.FailedOrders += trouble.FailedOrders
				frame.FailingWebhooks += trouble.Webhooks
			}
		}
		return frame, err
	})
}
