package vault

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"sync"
	"testing"

	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf"
)

// TestDigestsAreTinks checks that digests equal Tink's with the same keyset, also in a row and from
// several goroutines: every version of the program must find what is stored.
func TestDigestsAreTinks(t *testing.T) {
	handle, err := keyset.NewHandle(prf.HMACSHA256PRFKeyTemplate())
	if err != nil {
		t.Fatal(err)
	}
	tinks, err := prf.NewPRFSet(handle)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := newDigests(handle)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for length := range 200 {
				text := strings.Repeat("x", length)
				want, err := tinks.ComputePrimaryPRF([]byte(text), sha256.Size)
				if err != nil {
					t.Error(err)
				}
				if !bytes.Equal(ours.of(text), want) {
					t.Errorf("the digest of a text of %d bytes is not Tink's", length)
				}
			}
		})
	}
	group.Wait()
}

// TestDigestsNeedSHA256 checks that a key for another digest length is rejected.
func TestDigestsNeedSHA256(t *testing.T) {
	handle, err := keyset.NewHandle(prf.HMACSHA512PRFKeyTemplate())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newDigests(handle); err == nil {
		t.Error("a key for SHA-512 is taken")
	}
}
