// Package transfers holds the acts of the card processor on money: authorize, advise, reverse,
// post and release.
package transfers

import "mintmark/internal/issuing"

// Service performs the acts.
type Service struct {
	*issuing.Service

	rules        rulesByProgram
	orderingKeys orderingKeys
}

// New returns a Service on top of s.
func New(s *issuing.Service) *Service { return &Service{Service: s} }
