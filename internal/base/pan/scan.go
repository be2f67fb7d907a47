package pan

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// The numbers of digits that card numbers have anywhere.
const (
	MinDigits = 13
	MaxDigits = 19
)

// Holds reports whether a text may hold a whole card number: 13 to 19 digits in a row, a part of a
// longer row included, that pass the Luhn check. Digits of every script count. What stands between
// them ends a row only when it is a letter or a currency sign. UUIDs and dates, with the time or
// without, hold none.
func Holds(text string) bool {
	digits := folded(text)
	return digits != "" && hasNumber(withoutShapes(digits))
}

// MayHold is Holds for a text that stands in an address: 13 to 19 digits with blanks and hyphens
// between them are refused there whatever their check digit.
func MayHold(text string) bool {
	for _, row := range strings.FieldsFunc(folded(text), func(r rune) bool {
		return !isDigit(r) && r != ' ' && r != '-'
	}) {
		digits := len(row) - strings.Count(row, " ") - strings.Count(row, "-")
		if digits >= MinDigits && digits <= MaxDigits {
			return true
		}
	}
	return Holds(text)
}

// Conceal returns a text as it may be kept: *** in place of one that may hold a card number. It is for
// texts that cannot be refused.
func Conceal(text string) string {
	if Holds(text) {
		return "***"
	}
	return text
}

// manyDigits matches a row of digits that may be a card number or the greater part of one.
var manyDigits = regexp.MustCompile(`[0-9](?:[ -]?[0-9]){11,}`)

// Mask returns a text in which whole card numbers show their last four digits only. A text with one
// that is written in another way is ***.
func Mask(text string) string {
	return Conceal(manyDigits.ReplaceAllStringFunc(text, func(row string) string {
		digits := strings.NewReplacer(" ", "", "-", "").Replace(row)
		last := len(digits) - 1
		if len(digits) < MinDigits ||
			len(digits) <= MaxDigits && CheckDigit(digits[:last]) != digits[last] {
			return row
		}
		const stay = 4
		return strings.Repeat("*", len(digits)-stay) + digits[len(digits)-stay:]
	}))
}

// Redact returns a text with *** in place of what may be a card number, whatever its check digit. A
// text with one that is written in another way is ***.
func Redact(text string) string { return Conceal(manyDigits.ReplaceAllString(text, "***")) }

// folded returns a text with ASCII digits in place of all others, nothing when it has too few.
func folded(text string) string {
	if len(text) < MinDigits {
		return ""
	}
	digits := 0
	text = strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			digits++
			return digit(r)
		}
		return r
	}, norm.NFKC.String(text))
	if digits < MinDigits {
		return ""
	}
	return text
}

// digit returns the ASCII digit of a decimal digit. Those of a script stand side by side from zero.
func digit(r rune) rune {
	if r <= '9' {
		return r
	}
	value := rune(0)
	for unicode.IsDigit(r - value - 1) {
		value++
	}
	return '0' + value%10
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// hasNumber looks at every part of the rows of digits in a text.
func hasNumber(text string) bool {
	var row []byte
	for _, r := range text {
		switch {
		case isDigit(r):
			row = append(row, byte(r))
			if endsNumber(row) {
				return true
			}
		case unicode.IsLetter(r) || unicode.Is(unicode.Sc, r):
			row = row[:0]
		}
	}
	return false
}

// endsNumber reports whether the last 13 to 19 digits of a row pass the Luhn check.
func endsNumber(row []byte) bool {
	last := len(row) - 1
	for length := MinDigits; length <= min(len(row), MaxDigits); length++ {
		if CheckDigit(string(row[len(row)-length:last])) == row[last] {
			return true
		}
	}
	return false
}

// notNumbers matches UUIDs, and dates, with the time or without, of the years from 1900 to 2199.
var notNumbers = regexp.MustCompile(`(?i)\b(?:` +
	`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|` +
	`(?:` + isoDate + `|` + dayDate + `)(?:[T ]` + timeOfDay + `)?)\b`)

var (
	endsJoined   = regexp.MustCompile(`[0-9][^ ]$`)
	beginsJoined = regexp.MustCompile(`^[^ ][0-9]`)
	allDigits    = regexp.MustCompile(`^[0-9]{8}-[0-9-]{27}$`)
)

const (
	dayOrMonth = `(?:0[1-9]|[12][0-9]|3[01])`
	year       = `(?:19|20|21)[0-9]{2}`
	isoDate    = year + `[-/.]` + dayOrMonth + `[-/.]` + dayOrMonth
	dayDate    = dayOrMonth + `[-/.]` + dayOrMonth + `[-/.]` + year
	timeOfDay  = `(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-6][0-9](?:[.,][0-9]{1,9})?` +
		`(?: ?(?:Z|[+-][0-9]{2}:?[0-9]{2}))?`
)

// withoutShapes returns a text with a letter in place of UUIDs and dates. Those that a sign joins to
// another digit, and a UUID of digits alone, may be parts of a number and stay.
func withoutShapes(text string) string {
	var kept strings.Builder
	done := 0
	for _, at := range notNumbers.FindAllStringIndex(text, -1) {
		from, to := at[0], at[1]
		if endsJoined.MatchString(text[:from]) || beginsJoined.MatchString(text[to:]) ||
			allDigits.MatchString(text[from:to]) {
			continue
		}
		kept.WriteString(text[done:from] + "x")
		done = to
	}
	return kept.String() + text[done:]
}

// Letters writes bytes as letters from a to p, two for each, so that no part of the text looks like a
// card number.
func Letters(bytes []byte) string {
	const letters = "abcdefghijklmnop"
	var text []byte
	for _, b := range bytes {
		text = append(text, letters[b>>4], letters[b&15])
	}
	return string(text)
}
