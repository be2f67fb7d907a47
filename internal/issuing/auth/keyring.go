package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"slices"

	"mintmark/internal/domain/apikey"
)

// keyring finds a key by its name in a time that does not depend on whether there is one. A map
// cannot do that: even with a keyed digest of the name as its key it answers an unknown name about
// 5 ns sooner, which TestCredentialsTakeTheSameTime uses as its control.
//
// The names are distributed over buckets of equal length. A search reads the whole bucket.
type keyring struct {
	revision int64
	keys     []apikey.Key
	fenced   []int // program IDs
	buckets  [][]bucketEntry
}

// bucketEntry is a key in a bucket. The first entry and the padding of each bucket hold the decoy.
type bucketEntry struct {
	fingerprint [sha256.Size]byte
	key         *apikey.Key
}

// decoy returns the key for an unknown name. Comparing a secret with it takes as long as with any
// other key. No secret has a digest of zeros.
func decoy() apikey.Key {
	return apikey.Key{Secrets: []apikey.Secret{{Digest: make([]byte, sha256.Size)}}}
}

func newKeyring(revision int64, keys []apikey.Key) *keyring {
	buckets := 1
	for buckets < len(keys) {
		buckets *= 2
	}
	ring := &keyring{revision: revision, keys: keys, buckets: make([][]bucketEntry, buckets)}
	// The decoy is in the same block of memory as the keys: another block may be in another cache.
	all := append(slices.Clone(keys), decoy())
	decoy := &all[len(keys)]
	longest := 0
	for i := range ring.buckets {
		ring.buckets[i] = []bucketEntry{{key: decoy}}
	}
	for i := range keys {
		fingerprint := sha256.Sum256([]byte(keys[i].Name))
		at := ring.bucket(fingerprint)
		ring.buckets[at] = append(ring.buckets[at], bucketEntry{fingerprint, &all[i]})
		longest = max(longest, len(ring.buckets[at]))
	}
	for i := range ring.buckets {
		for len(ring.buckets[i]) < longest {
			ring.buckets[i] = append(ring.buckets[i], bucketEntry{key: decoy})
		}
	}
	return ring
}

func (r *keyring) bucket(fingerprint [sha256.Size]byte) int {
	return int(binary.BigEndian.Uint32(fingerprint[:])) & (len(r.buckets) - 1)
}

// find returns the key with a name, or the decoy. The mapping of names to buckets is public, so
// only the search in the bucket needs constant time.
func (r *keyring) find(name string) *apikey.Key {
	fingerprint := sha256.Sum256([]byte(name))
	bucket := r.buckets[r.bucket(fingerprint)]
	count := 0
	for i := range bucket {
		same := subtle.ConstantTimeCompare(bucket[i].fingerprint[:], fingerprint[:])
		count = subtle.ConstantTimeSelect(same, i, count)
	}
	return bucket[count].key
}
