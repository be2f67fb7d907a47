// Package keys holds the acts on three kinds of keys: API keys of callers (keys.go), keys that
// encrypt card numbers and PINs of a bank (bankkeys.go, reencrypt.go; encryptionkeys.go has the
// pciKeyIds that they belong to), and keys that digest card numbers (digests.go, rehash.go).
package keys

import (
	"sync"

	"mintmark/internal/issuing"
)

// Service performs the acts.
type Service struct {
	*issuing.Service

	reencrypted sync.Map // by reencryption: when nothing was left of it
	digested    digested
}

// New returns a Service on top of s.
func New(s *issuing.Service) *Service { return &Service{Service: s} }
