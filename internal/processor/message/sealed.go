package message

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-jose/go-jose/v4"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/secret"
	"mintmark/internal/processor"
	"mintmark/internal/vault"
)

// orderHeader is the protected header that binds an encrypted part to its order.
const orderHeader = "orderId"

// sealed is the part that only the processor can read.
type sealed struct {
	Number      string `json:"number"`
	ExpireMonth int    `json:"expireMonth"`
	ExpireYear  int    `json:"expireYear"`
	Pin         string `json:"pin,omitempty"`
}

// ErrNotOpened is returned for an encrypted part that is for another key or another order.
var ErrNotOpened = errors.New("the sealed part cannot be decrypted")

// Seal encrypts the secret of an order to the processor, as a JWE in compact form with RSA-OAEP-256
// and A256GCM.
func (k *Keys) Seal(orderID string, s processor.Secret) (string, error) {
	content := sealed{
		Number: s.Number.Reveal(), ExpireMonth: s.ExpireMonth, ExpireYear: s.ExpireYear,
	}
	if s.Pin != nil {
		content.Pin = s.Pin.Reveal()
	}
	text, err := json.Marshal(content)
	if err != nil {
		return "", fmt.Errorf("seal order %s: %w", orderID, err)
	}
	defer clear(text)
	t, err := k.encrypt(text, (&jose.EncrypterOptions{}).WithHeader(orderHeader, orderID))
	if err != nil {
		return "", fmt.Errorf("seal order %s: %w", orderID, err)
	}
	return t, nil
}

// SealNumber encrypts a card number to Mintmark, as a processor does when it requests an
// authorization by card number.
func (k *Keys) SealNumber(number pan.Number) (string, error) {
	text, err := json.Marshal(struct {
		Number string `json:"number"`
	}{number.Reveal()})
	if err != nil {
		return "", fmt.Errorf("seal a number: %w", err)
	}
	defer clear(text)
	return k.encrypt(text, nil)
}

func (k *Keys) encrypt(text []byte, options *jose.EncrypterOptions) (string, error) {
	encrypter, err := jose.NewEncrypter(jose.A256GCM,
		jose.Recipient{Algorithm: jose.RSA_OAEP_256, Key: k.use.Key, KeyID: k.use.KeyID}, options)
	if err != nil {
		return "", err
	}
	jSONWebEncryption, err := encrypter.Encrypt(text)
	if err != nil {
		return "", err
	}
	return jSONWebEncryption.CompactSerialize()
}

// Open decrypts the encrypted part of an order with the private keys of the processor.
func Open(private jose.JSONWebKeySet, orderID, text string) (processor.Secret, error) {
	plain, headers, err := decrypt(private, text)
	if err != nil || headers.ExtraHeaders[orderHeader] != orderID {
		return processor.Secret{}, ErrNotOpened
	}
	defer clear(plain)
	var content sealed
	if json.Unmarshal(plain, &content) != nil {
		return processor.Secret{}, ErrNotOpened
	}
	number, err := pan.Parse(content.Number)
	if err != nil {
		return processor.Secret{}, ErrNotOpened
	}
	opened := processor.Secret{
		Number: number, ExpireMonth: content.ExpireMonth, ExpireYear: content.ExpireYear,
	}
	if content.Pin != "" {
		opened.Pin = &vault.Pin{Text: secret.New(content.Pin)}
	}
	return opened, nil
}

// decrypt decrypts a JWE with the key that its header names, or else with each key in turn.
func decrypt(private jose.JSONWebKeySet, text string) ([]byte, jose.Header, error) {
	parsed, err := jose.ParseEncryptedCompact(text,
		[]jose.KeyAlgorithm{jose.RSA_OAEP_256}, []jose.ContentEncryption{jose.A256GCM})
	if err != nil {
		return nil, jose.Header{}, ErrNotOpened
	}
	keys := private.Keys
	if parsed.Header.KeyID != "" {
		keys = private.Key(parsed.Header.KeyID)
	}
	for _, key := range keys {
		plain, err := parsed.Decrypt(key.Key)
		if err == nil {
			return plain, parsed.Header, nil
		}
	}
	return nil, jose.Header{}, ErrNotOpened
}
