// Package vault owns the keys. Only this package encrypts and decrypts card numbers and PINs, and
// computes the digests that find a card number or an API secret. The store holds the encrypted
// texts, package pan defines card numbers, and package issuing limits PIN attempts. Decision 11
// describes which key is where.
package vault

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"filippo.io/age"
	"github.com/tink-crypto/tink-go/v2/tink"

	"mintmark/internal/base/pan"
	"mintmark/internal/vault/custody"
)

// Settings configures where the keys are and what the vault may do with them.
type Settings struct {
	Dir string // directory of the key files; empty keeps the keys in memory

	// PinKeyBits is the length of a new PIN key, at least 2048. Zero means 3072, or 2048 with a
	// Seed, because a seeded key takes longer to find.
	PinKeyBits int

	// Seed makes new keys reproducible, for the sandbox only: knowing the seed means knowing the
	// keys. A key that exists in Dir takes precedence.
	Seed *uint64

	// Random is the source of the nonces in digests of audit entries, which operators see, and of
	// key numbers and person keys; nil for the system. It must be safe for concurrent use.
	Random io.Reader

	// MustExist makes Open return ErrNoKeys instead of creating keys that are missing from Dir.
	MustExist bool

	// ReadOnly prevents any write to Dir, even of the public half of the PIN key.
	ReadOnly bool

	// AllowReadable accepts key files that users other than their owner may read or change.
	AllowReadable bool

	// Unwrap unwraps the data key of a directory with wrapped key files. Nil rejects such files.
	Unwrap func(custody.Wrapping) (custody.Key, error)

	// NewWrapping wraps the key files of a directory that has none yet. Nil leaves them in the
	// clear.
	NewWrapping func() (custody.Wrapping, error)

	// AllowPlainPins allows the algorithm NONE, which sends a PIN in plain text. It must be off in
	// production.
	AllowPlainPins bool
}

// ErrNoKeys is returned by Open when keys are missing that must exist.
var ErrNoKeys = errors.New("there are no keys")

// Vault encrypts, decrypts and digests. Its methods may be called concurrently.
type Vault struct {
	sealing       tink.AEAD
	ownMark       []byte   // prefix of what sealing encrypts
	bankKeys      sync.Map // of tink.AEAD, by key number
	numberDigests *digests
	digestKeys    sync.Map // of *digests, by key number
	secretDigests *digests
	pins          []pinKey // in use, the published one first
	heldPins      []pinKey // all in the directory
	publishPins   func() error
	processor     func() (processorKey, error)
	queue         *queue
	plainPins     bool
	keyset        string // fingerprint
	log           *logKeys
	identity      *age.X25519Identity // decrypts files
	random        io.Reader           // for nonces, key numbers and person keys
}

// Open reads the keys from the directory of the settings. It creates missing keys, unless they must
// exist.
func Open(s Settings) (*Vault, error) {
	v, err := openVault(s)
	if err != nil {
		return nil, fmt.Errorf("open the vault: %w", err)
	}
	return v, nil
}

// openVault is Open without the prefix of its errors.
func openVault(s Settings) (*Vault, error) {
	if err := s.beginWrapped(); err != nil {
		return nil, err
	}
	sets, pins, err := s.readKeys()
	if err != nil {
		return nil, err
	}
	v := &Vault{
		plainPins: s.AllowPlainPins, pins: pins, heldPins: pins,
		queue:  newQueue(max(1, runtime.GOMAXPROCS(0)/2)),
		random: cmp.Or(s.Random, rand.Reader),
	}
	v.processor, err = s.openProcessorKey()
	if err != nil {
		return nil, err
	}
	err = v.useKeysets(sets)
	if err != nil {
		return nil, err
	}
	v.keyset, err = sets.fingerprint()
	if err != nil {
		return nil, err
	}
	v.log, err = newLogKeys(sets[numberDigestsUse], logOrigin+v.keyset)
	if err != nil {
		return nil, err
	}
	v.identity, err = newIdentity(sets[numberDigestsUse])
	if err != nil {
		return nil, err
	}
	v.publishPins = func() error {
		if s.ReadOnly {
			return nil
		}
		return directory(s.Dir).publish(publicPinFile, v.pins[0].pem)
	}
	if len(pins) > 1 {
		return v, nil // the database lists which of them is published
	}
	return v, v.publishPins()
}

