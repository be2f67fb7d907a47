package custody

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"mintmark/internal/base/prompt"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/operator"
)

// Ask returns the passphrase of a custodian. Both custodians are asked before either passphrase is
// used. After prompt.ErrUnanswered, Ask is not called again.
type Ask func(custodian string) (secret.Text, error)

// Custodian is one of the two people whose passphrases together wrap a data key. It has the
// argon2id parameters that derive a key from the passphrase.
type Custodian struct {
	Name      string `json:"name"`
	Salt      []byte `json:"salt"`
	Passes    uint32 `json:"passes"`
	MemoryKiB uint32 `json:"memoryKiB"`
	Lanes     uint8  `json:"lanes"`
}

// custodians is the number of custodians. The formats would allow more; a bank has two.
const custodians = 2

// MinPassphrase is the minimum length of a passphrase, in characters. A thief of the directory can
// guess offline, unnoticed.
const MinPassphrase = 16

// The cost of a passphrase is what RFC 9106 recommends for little memory. A file that exceeds one
// of the maximums is damaged.
const (
	passes    = 3
	memoryKiB = 64 << 10
	lanes     = 4

	saltBytes    = 16
	maxPasses    = 100
	maxMemoryKiB = 4 << 20
)

// cheap lowers the cost in tests.
var cheap bool

// custodianName does not limit the length: a counted repetition of these classes takes long to
// compile, which would delay every command.
var custodianName = regexp.MustCompile(`^[\pL\pN][\pL\pN._-]*$`)

const maxCustodianName = 40

// CheckNames rejects anything but the names of two custodians.
func CheckNames(names []string) error {
	if len(names) != custodians || names[0] == names[1] {
		return fmt.Errorf("two custodians are needed, each with a name of their own, not %d",
			len(slices.Compact(slices.Sorted(slices.Values(names)))))
	}
	for _, name := range names {
		if utf8.RuneCountInString(name) > maxCustodianName || !custodianName.MatchString(name) {
			return fmt.Errorf("%q is not the name of a custodian: letters, digits, dot, dash and "+
				"underscore, %d at most", name, maxCustodianName)
		}
	}
	return nil
}

// checkStored rejects the custodians of a damaged file.
func checkStored(stored []Custodian) error {
	var names []string
	for _, c := range stored {
		names = append(names, c.Name)
		if len(c.Salt) < saltBytes || c.Passes < 1 || c.Passes > maxPasses || c.Lanes < 1 ||
			c.MemoryKiB > maxMemoryKiB {
			return fmt.Errorf("it is damaged: the passphrase parameters of %q are out of range",
				c.Name)
		}
	}
	return CheckNames(names)
}

// wrapByCustodians wraps a data key under new salts.
func (k Keeper) wrapByCustodians(w Wrapping, key Key) (Wrapping, error) {
	if err := CheckNames(k.Custodians); err != nil {
		return Wrapping{}, err
	}
	for _, name := range k.Custodians {
		c := Custodian{
			Name: name, Salt: make([]byte, saltBytes),
			Passes: passes, MemoryKiB: memoryKiB, Lanes: lanes,
		}
		if cheap {
			c.Passes, c.MemoryKiB = 1, 64
		}
		if _, err := rand.Read(c.Salt); err != nil {
			return Wrapping{}, err
		}
		w.Custodians = append(w.Custodians, c)
	}
	given, err := k.ask(w)
	if err != nil {
		return Wrapping{}, err
	}
	if err := checkNew(w.Names(), given); err != nil {
		return Wrapping{}, err
	}
	sealing, binding, err := w.byPassphrases(given)
	if err != nil {
		return Wrapping{}, err
	}
	sealed := sealing.Seal(nil, nil, []byte(key.text.Reveal()), binding)
	w.Wrapped = base64.StdEncoding.EncodeToString(sealed)
	return w, nil
}

// checkNew rejects passphrases that protect nothing.
func checkNew(names []string, given []secret.Text) error {
	var problems []error
	for i, text := range given {
		switch {
		case utf8.RuneCountInString(text.Reveal()) < MinPassphrase:
			problems = append(problems, fmt.Errorf("the passphrase of %s is shorter than %d "+
				"characters", names[i], MinPassphrase))
		case operator.IsRepeated(text.Reveal()):
			problems = append(problems, fmt.Errorf("the passphrase of %s consists of a few "+
				"repeated characters", names[i]))
		}
	}
	if given[0] == given[1] {
		problems = append(problems, fmt.Errorf("%s and %s have the same passphrase: either could "+
			"open the keys alone", names[0], names[1]))
	}
	return errors.Join(problems...)
}

// openByCustodians unwraps a data key. Its error does not reveal whether one passphrase is wrong or
// both, nor which one: otherwise one custodian, or a thief of one passphrase, could guess the other
// and know when a guess was right.
func (k Keeper) openByCustodians(w Wrapping) (Key, error) {
	given, err := k.ask(w)
	if err != nil {
		return Key{}, err
	}
	sealing, binding, err := w.byPassphrases(given)
	if err != nil {
		return Key{}, err
	}
	sealed, err := base64.StdEncoding.DecodeString(w.Wrapped)
	if err != nil {
		return Key{}, fmt.Errorf("%s is damaged", FileName)
	}
	text, err := sealing.Open(nil, nil, sealed, binding)
	if err != nil {
		return Key{}, fmt.Errorf("%s do not open the keys together: at least one of the two is "+
			"wrong", w)
	}
	return keyOf(w, text)
}

// ask returns the passphrases in the order of the custodians, or an error that names the missing
// ones.
func (k Keeper) ask(w Wrapping) ([]secret.Text, error) {
	if k.Ask == nil {
		return nil, fmt.Errorf("the keys are wrapped by %s: the passphrases need a terminal", w)
	}
	var given []secret.Text
	var problems []error
	for _, name := range w.Names() {
		text, err := k.Ask(name)
		if errors.Is(err, prompt.ErrUnanswered) {
			return nil, fmt.Errorf("the passphrase of %s: %w", name, err)
		}
		if err == nil && text.Reveal() == "" {
			err = errors.New("it is empty")
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("the passphrase of %s: %w", name, err))
		}
		given = append(given, text)
	}
	return given, errors.Join(problems...)
}

// byPassphrases derives the key-encryption key from both passphrases. It also returns the
// associated data that a data key is bound to: everything in the wrapping except the data key.
func (w Wrapping) byPassphrases(given []secret.Text) (cipher.AEAD, []byte, error) {
	var material []byte
	for i, c := range w.Custodians {
		material = append(material, argon2.IDKey([]byte(given[i].Reveal()), c.Salt, c.Passes,
			c.MemoryKiB, c.Lanes, keyBytes)...)
	}
	key, err := hkdf.Key(sha256.New, material, []byte(w.ID), "mintmark custodians", keyBytes)
	if err != nil {
		return nil, nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, nil, err
	}
	sealing, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, nil, err
	}
	w.Wrapped = ""
	binding, err := json.Marshal(w)
	return sealing, binding, err
}
