//go:build long

package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mintmark/internal/domain/apikey"
	"mintmark/internal/vault"
)

// The position of a key in memory changes the time of a refusal by about a nanosecond, in either
// direction. Each round therefore allocates everything again and yields one difference. A
// difference that the rounds agree on comes from the credentials.
const (
	rounds  = 48
	samples = 6_000 // of each attempt in a round
	warmUp  = 2_000 // not counted: caches and branch predictors warm up
)

// Two attempts are distinguishable when the difference is significant and not negligible. The CPU
// itself treats two names differently by up to half a nanosecond.
const (
	significant = 4.5 // of Student's t, in either direction
	negligible  = 1.0 // nanoseconds
)

const rightSecret = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"

// authenticate reports whether a name and a secret match a key.
type authenticate func(name, secret string) bool

// TestCredentialsTakeTheSameTime checks that an unknown key and a wrong secret of a known key are
// rejected in the same time, as far as a test in the same process can measure. It must detect a map
// lookup, which takes a few nanoseconds more or less for an unknown name.
func TestCredentialsTakeTheSameTime(t *testing.T) {
	digester, err := vault.Open(vault.Settings{PinKeyBits: 2048})
	if err != nil {
		t.Fatal(err)
	}
	ours := func(keys []apikey.Key) authenticate {
		c := &Callers{digester: digester}
		c.keyring.Store(newKeyring(1, keys))
		return func(name, secret string) bool {
			_, matches := c.Authenticate(name, secret)
			return matches
		}
	}
	if tellApart(t, digester, ours) {
		t.Error("credentials can be told apart by the time of their refusal")
	}
	control := func(keys []apikey.Key) authenticate { return byMap(digester, keys) }
	if !tellApart(t, digester, control) {
		t.Error("the control, a lookup in a map, is not noticed")
	}
}

// byMap is the control: it looks up a key in a map by a keyed digest of its name.
func byMap(digester Digester, keys []apikey.Key) authenticate {
	byName := make(map[[sha256.Size]byte]*apikey.Key)
	digest := func(name string) (digest [sha256.Size]byte) {
		keyed := hmac.New(sha256.New, []byte("a secret"))
		keyed.Write([]byte(name))
		keyed.Sum(digest[:0])
		return digest
	}
	for i := range keys {
		byName[digest(keys[i].Name)] = &keys[i]
	}
	decoy := &apikey.Key{Secrets: []apikey.Secret{{Digest: make([]byte, sha256.Size)}}}
	return func(name, secret string) bool {
		key, known := byName[digest(name)]
		if !known {
			key = decoy
		}
		return key.Matches(digester.DigestSecret(secret), time.Now())
	}
}

// attempt is a pair of credentials that is rejected.
type attempt struct{ what, name, secret string }

// attempts are an unknown name, and two wrong secrets of a known one.
var attempts = []attempt{
	{"an unknown key", "other-key", rightSecret},
	{"a wrong first byte", "known-key", "x" + rightSecret[1:]},
	{"a wrong last byte", "known-key", rightSecret[:len(rightSecret)-1] + "x"},
}

// tellApart measures the attempts in every round and reports whether two of them are
// distinguishable.
func tellApart(t *testing.T, digester Digester, newOne func([]apikey.Key) authenticate) bool {
	t.Helper()
	means := make([][]float64, len(attempts)) // by attempt and round
	for range rounds {
		var memory layout
		tried := newOne(memory.keys(digester))
		for i, mean := range measure(t, tried, memory.attempts()) {
			means[i] = append(means[i], mean)
		}
		runtime.KeepAlive(memory)
	}
	differ := false
	for i := range attempts {
		for j := range i {
			difference, score := compare(means[i], means[j])
			t.Logf("%s against %s: %.2f ns, t = %.2f",
				attempts[i].what, attempts[j].what, difference, score)
			differ = differ ||
				math.Abs(score) > significant && math.Abs(difference) > negligible
		}
	}
	return differ
}

// layout holds the memory between the parts of a round, which lie in random order and apart from
// each other.
type layout struct{ gaps [][]byte }

func (l *layout) gap() { l.gaps = append(l.gaps, make([]byte, 16+rand.IntN(4096))) }

func (l *layout) keys(digester Digester) []apikey.Key {
	l.gap()
	key := apikey.Key{Name: strings.Clone("known-key")}
	l.gap()
	key.Secrets = []apikey.Secret{{Digest: digester.DigestSecret(rightSecret)}}
	l.gap()
	return []apikey.Key{key}
}

func (l *layout) attempts() []attempt {
	placed := make([]attempt, len(attempts))
	for _, i := range rand.Perm(len(attempts)) {
		l.gap()
		name := strings.Clone(attempts[i].name)
		l.gap()
		placed[i] = attempt{attempts[i].what, name, strings.Clone(attempts[i].secret)}
	}
	return placed
}

// measure runs the attempts in random order and returns the mean time of each.
func measure(t *testing.T, tried authenticate, attempts []attempt) []float64 {
	t.Helper()
	// Known names are tried as often as unknown ones: CPUs are slightly faster at frequent work.
	turns := []int{0, 0, 1, 2}
	taken := make([][]float64, len(attempts))
	for n := range warmUp + samples*len(turns) {
		i := turns[rand.IntN(len(turns))]
		started := time.Now()
		matches := tried(attempts[i].name, attempts[i].secret)
		took := time.Since(started)
		if n >= warmUp {
			taken[i] = append(taken[i], float64(took))
		}
		if matches {
			t.Fatalf("%s is let in", attempts[i].what)
		}
	}
	means := make([]float64, len(attempts))
	for i := range taken {
		means[i] = central(taken[i])
	}
	return means
}

// central returns the mean without the slowest tenth, which scheduler and garbage collector cause.
func central(samples []float64) float64 {
	sorted := slices.Sorted(slices.Values(samples))
	mean, _ := moments(sorted[:len(sorted)*9/10])
	return mean
}

// compare returns the median of the differences between two samples, and their Student's t.
func compare(a, b []float64) (difference, score float64) {
	differences := make([]float64, len(a))
	for i := range a {
		differences[i] = a[i] - b[i]
	}
	mean, variance := moments(differences)
	slices.Sort(differences)
	return differences[len(a)/2], mean / math.Sqrt(variance/float64(len(a)))
}

func moments(samples []float64) (mean, variance float64) {
	for _, x := range samples {
		mean += x
	}
	mean /= float64(len(samples))
	for _, x := range samples {
		variance += (x - mean) * (x - mean)
	}
	return mean, variance / float64(len(samples)-1)
}
