package vault

import (
	"bytes"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

// TestLogKeys opens the same keys twice: one vault signs and digests, the other verifies. Keys of
// another vault cannot verify.
func TestLogKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	v := open(t, Settings{Dir: dir, PinKeyBits: 2048})
	same := open(t, Settings{Dir: dir, MustExist: true})
	other := open(t, Settings{PinKeyBits: 2048})

	signed, err := note.Sign(&note.Note{Text: "text\n"}, v.LogSigner())
	if err != nil {
		t.Fatal(err)
	}
	key, err := note.NewVerifier(same.LogKey())
	if err != nil || key.Name() != "mintmark-log/"+v.Fingerprints().Keyset {
		t.Fatalf("the key is %s, %v", same.LogKey(), err)
	}
	for _, verifier := range []note.Verifier{key, same.LogVerifier()} {
		if _, err := note.Open(signed, note.VerifierList(verifier)); err != nil {
			t.Error(err)
		}
	}
	if _, err := note.Open(signed, note.VerifierList(other.LogVerifier())); err == nil {
		t.Error("another key verifies the note")
	}

	if sum := []byte("digest"); !bytes.Equal(v.BackupCode(sum), same.BackupCode(sum)) ||
		bytes.Equal(v.BackupCode(sum), other.BackupCode(sum)) {
		t.Error("a backup has another code under the same keys, or the same under others")
	}

	content := []byte("content")
	digest, again := v.DigestEntry(content), v.DigestEntry(content)
	if bytes.Equal(digest, again) {
		t.Error("two digests are equal")
	}
	if !same.CheckEntry(content, digest) || !same.CheckEntry(content, again) {
		t.Error("a digest does not fit")
	}
	if other.CheckEntry(content, digest) {
		t.Error("a digest of other keys fits")
	}
	for i := range digest {
		bad := bytes.Clone(digest)
		bad[i] ^= 1
		if same.CheckEntry(content, bad) {
			t.Errorf("byte %d of a digest does not matter", i)
		}
	}
	for _, bad := range [][]byte{nil, digest[:31], append(digest[:32:32], 0)} {
		if same.CheckEntry(content, bad) {
			t.Errorf("a digest of %d bytes fits", len(bad))
		}
	}
	if same.CheckEntry([]byte("Content"), digest) {
		t.Error("a digest fits another content")
	}
}

// BenchmarkDigestEntry measures the digest of the entry of an act.
func BenchmarkDigestEntry(b *testing.B) {
	v, err := Open(Settings{PinKeyBits: 2048})
	if err != nil {
		b.Fatal(err)
	}
	content := make([]byte, 400)
	for b.Loop() {
		v.DigestEntry(content)
	}
}
