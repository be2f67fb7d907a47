// Package cards holds the acts on cards: issue, lock, verify, replace, renew and find them, for
// calling programs and for operators. lock.go is the model of an act.
package cards

import "mintmark/internal/issuing"

// Service performs the acts.
type Service struct {
	*issuing.Service

	long *issuing.ResponseSlots // each long list in progress holds a slot
}

// New returns a Service on top of s.
func New(s *issuing.Service) *Service { return &Service{Service: s, long: issuing.NewLongAnswers()} }
