// Package chance is the source of random bytes. A sandbox with a seed draws them from streams that
// can be repeated, saved and restored; everything else draws them from the system. Each purpose has
// its own stream, so that card numbers do not depend on the number of request identifiers drawn
// before.
package chance

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"sync"
)

// Streams are the sources of random bytes of a process. The zero value draws from the system.
type Streams struct {
	seed *uint64

	mu      sync.Mutex
	streams map[string]*stream
}

// FromSystem returns streams that are unpredictable.
func FromSystem() *Streams { return &Streams{} }

// FromSeed returns streams that are the same for the same seed.
func FromSeed(seed uint64) *Streams {
	return &Streams{seed: &seed, streams: make(map[string]*stream)}
}

// For returns the stream of a purpose, always the same one. It is safe for concurrent use.
func (s *Streams) For(purpose string) io.Reader {
	if s.seed == nil {
		return rand.Reader
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stream(purpose)
}

// stream returns the stream of a purpose. The caller holds the lock.
func (s *Streams) stream(purpose string) *stream {
	of := s.streams[purpose]
	if of == nil {
		of = &stream{from: s.begin(purpose)}
		s.streams[purpose] = of
	}
	return of
}

// begin returns the stream of a purpose at its beginning.
func (s *Streams) begin(purpose string) *mathrand.ChaCha8 {
	seed := sha256.Sum256(fmt.Appendf(nil, "mintmark sandbox %d %s", *s.seed, purpose))
	return mathrand.NewChaCha8(seed)
}

// Rewind restarts all seeded streams.
func (s *Streams) Rewind() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for purpose, of := range s.streams {
		of.replace(s.begin(purpose))
	}
}

// State returns the positions of the seeded streams, by purpose.
func (s *Streams) State() map[string][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := make(map[string][]byte, len(s.streams))
	for purpose, of := range s.streams {
		state[purpose] = of.state()
	}
	return state
}

// Restore restores the positions of the streams. A stream that is not in the state restarts. After
// an error, which means that the state is damaged, some streams may have moved.
func (s *Streams) Restore(state map[string][]byte) error {
	if s.seed == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for purpose := range state {
		s.stream(purpose)
	}
	for purpose, of := range s.streams {
		source := s.begin(purpose)
		if saved, there := state[purpose]; there {
			if err := source.UnmarshalBinary(saved); err != nil {
				return fmt.Errorf("restore the random stream of %s: %w", purpose, err)
			}
		}
		of.replace(source)
	}
	return nil
}

// stream is a seeded source for concurrent use.
type stream struct {
	mu   sync.Mutex
	from *mathrand.ChaCha8
}

// Read fills p with bytes of the stream.
func (s *stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.from.Read(p)
}

func (s *stream) replace(by *mathrand.ChaCha8) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.from = by
}

func (s *stream) state() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	state, err := s.from.MarshalBinary()
	if err != nil {
		panic(err) // it never fails
	}
	return state
}
