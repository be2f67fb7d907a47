package jsonbody

import (
	"bytes"
	"strconv"
	"strings"
)

// maxIntegerBytes is the maximum length of an accepted integer beyond 64 bits.
const maxIntegerBytes = 380

// verdict is the result of parsing an integer.
type verdict uint8

const (
	fits verdict = iota
	overflows
	invalid
)

// int32Literal converts a number literal for an integer member. Literals that begin with 0 are
// octal, or hexadecimal if an x follows.
func (b *binder) int32Literal(raw []byte) (int32, *failure) {
	n, v := int64(0), invalid
	if hasRadix(raw) {
		bits, ok := parseRadix(raw, 32)
		if ok {
			n, v = int64(int32(bits)), fits
		}
	} else {
		digits, negative := bytes.CutPrefix(raw, []byte("-"))
		n, v = parseInteger(digits, negative, 32)
	}
	switch v {
	case overflows:
		return 0, b.fail(notAcceptable,
			"JSON integer "+b.echo(string(raw))+" is too large or small for an Int32.")
	case invalid:
		return 0, b.fail(notAcceptable,
			"Input string '"+b.echo(string(raw))+"' is not a valid integer.")
	}
	return int32(n), nil
}

// int32Text converts a string for an integer member.
func (b *binder) int32Text(text []byte) (int32, *failure) {
	digits := bytes.Trim(text, " \t\n\v\f\r")
	negative := false
	if len(digits) > 0 && (digits[0] == '+' || digits[0] == '-') {
		negative = digits[0] == '-'
		digits = digits[1:]
	}
	n, v := parseInteger(digits, negative, 32)
	if v != fits {
		return 0, b.fail(integerText, b.echo(string(text)))
	}
	return int32(n), nil
}

// parseInteger parses a signed decimal integer of the given size. A character that is not a digit
// is reported before an overflow.
func parseInteger(digits []byte, negative bool, bits uint) (int64, verdict) {
	limit := uint64(1)<<(bits-1) - 1
	if negative {
		limit++
	}
	n, v := uint64(0), fits
	for _, c := range digits {
		digit := uint64(c - '0')
		if digit > 9 {
			return 0, invalid
		}
		if v == fits && n > (limit-digit)/10 {
			v = overflows
		}
		n = n*10 + digit
	}
	if len(digits) == 0 {
		return 0, invalid
	}
	if negative {
		n = -n
	}
	return int64(n), v
}

// hasRadix reports whether a literal is octal or hexadecimal.
func hasRadix(raw []byte) bool {
	return len(raw) > 1 && raw[0] == '0' && raw[1] != '.' && raw[1] != 'e' && raw[1] != 'E'
}

// parseRadix returns the bits of an octal or hexadecimal literal as two's complement.
func parseRadix(raw []byte, size int) (uint64, bool) {
	digits, radix := raw, 8
	if lower(raw[1]) == 'x' {
		digits, radix = raw[2:], 16
	}
	n, err := strconv.ParseUint(string(digits), radix, size)
	return n, err == nil
}

// number is the value of a number literal outside integer members.
type number struct {
	integer int64
	digits  string  // an integer beyond 64 bits; otherwise empty
	float   float64 // if isFloat
	isFloat bool
}

// anyNumber parses a number literal outside integer members, including those of unknown members.
func (b *binder) anyNumber(raw []byte) (number, *failure) {
	if hasRadix(raw) {
		bits, ok := parseRadix(raw, 64)
		if !ok {
			return number{}, b.notNumber(raw)
		}
		return number{integer: int64(bits)}, nil
	}
	digits, negative := bytes.CutPrefix(raw, []byte("-"))
	n, v := parseInteger(digits, negative, 64)
	switch {
	case v == fits:
		return number{integer: n}, nil
	case v == overflows && len(raw) > maxIntegerBytes:
		return number{}, b.fail(syntax,
			"JSON integer "+b.echo(string(raw))+" is too large to parse.")
	case v == overflows:
		text := string(bytes.TrimLeft(digits, "0"))
		if negative {
			text = "-" + text
		}
		return number{digits: text}, nil
	}
	float, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return number{}, b.notNumber(raw)
	}
	return number{float: float, isFloat: true}, nil
}

func (b *binder) notNumber(raw []byte) *failure {
	return b.fail(syntax, "Input string '"+b.echo(string(raw))+"' is not a valid number.")
}

// String returns the number as .NET formats it.
func (n number) String() string {
	switch {
	case n.digits != "":
		return n.digits
	case n.isFloat:
		return floatText(n.float)
	}
	return strconv.FormatInt(n.integer, 10)
}

// floatText formats a float with up to 15 significant digits. It uses an exponent for more than 15
// integer digits, or for more than four zeros after the point.
func floatText(f float64) string {
	const digits = 15
	if f == 0 {
		return "0"
	}
	scientific := strconv.FormatFloat(f, 'E', digits-1, 64)
	mantissa, exponent, _ := strings.Cut(scientific, "E")
	power, err := strconv.Atoi(exponent)
	if err != nil || power < -4 || power >= digits {
		return trimFraction(mantissa) + "E" + exponent
	}
	return trimFraction(strconv.FormatFloat(f, 'f', digits-1-power, 64))
}

// trimFraction drops trailing zeros of a fraction, and a trailing point.
func trimFraction(text string) string {
	if !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}
