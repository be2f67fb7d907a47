// Package operators holds the acts on operators and their tokens.
package operators

import "mintmark/internal/issuing"

// Service performs the acts.
type Service struct {
	*issuing.Service
}

// New returns a Service on top of s.
func New(s *issuing.Service) *Service { return &Service{Service: s} }
