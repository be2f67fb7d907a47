package card

import (
	"strings"
	"time"

	"mintmark/internal/domain/fault"
)

// MaxVerifyFailures is how many wrong answers a card takes in VerifyFailureWindow. Further answers
// are refused unread, so that the last four digits cannot be found by trying.
const (
	MaxVerifyFailures   = 5
	VerifyFailureWindow = 24 * time.Hour
)

// Verify makes the card usable (interface §8.11). Its holder has to know the creator's
// birth date and the end of the number; else the fault is VerifyMismatch.
func (c Card) Verify(bornThen bool, cardNumberMasked string, now time.Time) (Card, error) {
	if !bornThen || !c.endsLike(cardNumberMasked) {
		return Card{}, fault.New(fault.VerifyMismatch)
	}
	return c.withStatus(Verified, now), nil
}

// The characters of a masked number, in the ways people write it: those in place of digits, those
// between groups, and digits.
const (
	masks  = "*xX"
	gaps   = " -"
	digits = "0123456789"
)

// endsLike reports whether the text is the last four digits of the number, alone or behind what
// masks the others. A mask may show some of these, as receipts do; a whole number is not masked.
func (c Card) endsLike(text string) bool {
	before, ok := strings.CutSuffix(text, c.LastFour)
	return ok && c.LastFour != "" && strings.Trim(before, masks+gaps+digits) == "" &&
		(strings.ContainsAny(before, masks) || !strings.ContainsAny(before, digits))
}
