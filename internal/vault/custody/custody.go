// Package custody wraps key files, so that a copy of them is useless. A random data key encrypts
// each file of a directory. The data key itself is stored in wrapping.json, encrypted under a
// key-encryption key that this machine does not store: it is derived from the passphrases of two
// custodians, or a key service holds it. Package vault owns the files and their contents; package
// transit talks to the key service over HTTP.
package custody

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"mintmark/internal/base/secret"
)

// FileName is the name of the file with the wrapped data key of a directory.
const FileName = "wrapping.json"

// version is the version of both formats: of wrapping.json and of a wrapped key file.
const version = 1

const (
	keyBytes = 32 // AES-256
	idBytes  = 16
)

// Wrapping is the content of wrapping.json. It has either custodians or the name of a transit key.
type Wrapping struct {
	Version    int         `json:"version"`
	ID         string      `json:"id"` // identifies the data key; wrapped files contain it, too
	Custodians []Custodian `json:"custodians,omitempty"`
	TransitKey string      `json:"transitKey,omitempty"`
	Wrapped    string      `json:"wrapped"` // the wrapped data key
}

// Parse parses wrapping.json.
func Parse(text []byte) (Wrapping, error) {
	var w Wrapping
	if err := json.Unmarshal(text, &w); err != nil {
		return Wrapping{}, errors.New("it is not a wrapping in JSON")
	}
	if w.Version != version {
		return Wrapping{}, fmt.Errorf("its version is %d, and this program knows %d",
			w.Version, version)
	}
	byCustodians, byService := len(w.Custodians) > 0, w.TransitKey != ""
	if w.ID == "" || w.Wrapped == "" || byCustodians == byService {
		return Wrapping{}, errors.New("it is damaged: id, wrapped and either custodians or " +
			"transitKey are needed")
	}
	if !byCustodians {
		return w, nil
	}
	return w, checkStored(w.Custodians)
}

// Text returns the content of wrapping.json.
func (w Wrapping) Text() ([]byte, error) {
	text, err := json.MarshalIndent(w, "", "  ")
	return append(text, '\n'), err
}

// String describes what is needed to unwrap the keys.
func (w Wrapping) String() string {
	if w.TransitKey != "" {
		return "the transit key " + w.TransitKey
	}
	return "the passphrases of " + strings.Join(w.Names(), " and ")
}

// Names returns the names of the custodians.
func (w Wrapping) Names() []string {
	var names []string
	for _, c := range w.Custodians {
		names = append(names, c.Name)
	}
	return names
}

// Key is a data key. It prints as ***.
type Key struct {
	id   string
	text secret.Text
}

// Format hides the key from every verb of fmt.
func (k Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, secret.Redacted) }

func newKey() (Key, error) {
	id, text := make([]byte, idBytes), make([]byte, keyBytes)
	if _, err := rand.Read(id); err != nil {
		return Key{}, err
	}
	if _, err := rand.Read(text); err != nil {
		return Key{}, err
	}
	return Key{hex.EncodeToString(id), secret.New(string(text))}, nil
}

// keyOf returns an unwrapped data key.
func keyOf(w Wrapping, text []byte) (Key, error) {
	if len(text) != keyBytes {
		return Key{}, fmt.Errorf("the data key has %d bytes, not %d", len(text), keyBytes)
	}
	return Key{w.ID, secret.New(string(text))}, nil
}

// envelope is a wrapped key file.
type envelope struct {
	Version int    `json:"wrapped"`
	Key     string `json:"key"`  // ID of the data key
	Text    []byte `json:"text"` // nonce, then the file encrypted with AES-256-GCM
}

// IsWrapped reports whether a file is a wrapped key file, in any version of the format.
func IsWrapped(text []byte) bool {
	var e envelope
	return json.Unmarshal(text, &e) == nil && e.Version != 0
}

// Seal encrypts the text of a key file. The result decrypts only under the same name.
func (k Key) Seal(name string, text []byte) ([]byte, error) {
	sealing, err := k.aead()
	if err != nil {
		return nil, err
	}
	s, err := json.MarshalIndent(envelope{
		Version: version, Key: k.id, Text: sealing.Seal(nil, nil, text, k.binding(name)),
	}, "", "  ")
	return append(s, '\n'), err
}

