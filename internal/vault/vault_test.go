package vault

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/secret"
)

// open opens a vault. Unless the settings choose keys, it uses the precomputed ones of a seed.
func open(t testing.TB, s Settings) *Vault {
	t.Helper()
	if s.Seed == nil && s.PinKeyBits == 0 {
		s.Seed = new(uint64(precomputedSeed))
	}
	v, err := Open(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func number(t testing.TB, digits string) pan.Number {
	t.Helper()
	n, err := pan.Parse(digits)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const someDigits = "4111111111111111"

func TestSealedNumberOpensForItsCardOnly(t *testing.T) {
	v := open(t, Settings{})
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.StringMatching(`[0-9]{15}`).Draw(t, "body")
		n, err := pan.Parse(body + string(pan.CheckDigit(body)))
		if err != nil {
			t.Fatal(err)
		}
		cardID := rapid.Int().Draw(t, "card")
		sealed, err := v.SealNumber(KeysetKey, n, cardID)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(sealed, []byte(body)) {
			t.Fatal("the sealed number shows the number")
		}
		got, err := v.OpenNumber(sealed, cardID)
		if err != nil {
			t.Fatal(err)
		}
		if got != n {
			t.Fatalf("opened to another number than %s", body)
		}
		_, err = v.OpenNumber(sealed, cardID+1)
		if err == nil {
			t.Fatal("opened for another card")
		}
	})
}

func TestSealedPinOpensForItsCardOnly(t *testing.T) {
	v := open(t, Settings{})
	pin := Pin{secret.New("0123")}
	sealed, err := v.SealPin(KeysetKey, pin, 5001)
	if err != nil {
		t.Fatal(err)
	}
	got, err := v.OpenSealedPin(sealed, 5001)
	if err != nil {
		t.Fatal(err)
	}
	if got != pin {
		t.Errorf("opened to %q", got.Reveal())
	}
	_, err = v.OpenSealedPin(sealed, 5002)
	if err == nil {
		t.Error("opened for another card")
	}
}

// TestSealedTextOpensForItsPurposeOnly also checks that encrypting a PIN twice gives different
// ciphertexts: otherwise a reader of the database would see which cards have the same PIN.
func TestSealedTextOpensForItsPurposeOnly(t *testing.T) {
	v := open(t, Settings{})
	pin, err := v.SealPin(KeysetKey, Pin{secret.New("0123")}, 5001)
	if err != nil {
		t.Fatal(err)
	}
	_, err = v.OpenNumber(pin, 5001)
	if err == nil || !strings.Contains(err.Error(), "decrypt the number of card") {
		t.Errorf("a sealed PIN opened as a number gives %v", err)
	}
	sealed, err := v.SealNumber(KeysetKey, number(t, someDigits), 5001)
	if err != nil {
		t.Fatal(err)
	}
	_, err = v.OpenSealedPin(sealed, 5001)
	if err == nil || !strings.Contains(err.Error(), "decrypt the PIN of card") {
		t.Errorf("a sealed number opened as a PIN gives %v", err)
	}
	again, err := v.SealPin(KeysetKey, Pin{secret.New("0123")}, 5001)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(pin, again) {
		t.Error("a PIN sealed twice looks alike")
	}
}

func TestTamperedSealIsRefused(t *testing.T) {
	v := open(t, Settings{})
	sealed, err := v.SealNumber(KeysetKey, number(t, someDigits), 5001)
	if err != nil {
		t.Fatal(err)
	}
	for i := range sealed {
		tampered := bytes.Clone(sealed)
		tampered[i] ^= 1
		_, err := v.OpenNumber(tampered, 5001)
		if err == nil {
			t.Errorf("opened with byte %d changed", i)
		}
	}
}

func TestVaultsCannotOpenEachOthersSeals(t *testing.T) {
	mine, other := open(t, Settings{}), openOther(t)
	sealed, err := mine.SealNumber(KeysetKey, number(t, someDigits), 5001)
	if err != nil {
		t.Fatal(err)
	}
	_, err = other.OpenNumber(sealed, 5001)
	if err == nil {
		t.Error("another vault opened the number")
	}
}

func TestDigests(t *testing.T) {
	v := open(t, Settings{})
	digest := v.DigestNumber(number(t, someDigits))
	if len(digest) != sha256.Size {
		t.Errorf("a digest has %d bytes, want %d", len(digest), sha256.Size)
	}
	if !bytes.Equal(digest, v.DigestNumber(number(t, someDigits))) {
		t.Error("one number has two digests")
	}
	if bytes.Equal(digest, v.DigestNumber(number(t, "4012888888881881"))) {
		t.Error("two numbers have one digest")
	}
	if bytes.Equal(digest, v.DigestSecret(someDigits)) {
		t.Error("a number and a secret of the same text have one digest")
	}
	if bytes.Equal(digest, openOther(t).DigestNumber(number(t, someDigits))) {
		t.Error("the digest is not keyed: another vault makes the same")
	}
	if len(v.DigestSecret("")) != sha256.Size {
		t.Error("an empty secret has no digest")
	}
}

// TestNoSecretPrints tries the secret types of this project; package secret tests each verb.
func TestNoSecretPrints(t *testing.T) {
	for name, hidden := range map[string]any{
		"pan.Number": number(t, someDigits),
		"Pin":        Pin{secret.New("4321")},
	} {
		for verb := 'a'; verb <= 'z'; verb++ {
			if strings.ContainsRune("pw", verb) {
				continue // these print an address
			}
			got := fmt.Sprintf("%"+string(verb), hidden)
			if got != secret.Redacted {
				t.Errorf("%s prints as %q with %%%c", name, got, verb)
			}
		}
		text, err := json.Marshal(hidden)
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != `"***"` {
			t.Errorf("%s is %s in JSON", name, text)
		}
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Info("", "it", hidden)
		if !strings.HasSuffix(log.String(), `"it":"***"}`+"\n") {
			t.Errorf("%s is logged as %s", name, log.String())
		}
	}
}

// TestVaultPrintsNoKey looks for the modulus in what a vault prints. The modulus is not secret, but
// it is printed together with the primes.
func TestVaultPrintsNoKey(t *testing.T) {
	v := open(t, Settings{})
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
		printed := fmt.Sprintf(format, v)
		if strings.Contains(printed, v.pins[0].public.N.String()[:20]) {
			t.Errorf("%s prints the key: %s", format, printed)
		}
	}
	if diff := cmp.Diff("{}", mustJSON(t, v)); diff != "" {
		t.Errorf("JSON of a vault (-want +got):\n%s", diff)
	}
}

func mustJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
