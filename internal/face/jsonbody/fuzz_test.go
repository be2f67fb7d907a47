package jsonbody

import (
	"reflect"
	"regexp"
	"testing"
	"unicode/utf8"
)

// placed matches the end of a message that names a position in the body.
var placed = regexp.MustCompile(`(?s) Path '.*', line \d+, position \d+\.$`)

// FuzzDecode checks every result against the guarantees of the interface.
func FuzzDecode(f *testing.F) {
	for _, c := range readCases(f) {
		f.Add([]byte(c.Body))
	}
	f.Add([]byte("\xff\xfe{\x00}\x00"))
	f.Add([]byte(`{"newPin":"\ud83d\ude00","map":{"a":0x7F},"born":"2015-06-01"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var first, second everything
		err := everythings.Decode(body, &first)
		code, message := answer(t, err)
		again, messageAgain := answer(t, everythings.Decode(body, &second))
		if code != again || message != messageAgain || !reflect.DeepEqual(first, second) {
			t.Fatalf("the second answer to %q differs: %s / %s", body, message, messageAgain)
		}
		if !documented[code] {
			t.Fatalf("%q is answered by %d %s", body, code, message)
		}
		if !utf8.ValidString(message) || len(message) > 6000 {
			t.Fatalf("%q is answered by the message %q", body, message)
		}
		if hasPlace[code] && !placed.MatchString(message) {
			t.Fatalf("the message names no place: %q", message)
		}
	})
}

// documented has the codes that decoding may return; 0 means accepted.
var documented = set(0, 59900, 59901, 59902, 59903, 59904, 59905, 59906, 59949, 59950, 59951,
	59952, 59956, 59957, 59958, 59999)

// hasPlace has the codes whose message always ends in a position.
var hasPlace = set(59900, 59901, 59902, 59903, 59904, 59905, 59906, 59949, 59950, 59951, 59957)

func set(codes ...int) map[int]bool {
	present := make(map[int]bool)
	for _, code := range codes {
		present[code] = true
	}
	return present
}
