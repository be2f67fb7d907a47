package vault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf"
	"github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"
)

// keysetFile contains a JSON object with one Tink keyset for each use. The keysets are not
// encrypted: the file's mode protects them.
const keysetFile = "keyset.json"

// The uses of a keyset, named as in the file.
const (
	sealingUse       = "sealing"
	numberDigestsUse = "numberDigests"
	secretDigestsUse = "secretDigests"
)

// templates are the kinds of key for each use. A digest must be deterministic, which Tink calls a
// pseudo-random function (PRF).
var templates = map[string]func() *tink_go_proto.KeyTemplate{
	sealingUse:       aead.AES256GCMKeyTemplate,
	numberDigestsUse: prf.HMACSHA256PRFKeyTemplate,
	secretDigestsUse: prf.HMACSHA256PRFKeyTemplate,
}

// keysets are Tink keysets by use.
type keysets map[string]*keyset.Handle

// newKeysets returns a new keyset file, with random keys or those of the seed.
func (s Settings) newKeysets() ([]byte, error) {
	file := map[string]json.RawMessage{}
	for use, template := range templates {
		handle, err := keyset.NewHandle(template())
		if err != nil {
			return nil, err
		}
		material := insecurecleartextkeyset.KeysetMaterial(handle)
		if s.Seed != nil {
			if material, err = seededKeyset(*s.Seed, use); err != nil {
				return nil, err
			}
		}
		var text bytes.Buffer
		if err := keyset.NewJSONWriter(&text).Write(material); err != nil {
			return nil, err
		}
		file[use] = text.Bytes()
	}
	return json.MarshalIndent(file, "", "  ")
}

// parseKeysets parses a keyset file. Its errors quote nothing from the file.
func parseKeysets(text []byte) (keysets, error) {
	var file map[string]json.RawMessage
	if json.Unmarshal(text, &file) != nil {
		return nil, errors.New("it is not a JSON object of keysets")
	}
	sets := keysets{}
	for use := range templates {
		reader := keyset.NewJSONReader(bytes.NewReader(file[use]))
		handle, err := insecurecleartextkeyset.Read(reader)
		if err != nil {
			return nil, fmt.Errorf("the keyset %q is missing or damaged", use)
		}
		sets[use] = handle
	}
	return sets, nil
}

// useKeysets sets the keysets of the vault.
func (v *Vault) useKeysets(sets keysets) error {
	var err error
	v.sealing, err = aead.New(sets[sealingUse])
	if err != nil {
		return fmt.Errorf("the keyset %q cannot seal: %w", sealingUse, err)
	}
	primary, err := sets[sealingUse].Primary()
	if err != nil {
		return fmt.Errorf("the keyset %q cannot seal: %w", sealingUse, err)
	}
	v.ownMark = Mark(int(primary.KeyID()))
	v.numberDigests, err = newDigests(sets[numberDigestsUse])
	if err != nil {
		return fmt.Errorf("the keyset %q cannot digest: %w", numberDigestsUse, err)
	}
	v.secretDigests, err = newDigests(sets[secretDigestsUse])
	if err != nil {
		return fmt.Errorf("the keyset %q cannot digest: %w", secretDigestsUse, err)
	}
	return nil
}
