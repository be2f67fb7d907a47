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

	// answered is when the order was claimed, by the clock of the store, that the processor has
	// answered this process last. A restart forgets it.
	answered atomic.Pointer[time.Time]
}

// New returns the acts over a service.
func New(s *issuing.Service) *Service { return &Service{Service: s} }
