// Package keys holds the custody of keys: those of callers, the encryption keys of banks and the
// digest keys of card numbers, with what rotates them and encrypts again.
package keys

import (
	"sync"

	"mintmark/internal/issuing"
)

// Service performs the acts.
type Service struct {
	*issuing.Service

	resealed sync.Map // when nothing was left of a resealing
	digested digested
}

// New returns the acts over a service.
func New(s *issuing.Service) *Service { return &Service{Service: s} }
