// Package programs holds the acts that set up banks and programs, with their BINs, parts and
// documents.
package programs

import "mintmark/internal/issuing"

// Service performs the acts.
type Service struct {
	*issuing.Service

	long *issuing.ResponseSlots // each long list of documents, and each download, holds a slot
}

// New returns a Service on top of s.
func New(s *issuing.Service) *Service {
	return &Service{Service: s, long: issuing.NewLongAnswers()}
}
