package pan

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestKnownNumbers uses the test numbers that card networks publish.
func TestKnownNumbers(t *testing.T) {
	for _, digits := range []string{
		"4111111111111111", "4012888888881881", "4242424242424242", "5555555555554444",
		"5105105105105100", "5454545454545454", "2223003122003222", "6011111111111117",
		"0000000000000000",
	} {
		number, err := Parse(digits)
		if err != nil {
			t.Errorf("%s: %v", digits, err)
			continue
		}
		if number.Reveal() != digits || number.LastFour() != digits[12:] {
			t.Errorf("%s is %s, ending in %s", digits, number.Reveal(), number.LastFour())
		}
	}
}

// TestCheckDigitOfOtherLengths checks the check digit for bodies of even and odd length.
func TestCheckDigitOfOtherLengths(t *testing.T) {
	for body, want := range map[string]byte{
		"7992739871": '3', "37828224631000": '5', "37144963539843": '1', "0": '0', "5": '9',
		"9": '1', "": '0',
	} {
		if got := CheckDigit(body); got != want {
			t.Errorf("the check digit of %q is %c, want %c", body, got, want)
		}
	}
}

// TestParseRefuses also checks that an error does not repeat the number.
func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"", "411111111111111", "41111111111111111", "4111111111111112", "4111 1111 1111 11",
		"411111111111111x", "４11111111111111",
		"4;11111111111111", // a semicolon counts as 11, which the sum does not detect
	} {
		_, err := Parse(text)
		if err == nil {
			t.Errorf("%q is taken for a number", text)
			continue
		}
		if text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("the error repeats the number: %v", err)
		}
	}
}

// TestOneWrongDigitIsFound checks the purpose of the check digit: it detects one wrong digit, and
// two swapped neighbors except 0 and 9.
func TestOneWrongDigitIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.StringMatching(`[0-9]{15}`).Draw(t, "body")
		digits := []byte(body + string(CheckDigit(body)))
		if _, err := Parse(string(digits)); err != nil {
			t.Fatal(err)
		}
		at := rapid.IntRange(0, Length-2).Draw(t, "at")
		b, next := digits[at], digits[at+1]
		if b != next && b+next != '0'+'9' {
			digits[at], digits[at+1] = next, b
			if _, err := Parse(string(digits)); err == nil {
				t.Fatal("two digits exchanged are not found")
			}
			digits[at], digits[at+1] = b, next
		}
		digits[at] = '0' + (b-'0'+byte(rapid.IntRange(1, 9).Draw(t, "by")))%10
		if _, err := Parse(string(digits)); err == nil {
			t.Fatal("a wrong digit is not found")
		}
	})
}

func TestMasked(t *testing.T) {
	if got := Masked("1111", false); got != "****************" {
		t.Errorf("before verification %q", got)
	}
	if got := Masked("1111", true); got != "************1111" {
		t.Errorf("after verification %q", got)
	}
}

// TestNumbersAreNeverPrinted checks that a number prints like any other secret.
func TestNumbersAreNeverPrinted(t *testing.T) {
	number, err := Parse("4111111111111111")
	if err != nil {
		t.Fatal(err)
	}
	inside := struct{ Number Number }{number}
	encoded, err := json.Marshal(inside)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(encoded); got != `{"Number":"***"}` {
		t.Errorf("JSON is %s", got)
	}
	for _, format := range []string{"%s", "%v", "%+v", "%#v", "%d", "%q", "%x"} {
		for _, operand := range []any{number, &number, inside} {
			if got := fmt.Sprintf(format, operand); strings.Contains(got, "1111") {
				t.Errorf("%s prints %s", format, got)
			}
		}
	}
}
