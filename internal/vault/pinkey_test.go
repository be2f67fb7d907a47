package vault

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSeedMakesThePinKeyRepeatable(t *testing.T) {
	seeds := map[string]uint64{}
	for _, seed := range []uint64{0, 42, 1 << 63} {
		first := open(t, Settings{Seed: &seed}).PublicPinKeyPEM()
		again := open(t, Settings{Seed: &seed, Dir: t.TempDir()}).PublicPinKeyPEM()
		if !bytes.Equal(first, again) {
			t.Errorf("the seed %d gives two keys", seed)
		}
		if other, taken := seeds[string(first)]; taken {
			t.Errorf("the seeds %d and %d give one key", other, seed)
		}
		seeds[string(first)] = seed
	}
}

// TestSeededKeyStaysTheSame pins the key of one seed. Test scripts may depend on it, so no version
// of the program may change it.
func TestSeededKeyStaysTheSame(t *testing.T) {
	v := open(t, Settings{Seed: new(uint64(1))})
	want, err := os.ReadFile(filepath.Join("testdata", "seed-1-public.pem"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, v.PublicPinKeyPEM()) {
		t.Errorf("the key of seed 1 is now\n%s", v.PublicPinKeyPEM())
	}
}

func TestPinKeyLength(t *testing.T) {
	for _, test := range []struct {
		settings Settings
		want     int
	}{
		{Settings{}, 3072},
		{Settings{PinKeyBits: 2048}, 2048},
		{Settings{Seed: new(uint64(5))}, 2048},
		{Settings{Seed: new(uint64(5)), PinKeyBits: 2064}, 2064},
	} {
		v, err := Open(test.settings)
		if err != nil {
			t.Fatal(err)
		}
		if got := v.pins[0].public.N.BitLen(); got != test.want {
			t.Errorf("a key of %+v has %d bits, want %d", test.settings, got, test.want)
		}
	}
	for _, bits := range []int{-1, 1, 1024, 2047, 2049, 2056, 1 << 20} {
		_, err := Open(Settings{PinKeyBits: bits})
		if err == nil || !strings.Contains(err.Error(), "a PIN key has 2048 to 8192 bits") {
			t.Errorf("%d bits give %v", bits, err)
		}
	}
}

func TestRandomPinKeysDiffer(t *testing.T) {
	v, other := open(t, Settings{PinKeyBits: 2048}), open(t, Settings{PinKeyBits: 2048})
	if bytes.Equal(v.PublicPinKeyPEM(), other.PublicPinKeyPEM()) {
		t.Error("two vaults without a seed have one key")
	}
}

func TestPublicPinKeyPEM(t *testing.T) {
	v := open(t, Settings{})
	block, rest := pem.Decode(v.PublicPinKeyPEM())
	if block == nil || block.Type != "PUBLIC KEY" || len(rest) > 0 {
		t.Fatalf("not one PUBLIC KEY:\n%s", v.PublicPinKeyPEM())
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if !v.pins[0].public.Equal(parsed) {
		t.Error("the PEM holds another key")
	}
	v.PublicPinKeyPEM()[0] = 'x'
	if v.PublicPinKeyPEM()[0] == 'x' {
		t.Error("a caller can change the key of the vault")
	}
}

func TestUnsuitablePinKeyIsRefused(t *testing.T) {
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	short, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	for want, key := range map[string]any{"not an RSA key": curve, "1024 bits, fewer": short} {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		_, err = parsePinKey(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parsePinKey gives %v, want %q", err, want)
		}
	}
}
