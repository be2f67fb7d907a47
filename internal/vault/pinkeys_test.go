package vault

import (
	"crypto"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// overlapping opens a directory with two PIN keys, and returns their ids.
func overlapping(t *testing.T) (dir string, v *Vault, first, second string) {
	t.Helper()
	dir = t.TempDir()
	first = open(t, Settings{Dir: dir}).Fingerprints().PinKey
	second, err := AddPinKey(Settings{Dir: dir, PinKeyBits: 2048})
	if err != nil {
		t.Fatal(err)
	}
	v = open(t, Settings{Dir: dir})
	if held := v.AllPinKeys(); !slices.Equal(held, []string{first, second}) {
		t.Fatalf("held are %v, want %s and %s", held, first, second)
	}
	return dir, v, first, second
}

// use makes the vault use the PIN keys that a database remembers.
func use(t *testing.T, v *Vault, remembered ...string) {
	t.Helper()
	if err := v.UsePinKeys(remembered); err != nil {
		t.Fatal(err)
	}
}

// pinUnder returns a PIN as sent by a caller that encrypts under the given key.
func pinUnder(t *testing.T, v *Vault, id string) string {
	t.Helper()
	at := slices.Index(v.AllPinKeys(), id)
	return encrypt(t, &Vault{pins: v.heldPins[at : at+1]}, "4321", crypto.SHA256, crypto.SHA256)
}

// TestPinKeysOverlap goes through a rotation, and checks which key is published and which keys
// decrypt PINs.
func TestPinKeysOverlap(t *testing.T) {
	dir, v, first, second := overlapping(t)
	for _, step := range []struct {
		name, remembered, published string
		used                        []string
	}{
		{"made", first, first, []string{first, second}},
		{"published", second + " " + first, second, []string{second, first}},
		{"taken back", first + " " + second, first, []string{first, second}},
		{"retired", second, second, []string{second}},
	} {
		use(t, v, strings.Fields(step.remembered)...)
		if got := v.PinKeys(); !slices.Equal(got, step.used) {
			t.Errorf("%s: in use are %v, want %v", step.name, got, step.used)
		}
		if got := v.Fingerprints().PinKey; got != step.published {
			t.Errorf("%s: published is %s, want %s", step.name, got, step.published)
		}
		file, err := os.ReadFile(filepath.Join(dir, publicPinFile))
		if err != nil {
			t.Fatal(err)
		}
		if string(file) != string(v.PublicPinKeyPEM()) {
			t.Errorf("%s: pin-public.pem is another key", step.name)
		}
		for _, id := range []string{first, second} {
			digits, want := "4321", error(nil)
			if !slices.Contains(step.used, id) {
				digits, want = "", ErrUndecryptable
			}
			pin, err := v.DecryptCallerPin(t.Context(), "a", pinUnder(t, v, id), everyAlgorithm)
			wantPin(t, pin, err, digits, want)
		}
	}
	before := v.PinKeys()
	for _, remembered := range [][]string{{"hush"}, {first, "hush"}, nil} {
		if err := v.UsePinKeys(remembered); !errors.Is(err, ErrPinKey) {
			t.Errorf("%v gives %v", remembered, err)
		}
	}
	if !slices.Equal(v.PinKeys(), before) {
		t.Error("keys that are not there have changed those in use")
	}
}

// TestUndecryptablePinsCostTheSameInAnOverlap counts the decryptions under both keys, also of
// blocks that fit one of two keys of different lengths.
func TestUndecryptablePinsCostTheSameInAnOverlap(t *testing.T) {
	another := openOther(t)
	_, v, _, _ := overlapping(t)
	longer := open(t, Settings{PinKeyBits: 2064})
	for name, pins := range map[string][]pinKey{
		"of one length": v.pins, "of two lengths": {v.pins[0], longer.pins[0]},
		"the longer first": {longer.pins[0], v.pins[0]},
	} {
		calls := []*counter{{pinKey: pins[0]}, {pinKey: pins[1]}}
		tried := &Vault{queue: v.queue}
		for i, key := range pins {
			key.private = calls[i]
			tried.pins = append(tried.pins, key)
		}
		size := pins[0].public.Size()
		for what, sent := range map[string]string{
			"not base64":          "???",
			"nothing":             "",
			"too short":           plain(strings.Repeat("a", size-1)),
			"as long as the one":  plain(strings.Repeat("a", size)),
			"over the modulus":    plain(strings.Repeat("\xff", size)),
			"as long as another":  plain(strings.Repeat("a", pins[1].public.Size())),
			"the other's modulus": base64.StdEncoding.EncodeToString(pins[1].public.N.Bytes()),
			"another key":         encrypt(t, another, "4321", crypto.SHA256, crypto.SHA256),
			"another algorithm": encrypt(t, &Vault{pins: pins}, "4321", crypto.SHA384,
				crypto.SHA384),
		} {
			calls[0].count, calls[1].count = 0, 0
			pin, err := tried.openPin(sent, everyAlgorithm)
			wantPin(t, pin, err, "", ErrUndecryptable)
			if calls[0].count != 5 || calls[1].count != 5 {
				t.Errorf("keys %s: %s costs %d and %d decryptions, want 5 and 5", name, what,
					calls[0].count, calls[1].count)
			}
		}
	}
}

// TestDropPinKey drops each of two keys, with an interruption after each step: the remaining key
// must always decrypt, and repeating the command must finish it.
func TestDropPinKey(t *testing.T) {
	for _, wrapped := range []bool{false, true} {
		for dropped := range 2 {
			for last := range 3 {
				s := Settings{Dir: t.TempDir()}
				if wrapped {
					s = wrappedBy("one", s.Dir)
				}
				s.PinKeyBits = 2048
				open(t, s)
				if _, err := AddPinKey(s); err != nil {
					t.Fatal(err)
				}
				ids := open(t, s).AllPinKeys()
				stays := ids[1-dropped]
				steps, err := s.dropping(ids[dropped])
				if err != nil {
					t.Fatal(err)
				}
				if err := run(steps[:min(last, len(steps))]); err != nil {
					t.Fatal(err)
				}
				use(t, open(t, s), stays)
				err = DropPinKey(s, ids[dropped])
				finished := last >= len(steps)
				if err != nil != finished || finished && !errors.Is(err, ErrPinKey) {
					t.Errorf("key %d after %d steps: %v", dropped, last, err)
				}
				left := open(t, s)
				if held := left.AllPinKeys(); !slices.Equal(held, []string{stays}) {
					t.Errorf("key %d after %d steps: held are %v, want %s", dropped, last, held,
						stays)
				}
				if directory(s.Dir).holds(newPinFile) {
					t.Errorf("key %d after %d steps: the second file is there", dropped, last)
				}
				if err := DropPinKey(s, stays); err == nil {
					t.Error("the last PIN key was dropped")
				}
			}
		}
	}
}

// TestAddPinKey checks that an existing second key is kept, and that what an interrupted retirement
// left is replaced.
func TestAddPinKey(t *testing.T) {
	dir, _, first, second := overlapping(t)
	again, err := AddPinKey(Settings{Dir: dir, PinKeyBits: 2048})
	if err != nil || again != second {
		t.Errorf("a second time it is %s, %v, want %s", again, err, second)
	}
	text, err := os.ReadFile(filepath.Join(dir, pinFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, newPinFile), text, 0o600); err != nil {
		t.Fatal(err)
	}
	third, err := AddPinKey(Settings{Dir: dir, PinKeyBits: 2048})
	if err != nil || third == first || third == second {
		t.Errorf("behind an interrupted retirement it is %s, %v", third, err)
	}
	if _, err := AddPinKey(Settings{Dir: t.TempDir()}); !errors.Is(err, ErrNoKeys) {
		t.Errorf("in an empty directory AddPinKey gives %v", err)
	}
}
