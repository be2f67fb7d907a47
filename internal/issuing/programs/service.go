// Package programs holds the acts that set up banks and programs, with their BINs, parts and
// documents.
package programs

import "mintmark/internal/issuing"

// Service performs the acts.
type Service struct {
	*issuing.Service

	long *issuing.LongAnswers // a place is held by each long list of documents, and by each download
}

// New returns the acts over a service.
func New(s *issuing.Service) *Service {
	return &Service{Service: s, long: issuing.NewLongAnswers()}
}
