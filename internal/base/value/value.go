// Package value has the types of values that the interface writes in one fixed form (interface §4):
// amounts of money, interest rates and date-times. It owns their text; the packages that use them
// own their meaning.
package value

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// AmountDigits is the number of fraction digits of an Amount. No program has more, so every amount
// fits without rounding.
const AmountDigits = 4

// Amount is an amount of money, stored as a whole number of ten-thousandths and written as a JSON
// number. The program determines how many fraction digits are written: see Fixed.
type Amount struct {
	TenThousandths int64
	digits         int
}

// ParseAmount parses a decimal number with at most four fraction digits.
func ParseAmount(text string) (Amount, error) {
	d, err := decimal.NewFromString(text)
	if err != nil {
		return Amount{}, fmt.Errorf("%q is not a decimal number", text)
	}
	scaled := d.Shift(AmountDigits)
	if !scaled.IsInteger() {
		return Amount{}, fmt.Errorf("%q has more than %d decimal digits", text, AmountDigits)
	}
	if scaled.Abs().GreaterThan(decimal.NewFromInt(math.MaxInt64)) {
		return Amount{}, fmt.Errorf("%q is too large", text)
	}
	digits := max(0, int(-d.Exponent()))
	return Amount{TenThousandths: scaled.IntPart(), digits: min(digits, AmountDigits)}, nil
}

// Sum adds up ten-thousandths, and reports whether the sum fits into an Amount.
func Sum(parts ...int64) (sum int64, fits bool) {
	total := new(big.Int)
	for _, part := range parts {
		total.Add(total, big.NewInt(part))
	}
	return total.Int64(), total.IsInt64() && total.Int64() != math.MinInt64
}

// Fixed returns the amount with exactly this number of fraction digits, 0 to 4. It truncates
// further digits; the import rejects such amounts.
func (a Amount) Fixed(digits int) Amount {
	a.digits = min(max(digits, 0), AmountDigits)
	return a
}

// Digits returns how many fraction digits the amount needs.
func (a Amount) Digits() int {
	rest, digits := a.TenThousandths, AmountDigits
	for digits > 0 && rest%10 == 0 {
		rest /= 10
		digits--
	}
	return digits
}

// String formats the amount as in JSON, for example 12.50.
func (a Amount) String() string { return string(a.Append(nil)) }

// Append appends the amount as in JSON.
func (a Amount) Append(to []byte) []byte {
	kept, unit := a.TenThousandths, int64(1)
	for range AmountDigits - a.digits {
		kept /= 10
	}
	for range a.digits {
		unit *= 10
	}
	whole, rest := kept/unit, kept%unit
	if kept < 0 {
		to, whole, rest = append(to, '-'), -whole, -rest
	}
	// The smallest int64 has no positive counterpart, but its digits are the same.
	to = strconv.AppendUint(to, uint64(whole), 10)
	if a.digits == 0 {
		return to
	}
	to = append(to, '.')
	for unit /= 10; rest < unit && unit > 1; unit /= 10 {
		to = append(to, '0')
	}
	return strconv.AppendInt(to, rest, 10)
}

// Grouped formats a number in decimal digits with thousands separators, for people.
func Grouped(number string) string {
	sign := ""
	if strings.HasPrefix(number, "-") {
		sign, number = "\u2212", number[1:]
	}
	whole, _, _ := strings.Cut(number, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		number = number[:at] + "," + number[at:]
	}
	return sign + number
}

// MarshalJSON encodes the amount as a JSON number.
func (a Amount) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalJSON decodes a JSON number and preserves its number of fraction digits.
func (a *Amount) UnmarshalJSON(text []byte) error {
	read, err := ParseAmount(string(text))
	if err != nil {
		return err
	}
	*a = read
	return nil
}

// Rate is an interest rate with at most 11 fraction digits, written as a JSON number.
type Rate struct{ decimal.Decimal }

// RateDigits is the maximum number of fraction digits of a Rate.
const RateDigits = 11

// MarshalJSON encodes the rate as a JSON number without trailing zeros.
func (r Rate) MarshalJSON() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalJSON decodes a JSON number.
func (r *Rate) UnmarshalJSON(text []byte) error {
	d, err := decimal.NewFromString(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a decimal number", text)
	}
	if d.Truncate(RateDigits).Cmp(d) != 0 {
		return fmt.Errorf("%q has more than %d decimal digits", text, RateDigits)
	}
	r.Decimal = d
	return nil
}

// timeLayout is the interface's date-time: three fraction digits and a numeric offset, never Z.
const timeLayout = "2006-01-02T15:04:05.000-07:00"

// Time is a date-time in the zone in which it is written.
type Time struct{ time.Time }

// AppendText appends the date-time in the interface's form. Package time formats RFC 3339 several
// times faster than other layouts, so AppendText inserts the fraction into that.
func (t Time) AppendText(b []byte) ([]byte, error) {
	b = t.AppendFormat(b, time.RFC3339)
	zone := [...]byte{'+', '0', '0', ':', '0', '0'}
	if last := len(b) - 1; b[last] == 'Z' {
		b = b[:last]
	} else {
		b = b[:len(b)-copy(zone[:], b[len(b)-len(zone):])]
	}
	ms := t.Nanosecond() / int(time.Millisecond)
	b = append(b, '.', '0'+byte(ms/100), '0'+byte(ms/10%10), '0'+byte(ms%10))
	return append(b, zone[:]...), nil
}

// String formats the date-time in the interface's form.
func (t Time) String() string { return t.Format(timeLayout) }

// MarshalJSON encodes the date-time as a JSON string.
func (t Time) MarshalJSON() ([]byte, error) { return strconv.AppendQuote(nil, t.String()), nil }

// MarshalText formats the date-time in the interface's form rather than package time's.
func (t Time) MarshalText() ([]byte, error) { return t.AppendText(nil) }

// UnmarshalJSON decodes an ISO 8601 date, or a date-time with or without an offset.
func (t *Time) UnmarshalJSON(text []byte) error {
	written := strings.Trim(string(text), `"`)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateOnly} {
		read, err := time.Parse(layout, written)
		if err == nil {
			t.Time = read
			return nil
		}
	}
	return fmt.Errorf("%q is not an ISO 8601 date or date-time", written)
}