// readKeys reads or creates the files, keysets first. So a PIN key without keysets is never an
// interrupted first start: the keysets were lost, and new ones would silently make every stored
// card number unreadable. A lost PIN key does little harm.
func (s Settings) readKeys() (keysets, []pinKey, error) {
	dir := directory(s.Dir)
	if dir.holds(pinFile) && !dir.holds(keysetFile) {
		return nil, nil, fmt.Errorf("%s is missing, but %s is there; restore both from a "+
			"backup, or start with an empty directory", dir.path(keysetFile), dir.path(pinFile))
	}
	text, err := s.read(keysetFile, s.newKeysets)
	if err != nil {
		return nil, nil, err
	}
	sets, err := parseKeysets(text)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", keysetFile, err)
	}
	pins, err := s.readPinKeys()
	return sets, pins, err
}

// read returns a key file, unwrapped if it is wrapped. It creates the file first, unless keys must
// exist.
func (s Settings) read(name string, makeText func() ([]byte, error)) ([]byte, error) {
	dir := directory(s.Dir)
	if s.MustExist && !dir.holds(name) {
		return nil, fmt.Errorf("%w: %s is missing", ErrNoKeys, dir.path(name))
	}
	text, err := dir.readOrCreate(name, !s.AllowReadable, func() ([]byte, error) {
		t, err := makeText()
		if err != nil {
			return nil, err
		}
		return s.wrap(name, t)
	})
	if err != nil {
		return nil, err
	}
	return s.unwrap(name, text)
}

// DigestNumber returns the keyed digest, 32 bytes, that finds a card number until the first
// rotation of the digest key.
func (v *Vault) DigestNumber(n pan.Number) []byte {
	return v.numberDigests.of(n.Reveal())
}

// DigestSecret returns the keyed digest, 32 bytes, of an API secret under its own key.
func (v *Vault) DigestSecret(secret string) []byte {
	return v.secretDigests.of(secret)
}

// DigestFile returns the keyed digest of a file that contains card numbers, computed from its
// SHA-256.
func (v *Vault) DigestFile(sum string) []byte { return v.secretDigests.of("file " + sum) }

// DigestRequest returns the keyed digest of a request, which may contain a card number or a birth
// date that a plain digest would reveal.
func (v *Vault) DigestRequest(text []byte) []byte {
	return v.secretDigests.of("request " + string(text))
}

// SealNumber encrypts a card's number under a bank's key or KeysetKey. The result decrypts only for
// the same card, so encrypted numbers cannot be swapped in the database.
func (v *Vault) SealNumber(key int, n pan.Number, cardID int) ([]byte, error) {
	return v.seal(key, n.Reveal(), binding(sealedNumber, cardID))
}

// OpenNumber decrypts a number that SealNumber encrypted for the card. It returns ErrUnknownKey if
// the vault does not have the bank's key.
func (v *Vault) OpenNumber(sealed []byte, cardID int) (pan.Number, error) {
	digits, err := v.unseal(sealed, binding(sealedNumber, cardID))
	if err != nil {
		return pan.Number{}, fmt.Errorf("decrypt the number of card %d: %w", cardID, err)
	}
	return pan.Parse(string(digits))
}

// SealPin encrypts a PIN for the processor order, under a bank's key or KeysetKey.
func (v *Vault) SealPin(key int, p Pin, cardID int) ([]byte, error) {
	return v.seal(key, p.Reveal(), binding(sealedPin, cardID))
}

// OpenSealedPin decrypts a PIN that SealPin encrypted for the card. It returns ErrUnknownKey if the
// vault does not have the bank's key.
func (v *Vault) OpenSealedPin(sealed []byte, cardID int) (Pin, error) {
	digits, err := v.unseal(sealed, binding(sealedPin, cardID))
	if err != nil {
		return Pin{}, fmt.Errorf("decrypt the PIN of card %d: %w", cardID, err)
	}
	return parsePin(digits)
}

// The purposes of an encrypted text.
const (
	sealedNumber = "card number"
	sealedPin    = "PIN order"
)

// binding returns the associated data that binds an encrypted text to its purpose and its card.
// Changing it makes every stored text unreadable.
func binding(purpose string, cardID int) []byte {
	return fmt.Appendf(nil, "%s %d", purpose, cardID)
}
