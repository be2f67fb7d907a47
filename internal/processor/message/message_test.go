package message

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/order"
	"mintmark/internal/processor"
	"mintmark/internal/vault"
)

const (
	number = "4000001234567899"
	pinned = "7391"
)

// testKey is a processor's key.
var testKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, minKeyBits)
	if err != nil {
		panic(err)
	}
	return key
})

func privateSet(kid string) jose.JSONWebKeySet {
	return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
		{Key: testKey(), KeyID: kid, Use: "enc", Algorithm: "RSA-OAEP-256"},
	}}
}

func publicText(t *testing.T, keys ...jose.JSONWebKey) []byte {
	t.Helper()
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func testKeys(t *testing.T) *Keys {
	t.Helper()
	private := privateSet("k1").Keys[0]
	keys, err := ParseKeys(publicText(t, private.Public()))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func testMessage(t *testing.T) processor.Message {
	t.Helper()
	parsed, err := pan.Parse(number)
	if err != nil {
		t.Fatal(err)
	}
	return processor.Message{
		OrderID: "17-00ff00ff00ff00ff", Sequence: 3, Kind: order.Make, CardID: 5001, ProgramID: 1,
		Created: time.Date(2026, 3, 14, 15, 9, 26, 535_000_000, time.UTC),
		Card:    order.Snapshot{NameOnCard: "ADA EXAMPLE", LastFour: "7899"},
		Secret: &processor.Secret{
			Number: parsed, ExpireMonth: 11, ExpireYear: 2031,
			Pin: &vault.Pin{Text: secret.New(pinned)},
		},
	}
}

// TestSealedPart checks that only the processor can read the secret of an order.
func TestSealedPart(t *testing.T) {
	t.Parallel()
	sent := testMessage(t)
	text, err := Encode(sent, testKeys(t))
	if err != nil {
		t.Fatal(err)
	}
	body, err := DecodeOrder(text)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := Open(privateSet("k1"), body.OrderID, body.Sealed)
	if err != nil || opened.Number != sent.Secret.Number || *opened.Pin != *sent.Secret.Pin ||
		opened.ExpireMonth != 11 || opened.ExpireYear != 2031 {
		t.Errorf("opened %v, %v", opened, err)
	}
	body.Sealed = ""
	want := Order{
		OrderID: sent.OrderID, Sequence: 3, Kind: order.Make, CardID: 5001, ProgramID: 1,
		CreatedAt: sent.Created, Card: sent.Card,
	}
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	for name, form := range canaries() {
		if strings.Contains(string(text), form) {
			t.Errorf("the body holds the %s", name)
		}
	}
}

// TestNothingIsNull checks that a category without accounts is an empty list.
func TestNothingIsNull(t *testing.T) {
	t.Parallel()
	sent := testMessage(t)
	sent.Card.Accounts = &order.Accounts{PrimaryAccountID: 2001, Checking: []int{2001}}
	text, err := Encode(sent, testKeys(t))
	const want = `"accounts":{"primaryAccountId":2001,"checking":[2001],"savings":[]}`
	if err != nil || !strings.Contains(string(text), want) ||
		strings.Contains(string(text), "null") || sent.Card.Accounts.Savings != nil {
		t.Errorf("%s, %v", text, err)
	}
}

// canaries returns the forms of a secret that must not appear.
func canaries() map[string]string {
	forms := map[string]string{}
	for name, plain := range map[string]string{
		"number": number, "expiry": `"expireYear"`, "PIN member": `"pin"`,
	} {
		reversed := []byte(plain)
		slices.Reverse(reversed)
		forms[name] = plain
		forms[name+" reversed"] = string(reversed)
		forms[name+" in hexadecimal"] = hex.EncodeToString([]byte(plain))
		forms[name+" in base64"] = strings.TrimRight(
			base64.StdEncoding.EncodeToString([]byte(plain)), "=")
	}
	return forms
}

// TestSealedHeader checks the header as read by a processor's library, and that the part of another
// order cannot be decrypted.
func TestSealedHeader(t *testing.T) {
	t.Parallel()
	sealed, err := testKeys(t).Seal("17-aa", *testMessage(t).Secret)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(sealed, ".")
	text, err := base64.RawURLEncoding.DecodeString(first)
	if err != nil || strings.Count(sealed, ".") != 4 {
		t.Fatalf("not a compact JWE: %v", err)
	}
	var header map[string]string
	if err := json.Unmarshal(text, &header); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"alg": "RSA-OAEP-256", "enc": "A256GCM", "kid": "k1", "orderId": "17-aa",
	}
	if diff := cmp.Diff(want, header); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	for name, row := range map[string]struct {
		private      jose.JSONWebKeySet
		orderID, jwe string
	}{
		"another order": {privateSet("k1"), "17-bb", sealed},
		"another kid":   {privateSet("k2"), "17-aa", sealed},
		"cut":           {privateSet("k1"), "17-aa", sealed[:len(sealed)-2]},
		"nothing":       {privateSet("k1"), "17-aa", ""},
	} {
		if _, err := Open(row.private, row.orderID, row.jwe); !errors.Is(err, ErrNotOpened) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOpenSSLOpens decrypts the encrypted part with OpenSSL: the content key by RSA-OAEP with
// SHA-256, as a library in another language does.
func TestOpenSSLOpens(t *testing.T) {
	t.Parallel()
	sealed, err := testKeys(t).Seal("17-aa", *testMessage(t).Secret)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(sealed, ".")
	dir := t.TempDir()
	wrapped, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	private := pemOf(t, testKey())
	for name, text := range map[string][]byte{"key.pem": private, "wrapped": wrapped} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), "openssl", "pkeyutl", "-decrypt",
		"-inkey", "key.pem", "-in", "wrapped", "-pkeyopt", "rsa_padding_mode:oaep",
		"-pkeyopt", "rsa_oaep_md:sha256", "-pkeyopt", "rsa_mgf1_md:sha256")
	command.Dir = dir
	key, err := command.Output()
	if err != nil {
		t.Fatalf("openssl: %v", err)
	}
	plain := openGCM(t, key, parts)
	var content map[string]any
	if err := json.Unmarshal(plain, &content); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"number": number, "expireMonth": 11.0, "expireYear": 2031.0, "pin": pinned,
	}
	if diff := cmp.Diff(want, content); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
}

