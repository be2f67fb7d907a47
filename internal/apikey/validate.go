package apikey

import (
	"bytes"
	"fmt"
	"math"
	"unicode"

	"mintmark/internal/problem"
)

// Validate returns what is wrong with a key that an operator wants kept.
func (k Key) Validate() problem.List {
	var found problem.List
	if k.PerSecond < 0 {
		found.Add("perSecond", "must not be negative; 0 stands for no limit")
	}
	if k.Burst < 1 && k.PerSecond > 0 {
		found.Add("burst", "must be at least 1")
	}
	if len(k.Secrets) == MaxSecrets && bytes.Equal(k.Secrets[0].Digest, k.Secrets[1].Digest) {
		found.Add("secrets", "holds the same secret twice")
	}
	return found
}

// Holds reports whether one of the key's secrets has a digest, live or not.
func (k Key) Holds(digest []byte) bool {
	for _, secret := range k.Secrets {
		if bytes.Equal(secret.Digest, digest) {
			return true
		}
	}
	return false
}

// What a secret must have so that it cannot be found by trying.
const (
	leastSecretLength = 32
	leastSecretBits   = 128
)

// CheckStrength says why a secret could be guessed, and is empty for a good one.
func CheckStrength(secret string) string {
	length := len([]rune(secret))
	if length < leastSecretLength {
		return fmt.Sprintf("is weak: it has %d characters of at least %d", length,
			leastSecretLength)
	}
	if bits := estimateBits(secret); bits < leastSecretBits {
		return fmt.Sprintf("is weak: it has about %d bits of at least %d", bits,
			leastSecretBits)
	}
	return ""
}

// estimateBits estimates how many bits of chance made a text: those of the alphabet that its
// characters come from, without the characters that repeat what came before or go on counting.
// Words look better than they are; it is meant for slips, and machines make secrets.
func estimateBits(text string) int {
	letters := []rune(text)
	seen := make(map[[3]rune]bool)
	fresh := min(2, len(letters))
	for i := 2; i < len(letters); i++ {
		before, last, letter := letters[i-2], letters[i-1], letters[i]
		counting := letter-last == last-before
		run := [3]rune{before, last, letter}
		if !counting && !seen[run] {
			fresh++
		}
		seen[run] = true
	}
	return int(float64(fresh) * math.Log2(alphabet(letters)))
}

// alphabet estimates of how many characters a text was made of.
func alphabet(letters []rune) float64 {
	const hexadecimal, tenDigits, oneCase, signs = 16, 10, 26, 32
	distinct := make(map[rune]bool)
	onlyHex := true
	var digit, lower, upper, other float64
	for _, letter := range letters {
		distinct[letter] = true
		onlyHex = onlyHex && (letter == '-' || unicode.Is(unicode.ASCII_Hex_Digit, letter))
		switch {
		case letter >= '0' && letter <= '9':
			digit = tenDigits
		case letter >= 'a' && letter <= 'z':
			lower = oneCase
		case letter >= 'A' && letter <= 'Z':
			upper = oneCase
		default:
			other = signs
		}
	}
	// Of a large alphabet a short text shows a part only.
	size := min(digit+lower+upper+other, 2*float64(len(distinct)))
	if onlyHex {
		size = min(size, hexadecimal)
	}
	return max(1, size)
}
