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

// digests computes the digests of one use. Tink sets up the HMAC key for each text, which takes
// longer than the digest itself. The pool holds prepared states instead. The digests equal Tink's;
// a test compares them.
type digests struct {
	states sync.Pool // of hash.Hash
}

// newDigests accepts only a key for HMAC with SHA-256.
func newDigests(handle *keyset.Handle) (*digests, error) {
	primary, err := handle.Primary()
	if err != nil {
		return nil, err
	}
	key, fits := primary.Key().(*hmacprf.Key)
	if !fits {
		return nil, errors.New("its key is not an HMAC key")
	}
	settings, fits := key.Parameters().(*hmacprf.Parameters)
	if !fits || settings.HashType() != hmacprf.SHA256 {
		return nil, errors.New("its key is not a SHA-256 key")
	}
	secret := key.KeyBytes().Data(insecuresecretdataaccess.Token{})
	return &digests{sync.Pool{New: func() any { return hmac.New(sha256.New, secret) }}}, nil
}

// of returns the digest of a text. It resets the state before returning it to the pool, so that no
// text remains in it.
func (d *digests) of(text string) []byte {
	state, _ := d.states.Get().(hash.Hash)
	state.Write([]byte(text)) // never fails
	digest := state.Sum(nil)
	state.Reset()
	d.states.Put(state)
	return digest
}
