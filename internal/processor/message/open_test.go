package message

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"testing"
)

func pemOf(t *testing.T, key *rsa.PrivateKey) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// openGCM decrypts the content of a JWE as its standard says, without a library for it.
func openGCM(t *testing.T, key []byte, parts []string) []byte {
	t.Helper()
	raw := make([][]byte, len(parts))
	for i, part := range parts {
		var err error
		raw[i], err = base64.RawURLEncoding.DecodeString(part)
		if err != nil {
			t.Fatal(err)
		}
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	opener, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := opener.Open(nil, raw[2], append(raw[3], raw[4]...), []byte(parts[0]))
	if err != nil {
		t.Fatal(err)
	}
	return plain
}
