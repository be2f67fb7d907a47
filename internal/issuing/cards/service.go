// Package cards holds the acts on cards: issue, lock, verify, replace, renew and find them, for
// calling programs and for operators. lock.go is the model of how an act reads.
package cards

import "mintmark/internal/issuing"

// Service performs the acts.
type Service struct {
	*issuing.Service

	long *issuing.LongAnswers // a place is held by each long list that is being answered
}

// New returns the acts over a service.
func New(s *issuing.Service) *Service { return &Service{Service: s, long: issuing.NewLongAnswers()} }