func TestKeySets(t *testing.T) {
	t.Parallel()
	private := privateSet("k1").Keys[0]
	public := func(change func(*jose.JSONWebKey)) jose.JSONWebKey {
		key := private.Public()
		change(&key)
		return key
	}
	signing := public(func(k *jose.JSONWebKey) { k.KeyID, k.Use = "sig", "sig" })
	other := public(func(k *jose.JSONWebKey) { k.KeyID, k.Algorithm = "old", "RSA-OAEP" })
	second := public(func(k *jose.JSONWebKey) { k.KeyID = "k2" })
	plain := public(func(k *jose.JSONWebKey) { k.KeyID, k.Use, k.Algorithm = "bare", "", "" })
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	short := jose.JSONWebKey{Key: &small.PublicKey, KeyID: "short"}
	for name, row := range map[string]struct {
		text string
		want string // the key used, or the prefix of the error
	}{
		"the first":    {string(publicText(t, second, private.Public())), "k2"},
		"for sealing":  {string(publicText(t, signing, other, short, private.Public())), "k1"},
		"says nothing": {string(publicText(t, plain)), "bare"},
		"unknown kind": {`{"keys":[{"kty":"XYZ"},` +
			string(publicText(t, second))[len(`{"keys":[`):], "k2"},
		"private":     {string(publicText(t, private)), `error: the key "k1" is not a public key`},
		"symmetric":   {`{"keys":[{"kty":"oct","k":"AAAA"}]}`, `error: the key "" is not a public`},
		"same kid":    {string(publicText(t, second, second)), `error: two keys have the kid "k2"`},
		"none fits":   {string(publicText(t, signing, short)), "error: there is no public RSA key"},
		"empty":       {`{}`, "error: there is no public RSA key"},
		"not a set":   {`[]`, "error: it is not a JSON Web Key Set"},
		"not JSON":    {`-----BEGIN PUBLIC KEY-----`, "error: it is not a JSON Web Key Set"},
		"empty file":  {``, "error: it is not a JSON Web Key Set"},
		"a lone key?": {string(publicText(t))[1:], "error: it is not a JSON Web Key Set"},
	} {
		keys, err := ParseKeys([]byte(row.text))
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = keys.Name()
		}
		if !strings.HasPrefix(got, row.want) {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}
