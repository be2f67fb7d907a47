package client_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strings"
	"testing"

	"mintmark/client"
)

func publicPEM(t *testing.T, key any) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

func TestPinIsReadableByTheKeyAlone(t *testing.T) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	pub, err := client.ParsePublicKey(publicPEM(t, private.Public()))
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := client.EncryptPin(pub, "0427")
	if err != nil {
		t.Fatal(err)
	}
	again, err := client.EncryptPin(pub, "0427")
	if err != nil {
		t.Fatal(err)
	}
	if sealed == again {
		t.Error("the same PIN looks the same twice, so that it can be guessed")
	}
	raw, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		t.Fatal(err)
	}
	pin, err := rsa.DecryptOAEP(sha256.New(), nil, private, raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	if string(pin) != "0427" {
		t.Errorf("the PIN came out as %q", pin)
	}

	for _, wrong := range []string{"", "427", "04271", "04a7", "-427", " 427", "٠٤٢٧"} {
		_, err := client.EncryptPin(pub, wrong)
		if err == nil {
			t.Errorf("%q is taken for a PIN", wrong)
			continue
		}
		if wrong != "" && strings.Contains(err.Error(), wrong) {
			t.Errorf("the error repeats the PIN: %v", err)
		}
	}
}

func TestPinWithoutKey(t *testing.T) {
	_, err := client.EncryptPin(nil, "1234")
	if err == nil {
		t.Error("a PIN is encrypted without a key")
	}
}

func TestPublicKeysThatAreRefused(t *testing.T) {
	short, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")})
	broken := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: []byte("x")})
	for reason, text := range map[string][]byte{
		"not a PEM block of type": []byte("MIIB"),
		"type PUBLIC KEY":         private,
		"the public key: ":        broken,
		"not RSA":                 publicPEM(t, curve.Public()),
		"has 1024 bits":           publicPEM(t, short.Public()),
	} {
		_, err := client.ParsePublicKey(text)
		if err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("error %v, want it to say %q", err, reason)
		}
	}
}
