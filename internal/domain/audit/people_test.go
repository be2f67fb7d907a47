package audit

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"mintmark/internal/domain/card"
)

// TestPeople encrypts the names in the state of a card and decrypts them: the result equals the
// original, byte for byte, and the encrypted state contains no name. Without the key it reads as
// erased.
func TestPeople(t *testing.T) {
	t.Parallel()
	c := card.Card{ID: 1, Name: card.NewName("Ada", "", `O"Neil`), Tag: `"nickName":"x"`,
		NickName: "a \\ \"b\" \u2028 Zürich \x01 " + `","nameOnCard":"C`}
	_, state := Diff(card.Card{}, c)
	if !NamesPeople(state) || HasSealed(state) {
		t.Fatalf("%s is not seen as what it is", state)
	}
	seal := func(member, text string) (string, error) {
		return base64.RawURLEncoding.EncodeToString([]byte(member + "|" + text)), nil
	}
	kept, err := EncryptPeople(state, seal)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ADA", "rich", "nameOnCard\\\":\\\"C"} {
		if strings.Contains(kept, name) {
			t.Errorf("sealed, %s has %s", kept, name)
		}
	}
	if !HasSealed(kept) || !json.Valid([]byte(kept)) {
		t.Errorf("%s is not sealed", kept)
	}
	opened := OpenPeople(kept, func(member, text string) (string, error) {
		raw, err := base64.RawURLEncoding.DecodeString(text)
		return strings.TrimPrefix(string(raw), member+"|"), err
	})
	if opened != state {
		t.Errorf("opened is\n%s\nwant\n%s", opened, state)
	}
	var shown map[string]any
	gone := OpenPeople(kept, func(string, string) (string, error) { return "", errors.New("gone") })
	if err := json.Unmarshal([]byte(gone), &shown); err != nil || shown["nameOnCard"] != Erased ||
		shown["nickName"] != Erased || shown["tag"] != c.Tag {
		t.Errorf("without the key it reads %s, %v", gone, err)
	}
	if _, err := EncryptPeople(state, func(string, string) (string, error) {
		return "", errors.New("no key")
	}); err == nil {
		t.Error("a state is sealed without a key")
	}
}
