package vault

import (
	"crypto/rsa"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"math/big"
	chacha "math/rand/v2"
	"sync"

	"github.com/tink-crypto/tink-go/v2/aead/aesgcm"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/insecuresecretdataaccess"
	"github.com/tink-crypto/tink-go/v2/key"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf/hmacprf"
	"github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"
	"github.com/tink-crypto/tink-go/v2/secretdata"
)

// The keys of a seed are for the SANDBOX ONLY: a seed has at most 64 bits and appears on a command
// line, so they protect nothing.

// seededKeyset returns the same keyset for the same seed and use.
func seededKeyset(seed uint64, use string) (*tink_go_proto.Keyset, error) {
	stream := chacha.NewChaCha8(sha256.Sum256(
		fmt.Appendf(nil, "mintmark sandbox keyset %s %d", use, seed)))
	id, secret := uint32(stream.Uint64()>>33)+1, make([]byte, 32)
	if _, err := io.ReadFull(stream, secret); err != nil {
		return nil, err
	}
	bytes := secretdata.NewBytesFromData(secret, insecuresecretdataaccess.Token{})
	handle, err := newKeyset(use, bytes, id)
	if err != nil {
		return nil, err
	}
	// Tink draws a random number for a key that does not prefix its texts with one.
	material := insecurecleartextkeyset.KeysetMaterial(handle)
	material.PrimaryKeyId, material.Key[0].KeyId = id, id
	return material, nil
}

// newKeyset creates a keyset with one key.
func newKeyset(use string, secret secretdata.Bytes, id uint32) (*keyset.Handle, error) {
	k, err := newKey(use, secret, id)
	if err != nil {
		return nil, err
	}
	manager := keyset.NewManager()
	added, err := manager.AddKey(k)
	if err != nil {
		return nil, err
	}
	if err := manager.SetPrimary(added); err != nil {
		return nil, err
	}
	return manager.Handle()
}

// newKey creates a key like the template of its use does.
func newKey(use string, secret secretdata.Bytes, id uint32) (key.Key, error) {
	if use != sealingUse {
		parameters, err := hmacprf.NewParameters(secret.Len(), hmacprf.SHA256)
		if err != nil {
			return nil, err
		}
		return hmacprf.NewKey(secret, parameters)
	}
	parameters, err := aesgcm.NewParameters(aesgcm.ParametersOpts{
		KeySizeInBytes: secret.Len(), IVSizeInBytes: 12, TagSizeInBytes: 16,
		Variant: aesgcm.VariantTink,
	})
	if err != nil {
		return nil, err
	}
	return aesgcm.NewKey(secret, id, parameters)
}

// precomputed is the PIN key of the seed that tests use most, because finding one takes longer than
// everything else at the start of a sandbox. It is as public as every key of a seed.
//
//go:embed seed-1.pem
var precomputed []byte

const precomputedSeed = 1

// computed caches the keys that this process has computed, PEM by seedAndBits.
var computed sync.Map

type seedAndBits struct {
	seed uint64
	bits int
}

// seededKeyPEM returns the same RSA key for the same seed and length.
func seededKeyPEM(seed uint64, bits int) ([]byte, error) {
	if seed == precomputedSeed && bits == minPinKeyBits {
		return precomputed, nil
	}
	of := seedAndBits{seed, bits}
	if text, known := computed.Load(of); known {
		return text.([]byte), nil
	}
	privateKey, err := seededKey(seed, bits)
	if err != nil {
		return nil, fmt.Errorf("generate a PIN key: %w", err)
	}
	text, err := encodeKey(privateKey)
	if err == nil {
		computed.Store(of, text)
	}
	return text, err
}

// publicExponent is the usual RSA exponent.
const publicExponent = 65537

// seededKey computes the RSA key of a seed. The standard library generates keys only from its own
// random source, so the key is built here.
func seededKey(seed uint64, bits int) (*rsa.PrivateKey, error) {
	stream := chacha.NewChaCha8(sha256.Sum256(
		binary.BigEndian.AppendUint64([]byte("mintmark sandbox PIN key "), seed)))
	p, q := seededPrime(stream, bits/2), seededPrime(stream, bits/2)
	i, e := big.NewInt(1), big.NewInt(publicExponent)
	phi := new(big.Int).Mul(new(big.Int).Sub(p, i), new(big.Int).Sub(q, i))
	key := &rsa.PrivateKey{
		PublicKey: rsa.PublicKey{N: new(big.Int).Mul(p, q), E: publicExponent},
		D:         new(big.Int).ModInverse(e, phi),
		Primes:    []*big.Int{p, q},
	}
	key.Precompute()
	return key, key.Validate()
}

// seededPrime returns the next prime of the stream that suits an RSA key.
func seededPrime(stream *chacha.ChaCha8, bits int) *big.Int {
	text := make([]byte, bits/8)
	for {
		_, _ = stream.Read(text) // never fails
		text[0] |= 0xC0          // large enough that the product of two has full length
		text[len(text)-1] |= 1   // odd
		p := new(big.Int).SetBytes(text)
		// The exponent is prime, so it has an inverse unless it divides p-1.
		rest := new(big.Int).Mod(p, big.NewInt(publicExponent))
		if rest.Cmp(big.NewInt(1)) != 0 && p.ProbablyPrime(20) {
			return p
		}
	}
}
