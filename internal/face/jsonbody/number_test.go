package jsonbody

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"
)

// largest is the largest decimal, 2 to the power of 96 less 1.
const largest = "79228162514264337593543950335"

func TestDecimals(t *testing.T) {
	texts := map[string]string{
		"1.5": "1.5", " 1.5 ": "1.5", "+1.5": "1.5", "1.5-": "-1.5", "1.5 - ": "-1.5",
		"1,000.50": "1000.5", "1,,0,": "10", ".5": "0.5", "5.": "5", "-0": "0", "012": "12",
		largest: largest, "-" + largest: "-" + largest,
		// Digits beyond a decimal's precision are rounded half to even.
		"0." + strings.Repeat("0", 27) + "15": "0." + strings.Repeat("0", 27) + "2",
		"0." + strings.Repeat("0", 27) + "25": "0." + strings.Repeat("0", 27) + "2",
		largest + ".4":                        largest,
		"7." + strings.Repeat("9", 70):        "8",
		"1." + strings.Repeat("0", 100):       "1",
	}
	for text, want := range texts {
		if got, _, ok := parseDecimal([]byte(text), false); !ok || got.String() != want {
			t.Errorf("the text %q is %s (%v), want %s", text, got, ok, want)
		}
	}
	literals := map[string]string{
		"1e3": "1000", "1E-2": "0.01", "1.5e+1": "15", "1e28": "1" + strings.Repeat("0", 28),
		"1e-99999999999999999999": "0", "0e99999": "0", "010": "8", "0x1f": "31", "5-": "-5",
		"0xFFFFFFFFFFFFFFFF": "-1",
	}
	for literal, want := range literals {
		if got, _, ok := parseDecimal([]byte(literal), true); !ok || got.String() != want {
			t.Errorf("the literal %q is %s (%v), want %s", literal, got, ok, want)
		}
	}
}

func TestNoDecimals(t *testing.T) {
	for _, text := range []string{
		"", " ", "-", ".", ",1", "1.0,0", "- 1", "-1-", "+1-", "1e3", "0x1F", "$1", "(1)", "1 2",
		"1.2.3", "abc", "1" + strings.Repeat("0", 29), "79228162514264337593543950336",
		largest + ".5",
	} {
		if got, _, ok := parseDecimal([]byte(text), false); ok {
			t.Errorf("the text %q is accepted as %s", text, got)
		}
	}
	for _, literal := range []string{"1e", "1e+", "e1", "1e29", "1e99999999999", "08", "0x", "1a"} {
		if got, _, ok := parseDecimal([]byte(literal), true); ok {
			t.Errorf("the literal %q is accepted as %s", literal, got)
		}
	}
}

func TestDecimalsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		places := rapid.Int32Range(0, 9).Draw(t, "places")
		want := decimal.New(rapid.Int64().Draw(t, "coefficient"), -places)
		for _, literal := range []bool{true, false} {
			got, digits, ok := parseDecimal([]byte(want.String()), literal)
			if !ok || !got.Equal(want) || int32(digits) > places {
				t.Fatalf("%s is read as %s with %d places (%v)", want, got, digits, ok)
			}
		}
	})
}

func TestIntegers(t *testing.T) {
	accept(t, `{"customerId":-2147483648,"ids":[0xFFFFFFFF,017777,-012,"-2147483648","\t+7\r"]}`,
		func(e *everything) {
			e.CustomerID = math.MinInt32
			e.IDs = []int{-1, 0o17777, -12, math.MinInt32, 7}
		})
	const before = "Value for property 'customerId' is not acceptable. Specifics: "
	for _, literal := range []string{"--1", "-", "1-", "1.", "0x", "0x100000000", "09", "-0x1"} {
		refuse(t, []refusal{{`{"customerId":` + literal + `}`, 59956,
			before + "Input string '" + literal + "' is not a valid integer."}})
	}
	for _, literal := range []string{"2147483648", "-2147483649", "5000000000",
		"18446744073709551616", "99999999999999999999999999"} {
		refuse(t, []refusal{{`{"customerId":` + literal + `}`, 59956,
			before + "JSON integer " + literal + " is too large or small for an Int32."}})
	}
	for _, text := range []string{"+-1", "+", "0x1F", "\u00a01", "1\u0000", "4294967297"} {
		body := `{"customerId":"` + text + `"}`
		var into everything
		if code, _ := answer(t, everythings.Decode([]byte(body), &into)); code != 59900 {
			t.Errorf("%q is answered by %d", body, code)
		}
	}
}

func TestIntegersRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.Int64().Draw(t, "n")
		text := strconv.FormatInt(want, 10)
		digits, negative := strings.CutPrefix(text, "-")
		got, v := parseInteger([]byte(digits), negative, 64)
		if v != fits || got != want {
			t.Fatalf("%s is read as %d (%d)", text, got, v)
		}
		_, v = parseInteger([]byte(digits), negative, 32)
		if inRange := int64(int32(want)) == want; inRange != (v == fits) {
			t.Fatalf("%s fits 32 bits: %v, read as %d", text, inRange, v)
		}
	})
}

// A number for a text member is written as .NET writes it.
func TestNumbersAsText(t *testing.T) {
	for literal, want := range map[string]string{
		"1.50": "1.5", "-0": "0", "-0.0": "0", "1e14": "100000000000000", "1e15": "1E+15",
		"1e-4": "0.0001", "1e-5": "1E-05", "0.1e-4": "1E-05", "123456.789e-9": "0.000123456789",
		"-1.5e300": "-1.5E+300", "3.14159265358979323846": "3.14159265358979",
		"999999999999999.9": "1E+15", "010": "8", "0x1F": "31",
		"12345678901234567890":     "12345678901234567890",
		"-00012345678901234567890": "-12345678901234567890", "Infinity": "Infinity",
		"-Infinity": "-Infinity", "NaN": "NaN", "false": "False",
	} {
		accept(t, `{"tag":`+literal+`}`, func(e *everything) { e.Tag = want })
	}
}
