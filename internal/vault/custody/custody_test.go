package custody

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mintmark/internal/base/secret"
)

// TestMain makes passphrases cheap; TestCost uses the real cost.
func TestMain(m *testing.M) {
	cheap = true
	os.Exit(m.Run())
}

const (
	adas   = "correct horse battery"
	graces = "staple of the nanosecond"
)

// answers returns an Ask with the given passphrases; it fails for any other custodian.
func answers(given map[string]string) Ask {
	return func(custodian string) (secret.Text, error) {
		text, known := given[custodian]
		if !known {
			return secret.Text{}, errors.New("it is missing")
		}
		return secret.New(text), nil
	}
}

func both() Keeper {
	return Keeper{
		Custodians: []string{"ada", "grace"},
		Ask:        answers(map[string]string{"ada": adas, "grace": graces}),
	}
}

// reread returns a wrapping as it is read back from the disk.
func reread(t testing.TB, w Wrapping) Wrapping {
	t.Helper()
	text, err := w.Text()
	if err != nil {
		t.Fatal(err)
	}
	read, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// wrapped creates a wrapping by both custodians.
func wrapped(t testing.TB) (Wrapping, Key) {
	t.Helper()
	w, key, err := both().New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return reread(t, w), key
}

func TestWrappedFilesOpenAgain(t *testing.T) {
	w, _ := wrapped(t)
	rapid.Check(t, func(t *rapid.T) {
		key, err := both().Open(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		name := rapid.String().Draw(t, "name")
		text := rapid.SliceOf(rapid.Byte()).Draw(t, "text")
		sealed, err := key.Seal(name, text)
		if err != nil {
			t.Fatal(err)
		}
		if !IsWrapped(sealed) {
			t.Error("a wrapped file does not look like one")
		}
		if len(text) > 8 && bytes.Contains(sealed, text) {
			t.Error("the text stands in the wrapped file")
		}
		again, err := key.Seal(name, text)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(sealed, again) {
			t.Error("one text is wrapped twice in the same way")
		}
		opened, err := key.Open(name, sealed)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(opened, text) {
			t.Errorf("%q has become %q", text, opened)
		}
	})
}

// TestOneCustodianAloneOpensNothing tries everything that one passphrase allows: the other one
// guessed, empty, missing, the same twice, both in the wrong order.
func TestOneCustodianAloneOpensNothing(t *testing.T) {
	w, _ := wrapped(t)
	for what, given := range map[string]map[string]string{
		"grace is missing":   {"ada": adas},
		"ada is missing":     {"grace": graces},
		"both are missing":   {},
		"grace is empty":     {"ada": adas, "grace": ""},
		"ada twice":          {"ada": adas, "grace": adas},
		"grace twice":        {"ada": graces, "grace": graces},
		"in the wrong order": {"ada": graces, "grace": adas},
		"grace is guessed":   {"ada": adas, "grace": graces + " "},
		"ada is guessed":     {"ada": adas[1:], "grace": graces},
		"both are guessed":   {"ada": "something else entirely", "grace": "and that, too, is"},
	} {
		key, err := Keeper{Ask: answers(given)}.Open(t.Context(), w)
		if err == nil || key != (Key{}) {
			t.Errorf("%s: the keys open", what)
			continue
		}
		for _, name := range []string{"ada", "grace"} {
			_, gave := given[name]
			missing := strings.Contains(err.Error(), "the passphrase of "+name+":")
			if want := !gave || given[name] == ""; missing != want {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

// TestWrongPassphrasesAreNotToldApart checks that one wrong passphrase, the other, and two wrong
// ones give the same error: otherwise a custodian who knows one of them could tell when a guess of
// the other is right.
func TestWrongPassphrasesAreNotToldApart(t *testing.T) {
	w, _ := wrapped(t)
	said := make(map[string]bool)
	for _, given := range []map[string]string{
		{"ada": adas, "grace": "something else entirely"},
		{"ada": "something else entirely", "grace": graces},
		{"ada": "something else entirely", "grace": "and that, too, is"},
	} {
		_, err := Keeper{Ask: answers(given)}.Open(t.Context(), w)
		said[fmt.Sprint(err)] = true
	}
	if len(said) != 1 {
		t.Errorf("%d answers: %v", len(said), said)
	}
	for text := range said {
		if !strings.Contains(text, "ada") || !strings.Contains(text, "grace") {
			t.Errorf("the custodians are not named: %s", text)
		}
	}
}

func TestWeakCustodyIsRefused(t *testing.T) {
	for want, k := range map[string]Keeper{
		"ada is shorter than 16": {Custodians: []string{"ada", "grace"},
			Ask: answers(map[string]string{"ada": "fifteen letters", "grace": graces})},
		"grace consists of a few repeated characters": {Custodians: []string{"ada", "grace"},
			Ask: answers(map[string]string{"ada": adas, "grace": "ÖöÖöÖöÖöÖöÖöÖöÖö"})},
		"have the same passphrase": {Custodians: []string{"ada", "grace"},
			Ask: answers(map[string]string{"ada": adas, "grace": adas})},
		"two custodians are needed, each with a name of their own, not 1": {
			Custodians: []string{"ada", "ada"}, Ask: both().Ask},
		"not 3":                     {Custodians: []string{"ada", "grace", "linus"}, Ask: both().Ask},
		`"no name" is not the name`: {Custodians: []string{"ada", "no name"}, Ask: both().Ask},
		`é" is not the name`: {
			Custodians: []string{"ada", strings.Repeat("é", 41)}, Ask: both().Ask},
		"no custody of the keys": {},
	} {
		if _, _, err := k.New(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New gives %v, want %q", err, want)
		}
	}
}

// TestForeignFilesAreRefused swaps files between names and directories, and changes them.
func TestForeignFilesAreRefused(t *testing.T) {
	_, key := wrapped(t)
	_, other := wrapped(t)
	sealed, err := key.Seal("keyset.json", []byte("the keys"))
	if err != nil {
		t.Fatal(err)
	}
	for what, open := range map[string]func() ([]byte, error){
		"as another file":    func() ([]byte, error) { return key.Open("pin-private.pem", sealed) },
		"from one directory": func() ([]byte, error) { return other.Open("keyset.json", sealed) },
		"is damaged, or was": func() ([]byte, error) {
			renamed := bytes.ReplaceAll(sealed, []byte(key.id), []byte(other.id))
			return other.Open("keyset.json", renamed)
		},
		"in version 2": func() ([]byte, error) {
			later := bytes.Replace(sealed, []byte(`"wrapped": 1`), []byte(`"wrapped": 2`), 1)
			return key.Open("keyset.json", later)
		},
		"not a wrapped key file": func() ([]byte, error) { return key.Open("x", []byte("{}")) },
	} {
		if text, err := open(); err == nil || !strings.Contains(err.Error(), what) || text != nil {
			t.Errorf("Open gives %q and %v, want %q", text, err, what)
		}
	}
	for at := range sealed {
		changed := bytes.Clone(sealed)
		changed[at] ^= 1
		text, err := key.Open("keyset.json", changed)
		// JSON has bytes that carry nothing: white space, the case of a name.
		if err == nil && string(text) != "the keys" {
			t.Fatalf("with byte %d changed the file opens to %q", at, text)
		}
	}
}

// TestChangedWrappingIsRefused changes fields of a wrapping.
func TestChangedWrappingIsRefused(t *testing.T) {
	for what, change := range map[string]func(*Wrapping){
		"other id":      func(w *Wrapping) { w.ID = strings.Repeat("0", 2*idBytes) },
		"other salt":    func(w *Wrapping) { w.Custodians[0].Salt[0] ^= 1 },
		"cheaper":       func(w *Wrapping) { w.Custodians[1].MemoryKiB-- },
		"other name":    func(w *Wrapping) { w.Custodians[1].Name = "linus" },
		"other order":   func(w *Wrapping) { slices.Reverse(w.Custodians) },
		"no data key":   func(w *Wrapping) { w.Wrapped = "AAAA" },
		"not in base64": func(w *Wrapping) { w.Wrapped = "?" },
	} {
		w, _ := wrapped(t)
		change(&w)
		ask := answers(map[string]string{"ada": adas, "grace": graces, "linus": graces})
		if _, err := (Keeper{Ask: ask}).Open(t.Context(), w); err == nil {
			t.Errorf("%s: the keys open", what)
		}
	}
	for _, text := range []string{
		"", "hush", "{}", `{"version":2,"id":"a","transitKey":"b","wrapped":"c"}`,
		`{"version":1,"id":"a","wrapped":"c"}`, `{"version":1,"transitKey":"b","wrapped":"c"}`,
		`{"version":1,"id":"a","wrapped":"c","custodians":[{"name":"ada"},{"name":"grace"}]}`,
		`{"version":1,"id":"a","wrapped":"c","custodians":[{"name":"ada","salt":` +
			`"AAAAAAAAAAAAAAAAAAAAAA==","passes":1,"memoryKiB":999999999,"lanes":1}]}`,
	} {
		if w, err := Parse([]byte(text)); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%q is read as %v, %v", text, w, err)
		}
	}
}

// TestRewrap wraps the data key for other custodians: files stay unchanged, and the former
// custodians can no longer open anything.
func TestRewrap(t *testing.T) {
	before, key := wrapped(t)
	sealed, err := key.Seal("keyset.json", []byte("the keys"))
	if err != nil {
		t.Fatal(err)
	}
	later := Keeper{
		Custodians: []string{"ada", "linus"},
		Ask:        answers(map[string]string{"ada": adas, "linus": "just for fun, a hobby"}),
	}
	w, err := later.Wrap(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(w.Custodians[0].Salt, before.Custodians[0].Salt) {
		t.Error("ada has the salt of before")
	}
	opened, err := later.Open(t.Context(), reread(t, w))
	if err != nil {
		t.Fatal(err)
	}
	text, err := opened.Open("keyset.json", sealed)
	if err != nil || string(text) != "the keys" {
		t.Errorf("the file opens to %q, %v", text, err)
	}
	if _, err := both().Open(t.Context(), w); err == nil {
		t.Error("the custodians of before open the keys")
	}
}

// broken is a service that does not decrypt to what it was given.
type broken struct {
	Service
	name  string
	plain []byte
	err   error
}

func (b broken) Name() string { return b.name }

func (b broken) Encrypt(context.Context, []byte) (string, error) { return "vault:v1:x", nil }

func (b broken) Decrypt(context.Context, string) ([]byte, error) { return b.plain, b.err }

// TestServiceIsTried checks that a data key is not entrusted to a service that would lose it.
func TestServiceIsTried(t *testing.T) {
	for want, service := range map[string]broken{
		"cannot decrypt what it encrypted": {name: "k", err: errors.New("no")},
		"to something other":               {name: "k", plain: make([]byte, keyBytes)},
		"5 bytes, not 32":                  {name: "k", plain: make([]byte, 5)},
	} {
		_, _, err := Keeper{Service: service}.New(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New gives %v, want %q", err, want)
		}
	}
	w := Wrapping{Version: version, ID: "a", TransitKey: "mintmark", Wrapped: "vault:v1:x"}
	for want, k := range map[string]Keeper{
		"must name its service":       both(),
		"the settings name the key k": {Service: broken{name: "k"}},
	} {
		if _, err := k.Open(t.Context(), w); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open gives %v, want %q", err, want)
		}
	}
}

// TestCost checks that a new passphrase costs what RFC 9106 recommends.
func TestCost(t *testing.T) {
	cheap = false
	defer func() { cheap = true }()
	w, _ := wrapped(t)
	for _, c := range w.Custodians {
		if c.Passes != 3 || c.MemoryKiB != 65536 || c.Lanes != 4 || len(c.Salt) != 16 {
			t.Errorf("a passphrase costs %+v", c)
		}
	}
	if _, err := both().Open(t.Context(), w); err != nil {
		t.Error(err)
	}
}

func TestKeysPrintAsAsterisks(t *testing.T) {
	_, key := wrapped(t)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		printed := fmt.Sprintf(verb, key)
		if strings.Contains(printed, key.text.Reveal()) || !strings.Contains(printed, "***") {
			t.Errorf("%s prints %q", verb, printed)
		}
	}
}
