package jsonbody

import (
	"bytes"
	"strconv"
	"strings"
)

// maxIntegerBytes is how long an integer may be that no machine type holds.
const maxIntegerBytes = 380

// verdict is what became of an integer.
type verdict uint8

const (
	fits verdict = iota
	overflows
	invalid
)

// int32Literal converts a number for an integer member. Literals that begin with 0 are octal, or
// hexadecimal with an x behind it.
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

// int32Text converts a text for an integer member.
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

// parseInteger converts decimal digits to a signed integer of that many bits. A character that is
// no digit counts more than a number that is too large.
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

// parseRadix returns the bits of an octal or hexadecimal literal. All of them set is -1.
func parseRadix(raw []byte, size int) (uint64, bool) {
	digits, radix := raw, 8
	if lower(raw[1]) == 'x' {
		digits, radix = raw[2:], 16
	}
	n, err := strconv.ParseUint(string(digits), radix, size)
	return n, err == nil
}

// number is a literal that was read for a member which is no integer and no decimal.
type number struct {
	integer int64
	digits  string  // an integer that does not fit; empty for the others
	float   float64 // where isFloat
	isFloat bool
}

// anyNumber converts a literal for such a member, or for a member that nobody asked for: its
// faults count too.
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

// String returns the number as .NET writes it.
func (n number) String() string {
	switch {
	case n.digits != "":
		return n.digits
	case n.isFloat:
		return floatText(n.float)
	}
	return strconv.FormatInt(n.integer, 10)
}

// floatText writes up to 15 significant digits. An exponent is written where there would be more
// digits than that before the point, or more than four zeros before the first digit.
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

// trimFraction drops the zeros at the end of a fraction, and the point where none is left.
func trimFraction(text string) string {
	if !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}
