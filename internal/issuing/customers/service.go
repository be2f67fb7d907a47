// Package customers holds the acts on customers, their accounts and the access to them, the rows
// that banks feed, and erasure.
package customers

import "mintmark/internal/issuing"

// Service performs the acts.
type Service struct {
	*issuing.Service
}

// New returns a Service on top of s.
func New(s *issuing.Service) *Service { return &Service{Service: s} }
