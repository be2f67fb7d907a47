// Package orders holds the orders to the card processor, an outbox (decision 7): it writes them in
// the transaction of an act, claims and settles them, and applies what the processor reports.
package orders

import (
	"sync/atomic"
	"time"

	"mintmark/internal/issuing"
)

// Service performs the acts.
type Service struct {
	*issuing.Service

	answered atomic.Pointer[time.Time] // when the processor last answered an order of this process
}

// New returns the acts over a service.
func New(s *issuing.Service) *Service { return &Service{Service: s} }
