package jsonbody

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestIntegers(t *testing.T) {
	for value, want := range map[string]int{
		"-2147483648": math.MinInt32, "0xFFFFFFFF": -1, "017777": 0o17777, "-012": -12,
		`"-2147483648"`: math.MinInt32, `"\t+7\r"`: 7,
	} {
		accept(t, `{"customerId":`+value+`}`, func(e *everything) { e.CustomerID = want })
	}
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

// TestNumbersAsText checks that a number for a string member is formatted as .NET does.
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
