package vault

import (
	"context"
	"crypto"
	"crypto/rsa"
	_ "crypto/sha1"   // for SHA1
	_ "crypto/sha256" // for SHA224 and SHA256
	_ "crypto/sha512" // for SHA384 and SHA512
	"encoding/base64"
	"errors"
	"math/big"
	"strings"

	"mintmark/internal/secret"
)

// What OpenPin answers when it finds no PIN. Neither says more, so that nobody can learn about the
// key by trying.
var (
	ErrUndecryptable = errors.New("the PIN cannot be decrypted")
	ErrNotAPin       = errors.New("a PIN is four digits from 0001 to 9999")
)

// Pin is a cardholder's PIN, four digits from 0001 to 9999. Every printed form of it is three
// asterisks; only Reveal shows the digits.
type Pin struct{ secret.Text }

// OpenPin decrypts a PIN as callers send it (interface §9): RSA with OAEP, in base64
// with any white space, by one of the program's publicKeyAlgorithms, a comma-separated list. They
// are tried in their order, until one fits. It returns ErrUndecryptable or ErrNotAPin, or what the
// queue says that PINs wait in: ErrBusy, a FailingError or the context's error. Callers share the
// queue, each by a name.
//
// Whatever is undecryptable takes the same time, because it costs the same number of RSA
// decryptions: what is no block of the key's length is replaced by one that opens to nothing.
func (v *Vault) OpenPin(
	ctx context.Context, caller, encrypted, algorithms string,
) (Pin, error) {
	if err := v.queue.enter(ctx, caller); err != nil {
		return Pin{}, err
	}
	defer v.queue.leave()
	pin, err := v.openPin(encrypted, algorithms)
	if err != nil {
		v.queue.failed(caller) // before the next one of the caller's begins
	}
	return pin, err
}

func (v *Vault) openPin(encrypted, algorithms string) (Pin, error) {
	sent := decodeBase64(encrypted)
	block := sent
	if !v.pins.fits(sent) {
		block = v.pins.decoy()
	}
	for _, a := range parseAlgorithms(algorithms) {
		if a.plain {
			if v.plainPins && 0 < len(sent) && len(sent) <= maxPlainPin {
				return parsePin(sent)
			}
			continue
		}
		text, err := v.pins.private.Decrypt(nil, block, &a.oaep)
		if err == nil {
			return parsePin(text)
		}
	}
	return Pin{}, ErrUndecryptable
}

// parsePin takes four ASCII digits. 0000 is not a PIN.
func parsePin(digits []byte) (Pin, error) {
	text := string(digits)
	if len(text) != 4 || strings.Trim(text, "0123456789") != "" || text == "0000" {
		return Pin{}, ErrNotAPin
	}
	return Pin{secret.New(text)}, nil
}

// fits reports whether a block can be the result of encrypting with the key: it is as long as the
// key, and as a number less than the modulus.
func (k pinKey) fits(block []byte) bool {
	return len(block) == k.public.Size() && new(big.Int).SetBytes(block).Cmp(k.public.N) < 0
}

// decoy returns a block that fits the key. Its decryption is as much work as any other.
func (k pinKey) decoy() []byte {
	third := new(big.Int).Div(k.public.N, big.NewInt(3))
	return third.FillBytes(make([]byte, k.public.Size()))
}

// algorithm is one way to try a block: as plain text, or by RSA-OAEP with these hashes.
type algorithm struct {
	plain bool
	oaep  rsa.OAEPOptions
}

// hashes are the hashes of the algorithms, by their names there.
var hashes = map[string]crypto.Hash{
	"RSA-OAEP-SHA1-MGF1":   crypto.SHA1,
	"RSA-OAEP-SHA224-MGF1": crypto.SHA224,
	"RSA-OAEP-SHA256-MGF1": crypto.SHA256,
	"RSA-OAEP-SHA384-MGF1": crypto.SHA384,
	"RSA-OAEP-SHA512-MGF1": crypto.SHA512,
}

// parseAlgorithms returns what to try for a program's list. A hash is tried for both the text and
// its mask, and then with a SHA-1 mask, which many libraries use unless they are told otherwise.
// Names that are not known here are passed over.
func parseAlgorithms(list string) []algorithm {
	var tries []algorithm
	for name := range strings.SplitSeq(list, ",") {
		name = strings.ToUpper(strings.TrimSpace(name))
		if name == "NONE" {
			tries = append(tries, algorithm{plain: true})
		}
		hash, known := hashes[name]
		if !known {
			continue
		}
		tries = append(tries, algorithm{oaep: rsa.OAEPOptions{Hash: hash, MGFHash: hash}})
		if hash != crypto.SHA1 {
			withSHA1 := rsa.OAEPOptions{Hash: hash, MGFHash: crypto.SHA1}
			tries = append(tries, algorithm{oaep: withSHA1})
		}
	}
	return tries
}

// decodeBase64 decodes the standard alphabet of RFC 4648 and ignores white space. What is not
// base64 gives nothing, like the empty text.
func decodeBase64(text string) []byte {
	block, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		return nil
	}
	return block
}

// maxPlainPin is how many bytes the algorithm NONE takes at most. It keeps NONE from a block that
// is encrypted for another key: such a PIN is undecryptable and not malformed.
const maxPlainPin = 16
