package vault

import (
	"strings"
	"testing"
)

// TestPersonKey encrypts a string, and decrypts it with the key and with the stored key, but with
// nothing else.
func TestPersonKey(t *testing.T) {
	t.Parallel()
	v, err := Open(Settings{PinKeyBits: 2048})
	if err != nil {
		t.Fatal(err)
	}
	key, kept, err := v.NewPersonKey(5001)
	if err != nil {
		t.Fatal(err)
	}
	const name = "ADA EXAMPLE"
	sealed, err := key.Seal("nameOnCard", name)
	if err != nil || strings.Contains(sealed, name) {
		t.Fatalf("sealed is %q, %v", sealed, err)
	}
	again, err := v.OpenPersonKey(kept, 5001)
	if err != nil {
		t.Fatal(err)
	}
	for _, personKey := range []PersonKey{key, again} {
		if text, err := personKey.Open("nameOnCard", sealed); err != nil || text != name {
			t.Errorf("opened is %q, %v", text, err)
		}
	}
	if _, err := v.OpenPersonKey(kept, 5002); err == nil {
		t.Error("the key of a card opens for another")
	}
	other, _, err := v.NewPersonKey(5001)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Open("nameOnCard", sealed); err == nil {
		t.Error("another key opens the text")
	}
	for _, bad := range []string{"", "AA", sealed[1:], sealed + "A", "!" + sealed} {
		if text, err := key.Open("nameOnCard", bad); err == nil {
			t.Errorf("%q opens: %q", bad, text)
		}
	}
	if _, err := key.Open("nickName", sealed); err == nil {
		t.Error("a text opens as another member")
	}
}
