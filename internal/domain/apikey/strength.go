package apikey

import (
	"fmt"
	"math"
	"unicode"
)

// CheckStrength says why a secret could be guessed, and is empty for a good one.
func CheckStrength(secret string) string {
	length := len([]rune(secret))
	if length < minSecretLength {
		return fmt.Sprintf("is weak: it has %d characters of at least %d", length,
			minSecretLength)
	}
	if bits := estimateBits(secret); bits < minSecretBits {
		return fmt.Sprintf("is weak: it has about %d bits of at least %d", bits,
			minSecretBits)
	}
	return ""
}

// estimateBits estimates the entropy of a text in bits: that of its alphabet for each character,
// but not for characters that repeat an earlier run or continue a sequence. It overrates words: it
// is there to catch slips, because good secrets are made by machines.
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

// alphabet estimates the size of the alphabet of a text.
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
	// A short text shows only a part of a large alphabet.
	size := min(digit+lower+upper+other, 2*float64(len(distinct)))
	if onlyHex {
		size = min(size, hexadecimal)
	}
	return max(1, size)
}
