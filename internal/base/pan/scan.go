package pan

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// The minimum and maximum number of digits of any card number in the world.
const (
	MinDigits = 13
	MaxDigits = 19
)

// MayContain reports whether a text may contain a whole card number: 13 to 19 consecutive digits,
// possibly part of a longer run, that pass the Luhn check. Digits of every script count. A letter
// or a currency sign between digits ends a run; any other character does not. UUIDs and dates, with
// or without a time, contain no card number.
func MayContain(text string) bool {
	digits := folded(text)
	return digits != "" && hasNumber(withoutShapes(digits))
}

// MayContainInURL is Holds for a text in a URL: there 13 to 19 digits with blanks and hyphens
// between them count regardless of their check digit.
func MayContainInURL(text string) bool {
	for _, row := range strings.FieldsFunc(folded(text), func(r rune) bool {
		return !isDigit(r) && r != ' ' && r != '-'
	}) {
		digits := len(row) - strings.Count(row, " ") - strings.Count(row, "-")
		if digits >= MinDigits && digits <= MaxDigits {
			return true
		}
	}
	return MayContain(text)
}

// Conceal returns a text in a form that may be stored: *** for a text that may contain a card
// number. It is for texts that cannot be rejected.
func Conceal(text string) string {
	if MayContain(text) {
		return "***"
	}
	return text
}

// manyDigits matches a run of digits that may be a card number or most of one.
var manyDigits = regexp.MustCompile(`[0-9](?:[ -]?[0-9]){11,}`)

// Mask masks whole card numbers in a text, except for their last four digits. A text with a card
// number in another notation becomes ***.
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

// Redact replaces everything in a text that may be a card number with ***, regardless of the check
// digit. A text with a card number in another notation becomes ***.
func Redact(text string) string { return Conceal(manyDigits.ReplaceAllString(text, "***")) }

// folded replaces all digits of a text with ASCII digits. It returns an empty string for a text
// with too few digits.
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

// digit returns the ASCII digit for a decimal digit. The digits of a script are consecutive from
// zero.
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

// hasNumber checks every part of each run of digits in a text.
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

// endsNumber reports whether the last 13 to 19 digits of a run pass the Luhn check.
func endsNumber(row []byte) bool {
	last := len(row) - 1
	for length := MinDigits; length <= min(len(row), MaxDigits); length++ {
		if CheckDigit(string(row[len(row)-length:last])) == row[last] {
			return true
		}
	}
	return false
}

// notNumbers matches UUIDs, and dates of the years from 1900 to 2199, with or without a time.
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

// withoutShapes replaces UUIDs and dates in a text with a letter. It keeps those that a sign joins
// to another digit, and UUIDs of digits alone, because they may be parts of a card number.
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

// Letters encodes bytes as letters from a to p, two per byte, so that no part of the result looks
// like a card number.
func Letters(bytes []byte) string {
	const letters = "abcdefghijklmnop"
	var text []byte
	for _, b := range bytes {
		text = append(text, letters[b>>4], letters[b&15])
	}
	return string(text)
}
