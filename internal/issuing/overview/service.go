// Package overview reports the state of the installation: its programs, jobs, backlog, readiness
// and clock.
package overview

import "mintmark/internal/issuing"

// Service performs the acts.
type Service struct {
	*issuing.Service

	readiness readiness
	counts    cardCounts
}

// New returns a Service on top of s.
func New(s *issuing.Service) *Service { return &Service{Service: s} }
