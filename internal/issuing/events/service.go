// Package events reads the log of all acts: as events for subscribers, with their webhooks and
// deliveries, and as the audit for operators.
package events

import (
	"sync/atomic"

	"mintmark/internal/issuing"
)

// Service performs the acts.
type Service struct {
	*issuing.Service

	sealed      signal                 // given when more of the log is sealed
	ending      atomic.Bool            // waits return immediately
	knownOrigin atomic.Pointer[string] // see origin
}

// New returns a Service on top of s.
func New(s *issuing.Service) *Service { return &Service{Service: s} }
