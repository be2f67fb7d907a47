package standin

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-jose/go-jose/v4"

	"mintmark/internal/vault/signature"
)

// The files of the keys. The operator of Mintmark gets the public key set and both lists of
// secrets; the private key stays with the processor.
const (
	PrivateKeys   = "private.jwks"
	PublicKeys    = "processor.jwks"
	OrderSecrets  = "secrets"       // one per line: Mintmark signs orders with the first
	ReportSecrets = "reportSecrets" // the processor signs reports with all of them
)

const keyBits = 3072

// keys holds the processor's private keys, and the secrets that it shares with Mintmark.
type keys struct {
	private       jose.JSONWebKeySet
	orderSecrets  []signature.Secret
	reportSecrets []signature.Secret
}

// openKeys reads the keys in a directory, and creates missing ones.
func openKeys(dir string) (*keys, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	var k keys
	err := k.readPrivate(dir)
	if err != nil {
		return nil, err
	}
	for name, into := range map[string]*[]signature.Secret{
		OrderSecrets: &k.orderSecrets, ReportSecrets: &k.reportSecrets,
	} {
		*into, err = readSecrets(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
	}
	return &k, nil
}

func (k *keys) readPrivate(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, PrivateKeys))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = makeKeys(dir)
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &k.private); err != nil || len(k.private.Keys) == 0 {
		return fmt.Errorf("%s is not a set of private keys", PrivateKeys)
	}
	return nil
}

// makeKeys creates a key pair. It writes the public half first, so that an incomplete pair is
// created again.
func makeKeys(dir string) ([]byte, error) {
	private, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return nil, err
	}
	key := jose.JSONWebKey{
		Key: private, KeyID: "standin-" + strings.ToLower(rand.Text()[:8]), Use: "enc",
		Algorithm: string(jose.RSA_OAEP_256),
	}
	var text []byte
	for _, file := range []struct {
		name string
		key  jose.JSONWebKey
		mode fs.FileMode
	}{{PublicKeys, key.Public(), 0o644}, {PrivateKeys, key, 0o600}} {
		set := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{file.key}}
		text, err = json.MarshalIndent(set, "", "  ")
		if err != nil {
			return nil, err
		}
		if err := makeFile(filepath.Join(dir, file.name), text, file.mode); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// makeFile creates a file atomically.
func makeFile(name string, text []byte, mode fs.FileMode) error {
	if err := os.WriteFile(name+".new", text, mode); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// readSecrets reads secrets, one per line, and creates one if there is no file.
func readSecrets(file string) ([]signature.Secret, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		random := make([]byte, signature.MinSecretBytes)
		_, _ = rand.Read(random) // never fails
		var s signature.Secret
		s, err = signature.NewSecret(random)
		if err == nil {
			text = []byte(s.Reveal() + "\n")
			err = makeFile(file, text, 0o600)
		}
	}
	if err != nil {
		return nil, err
	}
	var secrets []signature.Secret
	for _, line := range strings.Fields(string(text)) {
		s, err := signature.ParseSecret(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		secrets = append(secrets, s)
	}
	if len(secrets) == 0 {
		return nil, fmt.Errorf("%s holds no secret", file)
	}
	return secrets, nil
}
