package vault

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/time/rate"
)

// everyAlgorithm is the list of a program that leaves callers every choice.
const everyAlgorithm = "RSA-OAEP-SHA512-MGF1, RSA-OAEP-SHA256-MGF1, RSA-OAEP-SHA1-MGF1, NONE"

// encrypt returns a text as a caller sends it, with a hash for the text and one for the mask.
func encrypt(t testing.TB, v *Vault, text string, hash, mask crypto.Hash) string {
	t.Helper()
	block, err := rsa.EncryptOAEPWithOptions(rand.Reader, v.pins[0].public, []byte(text),
		&rsa.OAEPOptions{Hash: hash, MGFHash: mask})
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(block)
}

func plain(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// wantPin compares the result of DecryptCallerPin with the digits or the error wanted.
func wantPin(t *testing.T, got Pin, err error, digits string, want error) {
	t.Helper()
	if !errors.Is(err, want) || got.Reveal() != digits {
		t.Errorf("OpenPin gives %q and %v, want %q and %v", got.Reveal(), err, digits, want)
	}
}

func TestOpenPinTakesEveryAlgorithmAndMask(t *testing.T) {
	v := open(t, Settings{})
	for name, hash := range hashes {
		for _, mask := range []crypto.Hash{hash, crypto.SHA1} {
			t.Run(name+" mask "+mask.String(), func(t *testing.T) {
				sent := encrypt(t, v, "0420", hash, mask)
				pin, err := v.DecryptCallerPin(t.Context(), "a", sent, name)
				wantPin(t, pin, err, "0420", nil)
				for other := range hashes {
					if other != name {
						pin, err := v.DecryptCallerPin(t.Context(), "a", sent, other)
						wantPin(t, pin, err, "", ErrUndecryptable)
					}
				}
			})
		}
	}
}

// openSSL opens a vault whose PIN key was made by OpenSSL, as an operator would install it.
func openSSL(t *testing.T) *Vault {
	t.Helper()
	dir := t.TempDir()
	open(t, Settings{Dir: dir})
	key := vector(t, "pin-private.pem")
	err := os.WriteFile(filepath.Join(dir, pinFile), []byte(key), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return open(t, Settings{Dir: dir})
}

func vector(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "openssl", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestOpenPinTakesWhatOpenSSLMakes(t *testing.T) {
	v := openSSL(t)
	if string(v.PublicPinKeyPEM()) != vector(t, "pin-public.pem") {
		t.Error("the public key looks other than OpenSSL's")
	}
	for _, hash := range []string{"sha1", "sha224", "sha256", "sha384", "sha512"} {
		for _, mask := range []string{hash, "sha1"} {
			sent := vector(t, hash+"-mask-"+mask+".b64")
			pin, err := v.DecryptCallerPin(t.Context(), "a", sent, "RSA-OAEP-"+strings.ToUpper(hash)+"-MGF1")
			wantPin(t, pin, err, "4321", nil)
		}
	}
	for file, want := range map[string]error{
		"zero.b64": ErrNotAPin, "five-digits.b64": ErrNotAPin, "pkcs1.b64": ErrUndecryptable,
	} {
		pin, err := v.DecryptCallerPin(t.Context(), "a", vector(t, file), everyAlgorithm)
		wantPin(t, pin, err, "", want)
	}
}

func TestOpenPinTakesFourDigitsOnly(t *testing.T) {
	v := open(t, Settings{AllowPlainPins: true})
	for _, digits := range []string{"0001", "1000", "9999", "0900"} {
		sent := encrypt(t, v, digits, crypto.SHA256, crypto.SHA256)
		pin, err := v.DecryptCallerPin(t.Context(), "a", sent, everyAlgorithm)
		wantPin(t, pin, err, digits, nil)
		pin, err = v.DecryptCallerPin(t.Context(), "a", plain(digits), everyAlgorithm)
		wantPin(t, pin, err, digits, nil)
	}
	for _, text := range []string{
		"0000", "1", "123", "12345", "123a", " 123", "1234 ", "+123", "-123", "1.23", "0x12",
	} {
		sent := encrypt(t, v, text, crypto.SHA256, crypto.SHA256)
		pin, err := v.DecryptCallerPin(t.Context(), "a", sent, everyAlgorithm)
		wantPin(t, pin, err, "", ErrNotAPin)
		pin, err = v.DecryptCallerPin(t.Context(), "a", plain(text), everyAlgorithm)
		wantPin(t, pin, err, "", ErrNotAPin)
	}
	// Texts that only the encryption can carry: the empty one, and digits outside ASCII.
	for _, text := range []string{"", "١٢", "\x00\x01\x02\x03", "1234\n"} {
		sent := encrypt(t, v, text, crypto.SHA256, crypto.SHA256)
		pin, err := v.DecryptCallerPin(t.Context(), "a", sent, everyAlgorithm)
		wantPin(t, pin, err, "", ErrNotAPin)
	}
}

func TestOpenPinIgnoresWhiteSpace(t *testing.T) {
	v := open(t, Settings{})
	sent := encrypt(t, v, "4321", crypto.SHA256, crypto.SHA256)
	for _, space := range []string{" ", "\t", "\n", "\r\n", "\f\v "} {
		spaced := space + strings.Join(strings.Split(sent, ""), space) + space
		pin, err := v.DecryptCallerPin(t.Context(), "a", spaced, everyAlgorithm)
		wantPin(t, pin, err, "4321", nil)
	}
}

func TestOpenPinReadsTheListLeniently(t *testing.T) {
	v := open(t, Settings{})
	sent := encrypt(t, v, "4321", crypto.SHA256, crypto.SHA256)
	for list, want := range map[string]error{
		"RSA-OAEP-SHA256-MGF1":                       nil,
		" rsa-oaep-sha256-mgf1 ":                     nil,
		",,RSA-OAEP-SHA3-MGF1,RSA-OAEP-SHA256-MGF1,": nil,
		"":                     ErrUndecryptable,
		"RSA-OAEP-SHA512-MGF1": ErrUndecryptable,
		"RSA":                  ErrUndecryptable,
	} {
		pin, err := v.DecryptCallerPin(t.Context(), "a", sent, list)
		digits := "4321"
		if want != nil {
			digits = ""
		}
		wantPin(t, pin, err, digits, want)
	}
}

func TestPlainPinIsRefusedInProduction(t *testing.T) {
	production, sandbox := open(t, Settings{}), open(t, Settings{AllowPlainPins: true})
	for _, list := range []string{"NONE", everyAlgorithm} {
		pin, err := production.DecryptCallerPin(t.Context(), "a", plain("4321"), list)
		wantPin(t, pin, err, "", ErrUndecryptable)
		pin, err = sandbox.DecryptCallerPin(t.Context(), "a", plain("4321"), list)
		wantPin(t, pin, err, "4321", nil)
	}
	// The sandbox takes it only where the program allows it.
	pin, err := sandbox.DecryptCallerPin(t.Context(), "a", plain("4321"), "RSA-OAEP-SHA1-MGF1")
	wantPin(t, pin, err, "", ErrUndecryptable)
}

// TestPlainPinIsShort holds that NONE reads short texts as PINs, good or bad, and that a longer
// text is undecryptable.
func TestPlainPinIsShort(t *testing.T) {
	v := open(t, Settings{AllowPlainPins: true})
	for text, want := range map[string]error{
		"4321\x00": ErrNotAPin, "\x01\x02\x03\x04": ErrNotAPin,
		strings.Repeat("1", maxPlainPin):   ErrNotAPin,
		strings.Repeat("1", maxPlainPin+1): ErrUndecryptable,
		"":                                 ErrUndecryptable,
	} {
		pin, err := v.DecryptCallerPin(t.Context(), "a", plain(text), everyAlgorithm)
		wantPin(t, pin, err, "", want)
	}
}

// counter counts the decryptions of a key, which determine the duration of DecryptCallerPin. A block that
// does not fit the key is not counted: the library rejects it without work.
type counter struct {
	pinKey
	count int
}

func (c *counter) Public() crypto.PublicKey { return c.public }

func (c *counter) Decrypt(r io.Reader, block []byte, o crypto.DecrypterOpts) ([]byte, error) {
	modulus := c.public.N.Bytes()
	if len(block) == len(modulus) && bytes.Compare(block, modulus) < 0 {
		c.count++
	}
	return c.private.Decrypt(r, block, o)
}

func TestUndecryptablePinsCostTheSame(t *testing.T) {
	v := open(t, Settings{AllowPlainPins: true})
	another := openOther(t)
	calls := &counter{pinKey: v.pins[0]}
	v.pins[0].private = calls
	size := v.pins[0].public.Size()
	block := make([]byte, size)
	for name, sent := range map[string]string{
		"not base64":          "???",
		"base64 of the URL":   "-_-_",
		"nothing":             "",
		"too short":           base64.StdEncoding.EncodeToString(block[1:]),
		"too long":            base64.StdEncoding.EncodeToString(append(block, 0)),
		"all zeros":           base64.StdEncoding.EncodeToString(block),
		"the modulus":         base64.StdEncoding.EncodeToString(v.pins[0].public.N.Bytes()),
		"over the modulus":    plain(strings.Repeat("\xff", size)),
		"another algorithm":   encrypt(t, v, "4321", crypto.SHA384, crypto.SHA384),
		"another mask":        encrypt(t, v, "4321", crypto.SHA256, crypto.SHA512),
		"too long for NONE":   plain(strings.Repeat("1", maxPlainPin+1)),
		"another key":         encrypt(t, another, "4321", crypto.SHA256, crypto.SHA256),
		"one character short": encrypt(t, v, "4321", crypto.SHA256, crypto.SHA256)[1:],
	} {
		calls.count = 0
		pin, err := v.DecryptCallerPin(t.Context(), "a", sent, everyAlgorithm)
		wantPin(t, pin, err, "", ErrUndecryptable)
		// Two masks for SHA-512, two for SHA-256, one for SHA-1.
		if calls.count != 5 {
			t.Errorf("%s costs %d decryptions, want 5", name, calls.count)
		}
	}
}

// TestDecoyIsDecryptedInFull holds that the library decrypts a decoy in full, also with a key
// whose length is no whole number of bytes.
func TestDecoyIsDecryptedInFull(t *testing.T) {
	for _, bits := range []int{2048, 2049, 2055} {
		private, err := rsa.GenerateKey(rand.Reader, bits)
		if err != nil {
			t.Fatal(err)
		}
		key := pinKey{private: private, public: &private.PublicKey}
		if !key.fits(key.decoy()) {
			t.Errorf("the decoy of a key of %d bits does not fit it", bits)
		}
	}
}

func TestAlgorithmsAreTriedInTheirOrder(t *testing.T) {
	var got []string
	for _, a := range parseAlgorithms("NONE,RSA-OAEP-SHA1-MGF1,RSA-OAEP-SHA512-MGF1") {
		if a.plain {
			got = append(got, "plain")
			continue
		}
		got = append(got, a.oaep.Hash.String()+" mask "+a.oaep.MGFHash.String())
	}
	want := []string{"plain", "SHA-1 mask SHA-1", "SHA-512 mask SHA-512", "SHA-512 mask SHA-1"}
	if !slices.Equal(got, want) {
		t.Errorf("tries %q, want %q", got, want)
	}
}

func FuzzOpenPin(f *testing.F) {
	v := open(f, Settings{AllowPlainPins: true})
	v.queue.every = rate.Inf // most inputs here are no PIN
	f.Add(encrypt(f, v, "4321", crypto.SHA256, crypto.SHA256), everyAlgorithm)
	f.Add(plain("4321"), everyAlgorithm)
	f.Add(plain("12345"), "NONE")
	f.Add("????", ",, ,")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, sent, list string) {
		if len(list) > 200 {
			list = list[:200] // as long as the field may be
		}
		pin, err := v.DecryptCallerPin(t.Context(), "a", sent, list)
		if errors.Is(err, ErrUndecryptable) || errors.Is(err, ErrNotAPin) {
			if pin != (Pin{}) {
				t.Error("an error comes with a PIN")
			}
			return
		}
		if err != nil {
			t.Fatalf("another error: %v", err)
		}
		_, err = parsePin([]byte(pin.Reveal()))
		if err != nil {
			t.Errorf("%q is taken for a PIN", pin.Reveal())
		}
	})
}
