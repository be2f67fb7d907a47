//go:build long

package gate

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mintmark/internal/apikey"
	"mintmark/internal/vault"
)

// TestCredentialsTakeTheSameTime measures, in random order, how long it takes to refuse an unknown
// key and wrong secrets of a known one, and compares each pair by Welch's t. Above 4.5 the two
// could be told apart by whoever can measure as well as this test, which sits in the same process.
func TestCredentialsTakeTheSameTime(t *testing.T) {
	const (
		samples = 100_000
		warmUp  = 10_000 // not counted: caches and branch predictors are still learning
		limit   = 4.5
		secret  = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
	)
	keys, err := vault.Open(vault.Settings{PinKeyBits: 2048})
	if err != nil {
		t.Fatal(err)
	}
	g := &Gate{vault: keys}
	known := apikey.Key{Name: "known-key", Secrets: []apikey.Secret{
		{Digest: keys.DigestSecret(secret)},
	}}
	g.keys.Store(newKeyring(1, []apikey.Key{known}))

	// What differs but in the answer would be measured, too. So every secret lies in the heap, and
	// names that are there are tried as often as names that are not: processors are a little
	// faster, by less than a nanosecond, with what they do more often.
	attempts := []struct{ what, name, secret string }{
		{"an unknown key", "other-key", strings.Clone(secret)},
		{"a wrong first byte", "known-key", "x" + secret[1:]},
		{"a wrong last byte", "known-key", secret[:len(secret)-1] + "x"},
	}
	turns := []int{0, 0, 1, 2} // the attempts, as often as they are made
	taken := make([][]float64, len(attempts))
	for n := range warmUp + samples*len(attempts) {
		i := turns[rand.IntN(len(turns))]
		started := time.Now()
		_, opened := g.Unlock(attempts[i].name, attempts[i].secret)
		took := time.Since(started)
		if n >= warmUp {
			taken[i] = append(taken[i], float64(took))
		}
		if opened {
			t.Fatalf("%s opens", attempts[i].what)
		}
	}
	for i := range attempts {
		for j := range i {
			score := welch(central(taken[i]), central(taken[j]))
			t.Logf("%s against %s: t = %.2f", attempts[i].what, attempts[j].what, score)
			if math.Abs(score) > limit {
				t.Errorf("%s and %s can be told apart: t = %.2f",
					attempts[i].what, attempts[j].what, score)
			}
		}
	}
}

// central leaves out the slowest tenth, which is the scheduler's and the collector's.
func central(samples []float64) []float64 {
	sorted := slices.Sorted(slices.Values(samples))
	return sorted[:len(sorted)*9/10]
}

// welch is Welch's t of two samples.
func welch(a, b []float64) float64 {
	meanA, varianceA := moments(a)
	meanB, varianceB := moments(b)
	return (meanA - meanB) / math.Sqrt(varianceA/float64(len(a))+varianceB/float64(len(b)))
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
