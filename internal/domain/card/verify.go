package card

import (
	"strings"
	"time"

	"mintmark/internal/domain/fault"
)

// MaxVerifyFailures is the number of failed attempts that a card allows within VerifyFailureWindow.
// Further attempts fail without a check, so that the last four digits cannot be guessed.
const (
	MaxVerifyFailures   = 5
	VerifyFailureWindow = 24 * time.Hour
)

// Verify makes the card usable (interface §8.11). Its holder must know the creator's birth date and
// the end of the card number; otherwise the fault is VerifyMismatch.
func (c Card) Verify(bornThen bool, cardNumberMasked string, now time.Time) (Card, error) {
	if !bornThen || !c.endsLike(cardNumberMasked) {
		return Card{}, fault.New(fault.VerifyMismatch)
	}
	return c.withStatus(Verified, now), nil
}

// The characters of a masked card number as people write it: those that replace digits, those
// between groups, and digits.
const (
	masks  = "*xX"
	gaps   = " -"
	digits = "0123456789"
)

// endsLike reports whether text is the last four digits of the card number, alone or after a masked
// part. The mask may show some digits, as receipts do, but not all of them.
func (c Card) endsLike(text string) bool {
	before, ok := strings.CutSuffix(text, c.LastFour)
	return ok && c.LastFour != "" && strings.Trim(before, masks+gaps+digits) == "" &&
		(strings.ContainsAny(before, masks) || !strings.ContainsAny(before, digits))
}
