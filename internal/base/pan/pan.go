// Package pan creates, checks and masks primary account numbers (PANs), the numbers of payment
// cards. It knows the Luhn check digit and the range of numbers that a BIN owns. The store knows
// which numbers are taken, and the vault keeps numbers secret.
package pan

import (
	"fmt"
	"strings"

	"mintmark/internal/base/secret"
)

// Length is the number of digits of every card number.
const Length = 16

// Number is a whole card number. Every printed form of it is three asterisks; only Reveal shows the
// digits, so that the vault can encrypt them.
type Number struct{ secret.Text }

// Parse parses a number of 16 digits with a correct check digit.
func Parse(digits string) (Number, error) {
	if len(digits) != Length || strings.Trim(digits, "0123456789") != "" {
		return Number{}, fmt.Errorf("a card number has %d digits", Length)
	}
	if CheckDigit(digits[:Length-1]) != digits[Length-1] {
		return Number{}, fmt.Errorf("the check digit of the card number is wrong")
	}
	return Number{secret.New(digits)}, nil
}

// LastFour returns the last four digits, the only part that may be shown.
func (n Number) LastFour() string { return n.Reveal()[Length-4:] }

// CheckDigit returns the Luhn check digit of a number without one.
func CheckDigit(body string) byte {
	sum := 0
	for i := range len(body) {
		digit := int(body[len(body)-1-i] - '0')
		if i%2 == 0 {
			digit *= 2
			if digit > 9 {
				digit -= 9
			}
		}
		sum += digit
	}
	return byte('0' + (10-sum%10)%10)
}

// Masked returns the masked number of the interface (interface §5.1): sixteen asterisks until the
// card is verified, then twelve and the last four digits.
func Masked(lastFour string, verified bool) string {
	const hidden = "****************"
	if !verified {
		return hidden
	}
	return hidden[:Length-4] + lastFour
}