// Open decrypts a key file that Seal encrypted.
func (k Key) Open(name string, wrapped []byte) ([]byte, error) {
	var e envelope
	if err := json.Unmarshal(wrapped, &e); err != nil || e.Version == 0 {
		return nil, errors.New("it is not a wrapped key file")
	}
	if e.Version != version {
		return nil, fmt.Errorf("it is wrapped in version %d, and this program knows %d",
			e.Version, version)
	}
	if e.Key != k.id {
		return nil, fmt.Errorf("it is wrapped under the data key %s, and %s holds %s: both must "+
			"come from one directory", e.Key, FileName, k.id)
	}
	sealing, err := k.aead()
	if err != nil {
		return nil, err
	}
	text, err := sealing.Open(nil, nil, e.Text, k.binding(name))
	if err != nil {
		return nil, errors.New("it is damaged, or was wrapped as another file")
	}
	return text, nil
}

func (k Key) aead() (cipher.AEAD, error) {
	block, err := aes.NewCipher([]byte(k.text.Reveal()))
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// binding returns the associated data of a wrapped file. Changing it makes every file unreadable.
func (k Key) binding(name string) []byte {
	return fmt.Appendf(nil, "mintmark key file %d %s %s", version, k.id, name)
}

// Service holds a key-encryption key and never reveals it.
type Service interface {
	// Name returns the name of the key.
	Name() string
	Encrypt(ctx context.Context, plain []byte) (string, error)
	Decrypt(ctx context.Context, wrapped string) ([]byte, error)
}

// Keeper wraps and unwraps data keys. A data key is unwrapped by the same custodians or service
// that wrapped it.
type Keeper struct {
	Custodians []string // names of the custodians who wrap a data key; empty for the service
	Ask        Ask      // nil without a terminal
	Service    Service  // nil for none
}

// New generates a data key and wraps it.
func (k Keeper) New(ctx context.Context) (Wrapping, Key, error) {
	key, err := newKey()
	if err != nil {
		return Wrapping{}, Key{}, err
	}
	w, err := k.Wrap(ctx, key)
	return w, key, err
}

// Wrap wraps an existing data key again. The previous custodians or service are no longer needed.
func (k Keeper) Wrap(ctx context.Context, key Key) (Wrapping, error) {
	w := Wrapping{Version: version, ID: key.id}
	if len(k.Custodians) > 0 {
		return k.wrapByCustodians(w, key)
	}
	if k.Service == nil {
		return Wrapping{}, errors.New("no custody of the keys is set: name two custodians or a " +
			"transit key")
	}
	var err error
	w.TransitKey = k.Service.Name()
	w.Wrapped, err = k.Service.Encrypt(ctx, []byte(key.text.Reveal()))
	if err != nil {
		return Wrapping{}, err
	}
	// What the service cannot decrypt now would be lost permanently once the clear files are gone.
	opened, err := k.Open(ctx, w)
	if err != nil {
		return Wrapping{}, fmt.Errorf("the service cannot decrypt what it encrypted: %w", err)
	}
	if opened != key {
		return Wrapping{}, errors.New("the service decrypts to something other than what it " +
			"encrypted")
	}
	return w, nil
}

// Open unwraps the data key of a directory.
func (k Keeper) Open(ctx context.Context, w Wrapping) (Key, error) {
	if len(w.Custodians) > 0 {
		return k.openByCustodians(w)
	}
	if k.Service == nil {
		return Key{}, fmt.Errorf("the keys are wrapped by %s: the settings must name its service "+
			"(custody.transit)", w)
	}
	if name := k.Service.Name(); name != w.TransitKey {
		return Key{}, fmt.Errorf("the keys are wrapped by %s, and the settings name the key %s",
			w, name)
	}
	text, err := k.Service.Decrypt(ctx, w.Wrapped)
	if err != nil {
		return Key{}, err
	}
	return keyOf(w, text)
}
