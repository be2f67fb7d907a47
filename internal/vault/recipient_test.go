package vault

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"filippo.io/age"
	"filippo.io/age/armor"

	"mintmark/internal/base/agefile"
)

// encryptedTo returns a string encrypted to a recipient.
func encryptedTo(t *testing.T, recipient, text string, armored bool) []byte {
	t.Helper()
	to, err := age.ParseX25519Recipient(recipient)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	var out io.WriteCloser = struct {
		io.Writer
		io.Closer
	}{&file, io.NopCloser(nil)}
	if armored {
		out = armor.NewWriter(&file)
	}
	in, err := age.Encrypt(out, to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, text); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(in.Close(), out.Close()); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// TestOpenFile checks that the recipient stays the same as long as the keyset does, that a file
// encrypted to it is decrypted, that a plain file passes unchanged, and that a broken file gives
// the right error.
func TestOpenFile(t *testing.T) {
	dir := t.TempDir()
	opened := func(dir string) *Vault {
		v, err := Open(Settings{Dir: dir, PinKeyBits: 2048})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	v, again, other := opened(dir), opened(dir), opened(t.TempDir())
	if v.Recipient() != again.Recipient() || v.Recipient() == other.Recipient() {
		t.Errorf("the recipients are %s, %s, %s", v.Recipient(), again.Recipient(), other.Recipient())
	}
	text := strings.Repeat("a card\n", 30_000)
	for _, file := range [][]byte{
		encryptedTo(t, v.Recipient(), text, false), encryptedTo(t, v.Recipient(), text, true),
		[]byte(text),
	} {
		in, err := again.OpenFile(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(in)
		if err != nil || string(got) != text {
			t.Errorf("got %d bytes, %v", len(got), err)
		}
	}
	file := encryptedTo(t, v.Recipient(), text, false)
	if _, err := other.OpenFile(bytes.NewReader(file)); !errors.Is(err, agefile.ErrOtherRecipient) {
		t.Errorf("another installation: %v", err)
	}
	damaged := bytes.Clone(file)
	damaged[len(damaged)-100_000] ^= 1
	for _, broken := range [][]byte{damaged, file[:len(file)-10], file[:100]} {
		in, err := v.OpenFile(bytes.NewReader(broken))
		if err == nil {
			_, err = io.Copy(io.Discard, in)
		}
		if !errors.Is(err, agefile.ErrDamagedFile) {
			t.Errorf("a damaged file: %v", err)
		}
	}
	gone := errors.New("gone")
	in, err := v.OpenFile(io.MultiReader(bytes.NewReader(file[:70_000]), iotest.ErrReader(gone)))
	if err == nil {
		_, err = io.Copy(io.Discard, in)
	}
	if !errors.Is(err, gone) || errors.Is(err, agefile.ErrDamagedFile) {
		t.Errorf("a sender that is gone: %v", err)
	}
}
