// Package chance is where random bytes come from. A sandbox with a seed draws them from streams
// that can be repeated, saved and put back; everything else draws them from the system. Each
// purpose has a stream of its own, so that card numbers do not depend on how many requests were
// named before.
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

// FromSystem returns streams that cannot be foreseen.
func FromSystem() *Streams { return &Streams{} }

// FromSeed returns streams that are the same for the same seed.
func FromSeed(seed uint64) *Streams {
	return &Streams{seed: &seed, streams: make(map[string]*stream)}
}

// For returns the stream of a purpose, which is safe for concurrent use. The same purpose has the
// same stream.
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

// begin returns a stream of the seed at its beginning.
func (s *Streams) begin(purpose string) *mathrand.ChaCha8 {
	seed := sha256.Sum256(fmt.Appendf(nil, "mintmark sandbox %d %s", *s.seed, purpose))
	return mathrand.NewChaCha8(seed)
}

// Rewind has all streams begin again. It does nothing to those of the system.
func (s *Streams) Rewind() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for purpose, of := range s.streams {
		of.replace(s.begin(purpose))
	}
}

// State returns where the streams are, by purpose. It is empty for those of the system.
func (s *Streams) State() map[string][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := make(map[string][]byte, len(s.streams))
	for purpose, of := range s.streams {
		state[purpose] = of.state()
	}
	return state
}

// Restore puts the streams where they were. One that is not in the state begins again. An error
// means that the state is broken; some streams may have moved then.
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
				return fmt.Errorf("the stream of %s: %w", purpose, err)
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
