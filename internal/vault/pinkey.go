package vault

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	chacha "math/rand/v2"
)

// The files of the PIN key, both PEM: the private one is PKCS #8, the public one is what callers
// are given to encrypt PINs with.
const (
	pinFile       = "pin-private.pem"
	publicPinFile = "pin-public.pem"
)

// The lengths of a PIN key. A longer one than the default only makes every PIN slower.
const (
	minPinKeyBits     = 2048
	defaultPinKeyBits = 3072
	maxPinKeyBits     = 8192
)

// pinKey opens the PINs that callers send.
type pinKey struct {
	private crypto.Decrypter
	public  *rsa.PublicKey
	pem     []byte // of the public key
}

// PublicPinKeyPEM returns the public key that callers encrypt PINs with, as PEM.
func (v *Vault) PublicPinKeyPEM() []byte { return bytes.Clone(v.pins.pem) }

// newPinKey returns a new PIN key as PEM.
func (s Settings) newPinKey() ([]byte, error) {
	bits := s.PinKeyBits
	if bits == 0 && s.Seed == nil {
		bits = defaultPinKeyBits
	}
	if bits == 0 {
		bits = minPinKeyBits
	}
	if bits < minPinKeyBits || bits > maxPinKeyBits || bits%16 != 0 {
		return nil, fmt.Errorf("a PIN key has %d to %d bits, a multiple of 16, not %d",
			minPinKeyBits, maxPinKeyBits, bits)
	}
	generate := func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, bits) }
	if s.Seed != nil {
		generate = func() (*rsa.PrivateKey, error) { return seededKey(*s.Seed, bits) }
	}
	key, err := generate()
	if err != nil {
		return nil, fmt.Errorf("make a PIN key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// parsePinKey reads a private PIN key, of ours or one that the operator made.
func parsePinKey(text []byte) (pinKey, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PRIVATE KEY" {
		return pinKey{}, errors.New("it is not a PRIVATE KEY (PKCS #8) in PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return pinKey{}, errors.New("the private key in it is damaged")
	}
	private, isRSA := parsed.(*rsa.PrivateKey)
	if !isRSA {
		return pinKey{}, errors.New("the private key in it is not an RSA key")
	}
	if private.N.BitLen() < minPinKeyBits {
		return pinKey{}, fmt.Errorf("the private key in it has %d bits, fewer than %d",
			private.N.BitLen(), minPinKeyBits)
	}
	der, err := x509.MarshalPKIXPublicKey(&private.PublicKey)
	if err != nil {
		return pinKey{}, err
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	return pinKey{private, &private.PublicKey, public}, nil
}

// publicExponent is the one that everybody uses.
const publicExponent = 65537

// seededKey returns the same RSA key for the same seed, for the SANDBOX ONLY: a seed has 64 bits
// at most and stands in a command line, so the key protects nothing. It is made by hand because
// the standard library generates keys from its own random source only.
func seededKey(seed uint64, bits int) (*rsa.PrivateKey, error) {
	stream := chacha.NewChaCha8(sha256.Sum256(
		binary.BigEndian.AppendUint64([]byte("mintmark sandbox PIN key "), seed)))
	p, q := seededPrime(stream, bits/2), seededPrime(stream, bits/2)
	one, e := big.NewInt(1), big.NewInt(publicExponent)
	phi := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
	key := &rsa.PrivateKey{
		PublicKey: rsa.PublicKey{N: new(big.Int).Mul(p, q), E: publicExponent},
		D:         new(big.Int).ModInverse(e, phi),
		Primes:    []*big.Int{p, q},
	}
	key.Precompute()
	return key, key.Validate()
}

// seededPrime returns the next prime of the stream that an RSA key can be made of.
func seededPrime(stream *chacha.ChaCha8, bits int) *big.Int {
	text := make([]byte, bits/8)
	for {
		_, _ = stream.Read(text) // never fails
		text[0] |= 0xC0          // so large that two of them give a product of full length
		text[len(text)-1] |= 1   // odd
		p := new(big.Int).SetBytes(text)
		// The exponent is prime, so it has an inverse unless it divides p-1.
		rest := new(big.Int).Mod(p, big.NewInt(publicExponent))
		if rest.Cmp(big.NewInt(1)) != 0 && p.ProbablyPrime(20) {
			return p
		}
	}
}
