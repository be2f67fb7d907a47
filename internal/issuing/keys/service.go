// Package keys holds the acts on three kinds of key: API keys of callers (keys.go), keys that seal
// numbers and PINs of a bank (bankkeys.go, reencrypt.go; encryptionkeys.go has the pciKeyIds that they
// belong to), and keys that digest card numbers (digests.go, rehash.go).
package keys

import (
	"sync"

	"mintmark/internal/issuing"
)

// Service performs the acts.
type Service struct {
	*issuing.Service

	reencrypted sync.Map // when nothing was left of a reencryption
	digested    digested
}

// New returns the acts over a service.
func New(s *issuing.Service) *Service { return &Service{Service: s} }
