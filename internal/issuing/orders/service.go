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

	// answered is the store time of the claim on the order that the processor last answered in this
	// process. It is lost in a restart.
	answered atomic.Pointer[time.Time]
}

// New returns a Service on top of s.
func New(s *issuing.Service) *Service { return &Service{Service: s} }
