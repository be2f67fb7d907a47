package vault

import (
	"bytes"
	"os"
	"testing"

	"mintmark/internal/testkit/golden"
)

// TestSeedMakesKeysetsRepeatable checks that a seed makes every key repeatable, and that different
// seeds and uses give different keys.
func TestSeedMakesKeysetsRepeatable(t *testing.T) {
	t.Parallel()
	prints := map[string]uint64{}
	for _, seed := range []uint64{0, 1, 42, 1 << 63} {
		first := open(t, Settings{Seed: &seed, PinKeyBits: 2048})
		again := open(t, Settings{Seed: &seed, PinKeyBits: 2048, Dir: t.TempDir()})
		if first.Fingerprints() != again.Fingerprints() || first.LogKey() != again.LogKey() {
			t.Errorf("the seed %d gives two keysets", seed)
		}
		if !bytes.Equal(first.DigestSecret("a"), again.DigestSecret("a")) {
			t.Errorf("the seed %d gives two digests", seed)
		}
		sealed, err := first.SealPin(KeysetKey, Pin{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(first.DigestSecret("a"), first.numberDigests.of("a")) {
			t.Errorf("the seed %d gives two uses one key", seed)
		}
		if len(sealed) == 0 {
			t.Errorf("the seed %d seals nothing", seed)
		}
		if other, taken := prints[first.Fingerprints().Keyset]; taken {
			t.Errorf("the seeds %d and %d give one keyset", other, seed)
		}
		prints[first.Fingerprints().Keyset] = seed
	}
}

// TestRandomPartsAreDrawn checks that the digest of an entry repeats with the source of randomness,
// and can be checked.
func TestRandomPartsAreDrawn(t *testing.T) {
	t.Parallel()
	seed, content := uint64(1), []byte("content")
	digest := func() []byte {
		v := open(t, Settings{Seed: &seed, Random: bytes.NewReader(make([]byte, 16))})
		digest := v.DigestEntry(content)
		if !v.CheckEntry(content, digest) || v.CheckEntry([]byte("other"), digest) {
			t.Error("the digest is not that of the content")
		}
		return digest
	}
	if !bytes.Equal(digest(), digest()) {
		t.Error("the digest does not repeat")
	}
	v := open(t, Settings{Seed: &seed})
	if bytes.Equal(v.DigestEntry(content), v.DigestEntry(content)) {
		t.Error("a digest stands twice")
	}
}

// TestPrecomputed checks that the embedded key equals the computed one.
func TestPrecomputed(t *testing.T) {
	t.Parallel()
	key, err := seededKey(precomputedSeed, minPinKeyBits)
	if err != nil {
		t.Fatal(err)
	}
	want, err := encodeKey(key)
	if err != nil {
		t.Fatal(err)
	}
	if golden.Updating() {
		if err := os.WriteFile("seed-1.pem", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(want, precomputed) {
		t.Error("seed-1.pem is not the key of the seed; run this test with -update")
	}
}
