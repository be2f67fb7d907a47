package vault

import (
	"bytes"
	"testing"

	"mintmark/internal/base/pan"
)

// TestDigestKeys digests a number under several keys of an installation: each gives another digest,
// and the same one after a restart. Another installation cannot use the keys.
func TestDigestKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	v := open(t, Settings{Dir: dir, PinKeyBits: 2048})
	number, err := pan.Parse("4000000000000002")
	if err != nil {
		t.Fatal(err)
	}
	first, wrapped, err := v.MakeDigestKey()
	if err != nil {
		t.Fatal(err)
	}
	second, other, err := v.MakeDigestKey()
	if err != nil || first == second || first == KeysetKey || second == KeysetKey {
		t.Fatalf("keys %d and %d, %v", first, second, err)
	}
	digest := func(v *Vault, id int, wrapped []byte) []byte {
		t.Helper()
		code, err := v.DigestNumberUnder(id, wrapped, number)
		if err != nil || len(code) != 32 {
			t.Fatalf("key %d: %x, %v", id, code, err)
		}
		return code
	}
	own, f, two := digest(v, KeysetKey, nil), digest(v, first, wrapped), digest(v, second, other)
	if !bytes.Equal(own, v.DigestNumber(number)) || bytes.Equal(own, f) ||
		bytes.Equal(own, two) || bytes.Equal(f, two) {
		t.Errorf("the digests are %x, %x and %x", own, f, two)
	}
	again := open(t, Settings{Dir: dir, MustExist: true})
	if got := digest(again, first, wrapped); !bytes.Equal(got, f) {
		t.Errorf("after a restart the digest is %x, before %x", got, f)
	}
	v.KeepDigestKeys([]int{second})
	if _, err := v.DigestNumberUnder(first, nil, number); err == nil {
		t.Error("a key that was taken from the vault digests")
	}
	if got := digest(v, second, nil); !bytes.Equal(got, two) {
		t.Errorf("the digest of the key that stays is %x", got)
	}
	for name, open := range map[string]func() error{
		"another number":       func() error { return v.CheckDigestKey(second, wrapped) },
		"no key":               func() error { return v.CheckDigestKey(second, nil) },
		"another installation": func() error { return openOther(t).CheckDigestKey(first, wrapped) },
		"a key of a bank": func() error {
			id, wrapped := bankKey(t, v, 7)
			return v.CheckDigestKey(id, wrapped)
		},
	} {
		if open() == nil {
			t.Errorf("%s opens the key", name)
		}
	}
	for id, wrapped := range map[int][]byte{KeysetKey: nil, first: wrapped} {
		if err := v.CheckDigestKey(id, wrapped); err != nil {
			t.Error(err)
		}
	}
}

// openOther opens a vault with new keys.
func openOther(t *testing.T) *Vault { return open(t, Settings{PinKeyBits: 2048}) }
