package vault

import (
	"bytes"
	"errors"
	"testing"

	"github.com/tink-crypto/tink-go/v2/aead/aesgcm"
	"github.com/tink-crypto/tink-go/v2/insecuresecretdataaccess"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"pgregory.net/rapid"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/secret"
)

// bankKey creates a key of a bank and adds it to the vault.
func bankKey(t testing.TB, v *Vault, pciKeyID int) (id int, wrapped []byte) {
	t.Helper()
	id, wrapped, err := v.MakeBankKey(pciKeyID)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.UseBankKey(id, pciKeyID, wrapped); err != nil {
		t.Fatal(err)
	}
	return id, wrapped
}

// TestNumbersOverRotations encrypts numbers and PINs while a bank's key is rotated, and reencrypts
// some of them. Each must always decrypt for its own card only, and name the key it is encrypted
// under.
func TestNumbersOverRotations(t *testing.T) {
	v := open(t, Settings{})
	rapid.Check(t, func(rt *rapid.T) {
		keys := []int{KeysetKey}
		type kept struct {
			number      pan.Number
			pin         Pin
			sealed, tip []byte
			key         int
		}
		cards := map[int]*kept{}
		for step := range rapid.IntRange(1, 20).Draw(rt, "steps") {
			key := rapid.SampledFrom(keys).Draw(rt, "key")
			switch rapid.IntRange(0, 3).Draw(rt, "what") {
			case 0:
				keyID, _ := bankKey(t, v, 7)
				keys = append(keys, keyID)
			case 1:
				body := rapid.StringMatching(`[0-9]{15}`).Draw(rt, "body")
				n := number(t, body+string(pan.CheckDigit(body)))
				k := &kept{number: n, pin: Pin{secret.New("0123")}, key: key}
				k.sealed, _ = v.SealNumber(key, n, step)
				k.tip, _ = v.SealPin(key, k.pin, step)
				cards[step] = k
			default:
				for id, k := range cards {
					k.sealed, _ = v.ReencryptNumber(key, k.sealed, id)
					k.tip, _ = v.ReencryptPin(key, k.tip, id)
					k.key = key
				}
			}
			for id, k := range cards {
				n, err := v.OpenNumber(k.sealed, id)
				pin, errOfPin := v.OpenSealedPin(k.tip, id)
				if err != nil || errOfPin != nil || n != k.number || pin != k.pin {
					rt.Fatalf("card %d opens wrongly: %v, %v", id, err, errOfPin)
				}
				if _, err := v.OpenNumber(k.sealed, id+1); err == nil {
					rt.Fatal("a number opens for another card")
				}
				if _, err := v.OpenNumber(k.tip, id); err == nil {
					rt.Fatal("a PIN opens as a number")
				}
				mark := Mark(k.key)
				if k.key == KeysetKey {
					mark = v.OwnMark()
				}
				if v.KeyOf(k.sealed) != k.key || !bytes.HasPrefix(k.sealed, mark) ||
					!bytes.HasPrefix(k.tip, mark) {
					rt.Fatalf("card %d is sealed under key %d, want %d", id, v.KeyOf(k.sealed),
						k.key)
				}
			}
		}
	})
}

// TestBankKeyIsWrappedForItself passes wrapped keys to other vaults and under other ids, which must
// reject them.
func TestBankKeyIsWrappedForItself(t *testing.T) {
	dir := t.TempDir()
	v := open(t, Settings{Dir: dir})
	id, wrapped := bankKey(t, v, 7)
	sealed, err := v.SealNumber(id, number(t, someDigits), 5001)
	if err != nil {
		t.Fatal(err)
	}
	again := open(t, Settings{Dir: dir})
	if _, err := again.OpenNumber(sealed, 5001); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("without the key the number gives %v", err)
	}
	if _, err := again.SealNumber(id, number(t, someDigits), 1); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("sealing under a key that is not here gives %v", err)
	}
	for name, give := range map[string]func() error{
		"another pciKeyId": func() error { return again.UseBankKey(id, 8, wrapped) },
		"another number":   func() error { return again.UseBankKey(id+1, 7, wrapped) },
		"a retired key":    func() error { return again.UseBankKey(id, 7, nil) },
		"another installation": func() error {
			return openOther(t).UseBankKey(id, 7, wrapped)
		},
	} {
		if err := give(); err == nil {
			t.Errorf("%s: the key is taken", name)
		}
	}
	for i := range wrapped {
		changed := bytes.Clone(wrapped)
		changed[i] ^= 1
		if err := again.UseBankKey(id, 7, changed); err == nil && again.HasBankKey(id) {
			n, err := again.OpenNumber(sealed, 5001)
			if err == nil && n != number(t, someDigits) {
				t.Fatalf("with byte %d changed another number opens", i)
			}
			again.ForgetBankKey(id)
		}
	}
	if err := again.UseBankKey(id, 7, wrapped); err != nil {
		t.Fatal(err)
	}
	if n, err := again.OpenNumber(sealed, 5001); err != nil || n != number(t, someDigits) {
		t.Errorf("with the key the number gives %v", err)
	}
	again.ForgetBankKey(id)
	if _, err := again.OpenNumber(sealed, 5001); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("a number under a forgotten key gives %v", err)
	}
}

// TestWrappedKeyShowsNoKey checks that a wrapped key does not contain the key.
func TestWrappedKeyShowsNoKey(t *testing.T) {
	v := open(t, Settings{})
	first, wrapped := bankKey(t, v, 7)
	second, other := bankKey(t, v, 7)
	if first == second || bytes.Equal(wrapped, other) {
		t.Error("two keys are one")
	}
	handle, err := keyset.ReadWithAssociatedData(
		keyset.NewBinaryReader(bytes.NewReader(wrapped)), v.sealing, keyBinding(7, first))
	if err != nil {
		t.Fatal(err)
	}
	entry, err := handle.Primary()
	if err != nil {
		t.Fatal(err)
	}
	key, fits := entry.Key().(*aesgcm.Key)
	if !fits {
		t.Fatalf("the key is a %T", entry.Key())
	}
	bare := key.KeyBytes().Data(insecuresecretdataaccess.Token{})
	if len(bare) != 32 || bytes.Contains(wrapped, bare) {
		t.Error("what is kept shows the key")
	}
}
