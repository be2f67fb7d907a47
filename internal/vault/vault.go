// Package vault owns the keys: here, and nowhere else, card numbers and PINs are opened and closed,
// and the digests made by which a card number or an API secret is found again. What is sealed is
// kept by the store; how a number is made belongs to pan; how often a PIN may be tried to issuing.
package vault

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/tink-crypto/tink-go/v2/tink"

	"mintmark/internal/pan"
)

// Settings say where the keys lie and what the vault may do with them.
type Settings struct {
	Dir string // directory of the key files; when it is empty the keys live in memory

	// PinKeyBits is the length of a new PIN key, at least 2048. Zero stands for 3072, or for 2048
	// with a Seed, because a seeded key takes longer to find.
	PinKeyBits int

	// Seed makes the PIN key repeatable. Whoever knows the seed knows the key, so it is for the
	// sandbox only. A PIN key that lies in Dir already is used whatever the seed.
	Seed *uint64

	// MustExist says that the keys lie in Dir already: when they do not, Open answers ErrNoKeys
	// and makes none.
	MustExist bool

	// ReadOnly writes nothing into Dir, not even the public half of the PIN key.
	ReadOnly bool

	// AllowReadable takes key files that others than their owner may read or change.
	AllowReadable bool

	// AllowPlainPins admits the algorithm NONE, where a PIN arrives readable. It must be off in
	// production.
	AllowPlainPins bool
}

// ErrNoKeys is what Open answers when keys must exist and do not.
var ErrNoKeys = errors.New("there are no keys")

// Vault seals and opens. All its methods may be used at the same time.
type Vault struct {
	sealing       tink.AEAD
	numberDigests *digests
	secretDigests *digests
	pins          pinKey
	queue         *queue
	plainPins     bool
	fingerprints  Fingerprints
}

// Open reads the keys from the directory of the settings. The first time it makes them, unless they
// must exist.
func Open(s Settings) (*Vault, error) {
	sets, pins, err := s.readKeys()
	if err != nil {
		return nil, fmt.Errorf("open the vault: %w", err)
	}
	v := &Vault{
		plainPins: s.AllowPlainPins, pins: pins, queue: newQueue(max(1, runtime.GOMAXPROCS(0)/2)),
	}
	err = v.useKeysets(sets)
	if err != nil {
		return nil, fmt.Errorf("open the vault: %w", err)
	}
	v.fingerprints, err = fingerprintsOf(sets, pins)
	if err != nil {
		return nil, fmt.Errorf("open the vault: %w", err)
	}
	if s.ReadOnly {
		return v, nil
	}
	err = directory(s.Dir).publish(publicPinFile, v.PublicPinKeyPEM())
	if err != nil {
		return nil, fmt.Errorf("open the vault: %w", err)
	}
	return v, nil
}

// readKeys reads the files, or makes them. The keysets come first, so that a PIN key without them
// is never a first start that was broken off: then the keysets were lost, and new ones would leave
// every card number in the store unreadable without a word. A lost PIN key harms nobody for long.
func (s Settings) readKeys() (keysets, pinKey, error) {
	dir := directory(s.Dir)
	if dir.holds(pinFile) && !dir.holds(keysetFile) {
		return nil, pinKey{}, fmt.Errorf("%s is missing, but %s is there; restore both from a "+
			"backup, or start with an empty directory", dir.path(keysetFile), dir.path(pinFile))
	}
	text, err := s.read(keysetFile, newKeysets)
	if err != nil {
		return nil, pinKey{}, err
	}
	sets, err := parseKeysets(text)
	if err != nil {
		return nil, pinKey{}, fmt.Errorf("read %s: %w", keysetFile, err)
	}
	text, err = s.read(pinFile, s.newPinKey)
	if err != nil {
		return nil, pinKey{}, err
	}
	pins, err := parsePinKey(text)
	if err != nil {
		return nil, pinKey{}, fmt.Errorf("read %s: %w", pinFile, err)
	}
	return sets, pins, nil
}

// read returns a key file, made first where it may be.
func (s Settings) read(name string, makeText func() ([]byte, error)) ([]byte, error) {
	dir := directory(s.Dir)
	if s.MustExist && !dir.holds(name) {
		return nil, fmt.Errorf("%w: %s is missing", ErrNoKeys, dir.path(name))
	}
	return dir.readOrMake(name, !s.AllowReadable, makeText)
}

// DigestNumber returns the keyed digest by which a card number is found again, in 32 bytes.
func (v *Vault) DigestNumber(n pan.Number) []byte {
	return v.numberDigests.of(n.Reveal())
}

// DigestSecret returns the keyed digest of an API secret, in 32 bytes. Its key is not that of the
// card numbers.
func (v *Vault) DigestSecret(secret string) []byte {
	return v.secretDigests.of(secret)
}

// SealNumber encrypts the number of a card. It can be opened for the same card only, so that
// sealed numbers cannot be exchanged in the database.
func (v *Vault) SealNumber(n pan.Number, cardID int) ([]byte, error) {
	return v.sealing.Encrypt([]byte(n.Reveal()), binding(sealedNumber, cardID))
}

// OpenNumber decrypts what SealNumber made for the card.
func (v *Vault) OpenNumber(sealed []byte, cardID int) (pan.Number, error) {
	digits, err := v.sealing.Decrypt(sealed, binding(sealedNumber, cardID))
	if err != nil {
		return pan.Number{}, fmt.Errorf("the number of card %d cannot be opened: %w", cardID, err)
	}
	return pan.Parse(string(digits))
}

// SealPin encrypts a PIN for the order to the processor.
func (v *Vault) SealPin(p Pin, cardID int) ([]byte, error) {
	return v.sealing.Encrypt([]byte(p.Reveal()), binding(sealedPin, cardID))
}

// OpenSealedPin decrypts what SealPin made for the card.
func (v *Vault) OpenSealedPin(sealed []byte, cardID int) (Pin, error) {
	digits, err := v.sealing.Decrypt(sealed, binding(sealedPin, cardID))
	if err != nil {
		return Pin{}, fmt.Errorf("the PIN of card %d cannot be opened: %w", cardID, err)
	}
	return parsePin(digits)
}

// The purposes of a sealed text.
const (
	sealedNumber = "card number"
	sealedPin    = "PIN order"
)

// binding returns the associated data that binds a sealed text to its purpose and its card. It is
// part of what is kept: with another text here, nothing sealed before could be opened.
func binding(purpose string, cardID int) []byte {
	return fmt.Appendf(nil, "%s %d", purpose, cardID)
}
