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

	"mintmark/internal/base/secret"
)

// The errors of DecryptCallerPin when it finds no PIN. Neither says more, so that a caller cannot
// learn anything about the key by trying.
var (
	ErrUndecryptable = errors.New("the PIN cannot be decrypted")
	ErrNotAPin       = errors.New("a PIN is four digits from 0001 to 9999")
)

// Pin is a cardholder's PIN, four digits from 0001 to 9999. Every printed form of it is three
// asterisks; only Reveal shows the digits.
type Pin struct{ secret.Text }

// DecryptCallerPin decrypts a PIN from a caller (interface §9): RSA-OAEP in base64 with any white
// space. It tries the program's publicKeyAlgorithms, a comma-separated list, in order. Its error is
// ErrUndecryptable, ErrNotAPin, or an error of the queue: ErrBusy, a FailingError or the context's
// error. caller is the name under which the caller shares the queue.
//
// Every undecryptable input takes the same time, because it costs the same number of RSA
// decryptions: each algorithm is tried with each key in use. For a key whose blocks the input does
// not fit, a decoy is decrypted instead.
func (v *Vault) DecryptCallerPin(
	ctx context.Context, caller, encrypted, algorithms string,
) (Pin, error) {
	if err := v.queue.enter(ctx, caller); err != nil {
		return Pin{}, err
	}
	defer v.queue.leave()
	pin, err := v.openPin(encrypted, algorithms)
	if err != nil {
		v.queue.failed(caller) // before the caller's next PIN starts
	}
	return pin, err
}

func (v *Vault) openPin(encrypted, algorithms string) (Pin, error) {
	sent := decodeBase64(encrypted)
	blocks := make([][]byte, len(v.pins))
	for i, key := range v.pins {
		blocks[i] = sent
		if !key.fits(sent) {
			blocks[i] = key.decoy()
		}
	}
	for _, a := range parseAlgorithms(algorithms) {
		if a.plain {
			if v.plainPins && 0 < len(sent) && len(sent) <= maxPlainPin {
				return parsePin(sent)
			}
			continue
		}
		for i, key := range v.pins {
			text, err := key.private.Decrypt(nil, blocks[i], &a.oaep)
			if err == nil {
				return parsePin(text)
			}
		}
	}
	return Pin{}, ErrUndecryptable
}

// parsePin accepts four ASCII digits. 0000 is not a PIN.
func parsePin(digits []byte) (Pin, error) {
	text := string(digits)
	if len(text) != 4 || strings.Trim(text, "0123456789") != "" || text == "0000" {
		return Pin{}, ErrNotAPin
	}
	return Pin{secret.New(text)}, nil
}

// fits reports whether a block can be a ciphertext of the key: it has the key's length and, as a
// number, is less than the modulus.
func (k pinKey) fits(block []byte) bool {
	return len(block) == k.public.Size() && new(big.Int).SetBytes(block).Cmp(k.public.N) < 0
}

// decoy returns a block that fits the key. Decrypting it costs as much as any other block.
func (k pinKey) decoy() []byte {
	third := new(big.Int).Div(k.public.N, big.NewInt(3))
	return third.FillBytes(make([]byte, k.public.Size()))
}

// algorithm is one way to read a block: as plain text, or by RSA-OAEP with these hashes.
type algorithm struct {
	plain bool
	oaep  rsa.OAEPOptions
}

// hashes are the hashes by their names in a program's list.
var hashes = map[string]crypto.Hash{
	"RSA-OAEP-SHA1-MGF1":   crypto.SHA1,
	"RSA-OAEP-SHA224-MGF1": crypto.SHA224,
	"RSA-OAEP-SHA256-MGF1": crypto.SHA256,
	"RSA-OAEP-SHA384-MGF1": crypto.SHA384,
	"RSA-OAEP-SHA512-MGF1": crypto.SHA512,
}

// parseAlgorithms returns the algorithms to try for a program's list. Each hash is tried for both
// the text and its mask, and then with a SHA-1 mask, the default of many libraries. Unknown names
// are skipped.
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

// decodeBase64 decodes the standard alphabet of RFC 4648 and ignores white space. It returns nil
// for text in any other encoding.
func decodeBase64(text string) []byte {
	block, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		return nil
	}
	return block
}

// maxPlainPin is the longest input of the algorithm NONE. Longer inputs are blocks encrypted for
// another key: such a PIN is undecryptable rather than malformed.
const maxPlainPin = 16
