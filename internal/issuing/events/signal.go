package events

import (
	"sync"
)

// signal wakes all goroutines that wait for something to happen. The zero value is ready to use.
type signal struct {
	mu   sync.Mutex
	wait chan struct{} // closed by the next broadcast; nil if no goroutine waits
}

// next returns a channel that the next broadcast closes.
func (s *signal) next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wait == nil {
		s.wait = make(chan struct{})
	}
	return s.wait
}

// broadcast wakes all goroutines that are waiting.
func (s *signal) broadcast() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wait != nil {
		close(s.wait)
		s.wait = nil
	}
}

// NoteSealed signals that more of the log is sealed, so that waiting readers look again.
func (s *Service) NoteSealed() { s.sealed.broadcast() }

// EndWaits makes all waits for events return immediately, now and later, because the process ends.
func (s *Service) EndWaits() {
	s.ending.Store(true)
	s.sealed.broadcast()
}

// Sealed returns a channel that the next call of NoteSealed closes.
func (s *Service) Sealed() <-chan struct{} { return s.sealed.next() }

// Forget drops what was cached from another log. Readers that follow the log look up its new end.
func (s *Service) Forget() {
	s.knownOrigin.Store(nil)
	s.NoteSealed()
}
