package vault

import (
	"context"
	"crypto"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/go-jose/go-jose/v4"

	"mintmark/internal/base/pan"
)

// processorFile is the private key to which the card processor encrypts card numbers, PKCS #8 in
// PEM. It differs from the PIN key so that each can be replaced alone.
const processorFile = "processor-private.pem"

// The errors of OpenProcessorNumber when it finds no card number.
var (
	ErrSealedNumber = errors.New("the card number cannot be decrypted")
	ErrNotANumber   = errors.New("it is not a card number")
)

// processorKey decrypts the card numbers that the processor sends. An installation from a version
// without this key gets one from mintmark init.
type processorKey struct {
	private *rsa.PrivateKey // nil without a key
	set     []byte          // the public key as a JSON Web Key Set
}

// openProcessorKey returns a function that reads the key. A key in memory is generated on first
// use: generating it takes long, and most sandboxes never need it.
func (s Settings) openProcessorKey() (func() (processorKey, error), error) {
	once := sync.OnceValues(s.readProcessorKey)
	if s.Dir == "" {
		return once, nil
	}
	_, err := once()
	return once, err
}

// readProcessorKey reads the key. If keys must exist, it does not generate one.
func (s Settings) readProcessorKey() (processorKey, error) {
	text, err := s.processorText()
	if errors.Is(err, fs.ErrNotExist) {
		return newProcessorKey(nil)
	}
	if err != nil {
		return processorKey{}, err
	}
	parsed, err := parsePinKey(text)
	if err != nil {
		return processorKey{}, fmt.Errorf("read %s: %w", processorFile, err)
	}
	private, isRSA := parsed.private.(*rsa.PrivateKey)
	if !isRSA {
		return processorKey{}, fmt.Errorf("read %s: it is not an RSA key", processorFile)
	}
	return newProcessorKey(private)
}

func (s Settings) processorText() ([]byte, error) {
	if s.MustExist && !directory(s.Dir).holds(processorFile) {
		return nil, fs.ErrNotExist
	}
	return s.read(processorFile, s.newProcessorKey)
}

// newProcessorKey returns a new key as PEM. In a seeded sandbox it differs from the PIN key.
func (s Settings) newProcessorKey() ([]byte, error) {
	if s.Seed != nil {
		const other = 0x70726f636573736f
		seed := *s.Seed ^ other
		s.Seed = &seed
	}
	return s.newPinKey()
}

func newProcessorKey(private *rsa.PrivateKey) (processorKey, error) {
	set := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{}}
	if private != nil {
		public := jose.JSONWebKey{
			Key: &private.PublicKey, Use: "enc", Algorithm: string(jose.RSA_OAEP_256),
		}
		thumbprint, err := public.Thumbprint(crypto.SHA256)
		if err != nil {
			return processorKey{}, err
		}
		public.KeyID = fmt.Sprintf("%x", thumbprint[:fingerprintBytes])
		set.Keys = append(set.Keys, public)
	}
	text, err := json.Marshal(set)
	return processorKey{private, text}, err
}

// ProcessorKeySet returns the public key to which the processor encrypts card numbers, as a JSON
// Web Key Set. The set is empty without a key.
func (v *Vault) ProcessorKeySet() ([]byte, error) {
	key, err := v.processor()
	return key.set, err
}

// OpenProcessorNumber decrypts a card number from the processor: {"number"} as a compact JWE,
// RSA-OAEP-256 and A256GCM. Sender is the name under which the processor shares the queue of
// decryptions. The error is ErrSealedNumber, ErrNotANumber when something else was encrypted, or an
// error of the queue as for DecryptCallerPin. Failures are not limited: the processor's requests
// are signed, and one of its nodes with an old key must not block the others.
func (v *Vault) OpenProcessorNumber(
	ctx context.Context, sender, sealed string,
) (pan.Number, error) {
	if err := v.queue.enter(ctx, sender); err != nil {
		return pan.Number{}, err
	}
	defer v.queue.leave()
	key, err := v.processor()
	if err != nil {
		return pan.Number{}, err
	}
	return key.open(sealed)
}

// open returns only sentinel errors, because any details could contain a card number.
func (k processorKey) open(sealed string) (pan.Number, error) {
	if k.private == nil {
		return pan.Number{}, ErrSealedNumber
	}
	message, err := jose.ParseEncryptedCompact(sealed,
		[]jose.KeyAlgorithm{jose.RSA_OAEP_256}, []jose.ContentEncryption{jose.A256GCM})
	if err != nil {
		return pan.Number{}, ErrSealedNumber
	}
	plain, err := message.Decrypt(k.private)
	if err != nil {
		return pan.Number{}, ErrSealedNumber
	}
	var inside struct {
		Number string `json:"number"`
	}
	if err := json.Unmarshal(plain, &inside); err != nil {
		return pan.Number{}, ErrSealedNumber
	}
	number, err := pan.Parse(inside.Number)
	if err != nil {
		return pan.Number{}, ErrNotANumber
	}
	return number, nil
}
