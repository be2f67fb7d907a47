package jsonbody

import (
	"bytes"
	"math/big"

	"github.com/shopspring/decimal"
)

// A decimal has at most 96 bits and at most 28 fraction digits.
const (
	maxDecimalBits   = 96
	maxDecimalPlaces = 28
)

// keptDigits is how many significant digits are read: more than twice what a decimal holds, so
// that the kept digits decide the rounding.
const keptDigits = 64

// maxExponent bounds the exponent of a decimal; a number beyond it is too large or rounds to zero.
const maxExponent = 1 << 20

// digitString is a decimal number as written: the digits without leading zeros, and the power of
// ten of the last one.
type digitString struct {
	negative bool
	digits   []byte
	exponent int
	lost     bool // a nonzero digit beyond keptDigits
	any      bool // there was a digit
}

// parseDecimal converts a decimal: a sign before or after it, digits and a point. With
// withExponent (a literal) it takes an exponent, without (a text) commas and white space. It
// returns the number of fraction digits, without trailing zeros.
func parseDecimal(raw []byte, withExponent bool) (value decimal.Decimal, places int, ok bool) {
	if withExponent && hasRadix(raw) {
		bits, ok := parseRadix(raw, 64)
		return decimal.NewFromInt(int64(bits)), 0, ok
	}
	var d digitString
	if !withExponent {
		raw = bytes.Trim(raw, " \t\n\v\f\r")
	}
	raw, signed := d.cutSign(raw)
	raw = d.cutDigits(raw, !withExponent)
	if withExponent {
		raw = d.cutExponent(raw)
	} else {
		raw = bytes.TrimLeft(raw, " \t\n\v\f\r")
	}
	if !signed {
		raw, _ = d.cutSign(raw)
	}
	if len(raw) > 0 || !d.any {
		return decimal.Zero, 0, false
	}
	return d.decimal()
}

// cutSign takes a sign from the front.
func (d *digitString) cutSign(raw []byte) (rest []byte, found bool) {
	if len(raw) == 0 || raw[0] != '-' && raw[0] != '+' {
		return raw, false
	}
	d.negative = raw[0] == '-'
	return raw[1:], true
}

// cutDigits takes the digits and the point from the front, and the commas in the integer part
// where they are allowed.
func (d *digitString) cutDigits(raw []byte, commas bool) (rest []byte) {
	point := false
	for i, c := range raw {
		switch {
		case '0' <= c && c <= '9':
			d.any = true
			d.add(c)
			if point {
				d.exponent--
			}
		case c == '.' && !point:
			point = true
		case c == ',' && commas && d.any && !point:
			// Commas need not group by thousands.
		default:
			return raw[i:]
		}
	}
	return nil
}

// add appends a digit.
func (d *digitString) add(c byte) {
	switch {
	case len(d.digits) < keptDigits:
		if c != '0' || len(d.digits) > 0 {
			d.digits = append(d.digits, c)
		}
		return
	case c != '0':
		d.lost = true
	}
	d.exponent++
}

// cutExponent takes an exponent from the front. An E without digits is not one.
func (d *digitString) cutExponent(raw []byte) (rest []byte) {
	if len(raw) == 0 || lower(raw[0]) != 'e' {
		return raw
	}
	var sign digitString
	rest, _ = sign.cutSign(raw[1:])
	power, i := 0, 0
	for ; i < len(rest) && '0' <= rest[i] && rest[i] <= '9'; i++ {
		power = min(power*10+int(rest[i]-'0'), maxExponent)
	}
	if i == 0 {
		return raw
	}
	if sign.negative {
		power = -power
	}
	d.exponent += power
	return rest[i:]
}

// decimal returns the value, rounded to what a decimal holds, and its places. ok is false for a
// number beyond the largest decimal.
func (d *digitString) decimal() (value decimal.Decimal, places int, ok bool) {
	significant := bytes.TrimRight(d.digits, "0")
	exponent := d.exponent + len(d.digits) - len(significant)
	if len(significant) == 0 {
		return decimal.Zero, 0, true
	}
	places = max(0, -exponent)
	if d.lost {
		places = max(places, keptDigits)
	}
	switch magnitude := len(significant) + exponent; {
	case magnitude > maxDecimalPlaces+1:
		return decimal.Zero, 0, false
	case magnitude < -maxDecimalPlaces:
		// Rounding has the same result, but divides by a huge power of ten first.
		return decimal.Zero, places, true
	}
	coefficient, _ := new(big.Int).SetString(string(significant), 10)
	if d.negative {
		coefficient.Neg(coefficient)
	}
	value = decimal.NewFromBigInt(coefficient, int32(exponent))
	if value.BigInt().BitLen() > maxDecimalBits {
		return decimal.Zero, 0, false
	}
	for kept := int32(min(places, maxDecimalPlaces)); kept >= 0; kept-- {
		rounded := value.RoundBank(kept)
		if rounded.Coefficient().BitLen() <= maxDecimalBits {
			return rounded, places, true
		}
	}
	return decimal.Zero, 0, false
}
