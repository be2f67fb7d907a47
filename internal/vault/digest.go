package vault

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"hash"
	"sync"

	"github.com/tink-crypto/tink-go/v2/insecuresecretdataaccess"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf/hmacprf"
)

// digests makes the digests of one use. Every request brings a secret to be digested, and Tink
// prepares its key anew for each text, which takes longer than the digest itself. The states here
// are prepared once and used again. What comes out is what Tink makes, and a test says so.
type digests struct {
	states sync.Pool // of hash.Hash
}

// newDigests takes the key of a keyset for HMAC with SHA-256.
func newDigests(handle *keyset.Handle) (*digests, error) {
	primary, err := handle.Primary()
	if err != nil {
		return nil, err
	}
	key, fits := primary.Key().(*hmacprf.Key)
	if !fits {
		return nil, errors.New("its key is not one for HMAC")
	}
	settings, fits := key.Parameters().(*hmacprf.Parameters)
	if !fits || settings.HashType() != hmacprf.SHA256 {
		return nil, errors.New("its key is not one for SHA-256")
	}
	secret := key.KeyBytes().Data(insecuresecretdataaccess.Token{})
	return &digests{sync.Pool{New: func() any { return hmac.New(sha256.New, secret) }}}, nil
}

// of returns the digest of a text. It wipes the text from the state, which lives on.
func (d *digests) of(text string) []byte {
	state, _ := d.states.Get().(hash.Hash)
	state.Write([]byte(text)) // never fails
	digest := state.Sum(nil)
	state.Reset()
	d.states.Put(state)
	return digest
}
