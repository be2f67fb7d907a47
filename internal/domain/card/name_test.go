package card

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestNameOnCard(t *testing.T) {
	for _, test := range []struct{ first, middle, last, want string }{
		{"Ann", "", "Lee", "ANN LEE"},
		{"Ann", "B.", "Lee", "ANN B. LEE"},
		{"", "", "Lee", "LEE"},
		{"Maximiliane", "Ann", "Lee", "MAXIMILIANE ANN LEE"},
		{"Maximiliane", "Ann-Sophi", "Lee", "MAXIMILIANE ANN-SOPHI "},
		{"Maximiliane", "Ann-Soph", "Lee", "MAXIMILIANE ANN-SOPH L"},
		{"Bartholomew-Alexander", "", "X", "BARTHOLOMEW-ALEXANDER "},
		{"Bartholomew-Alexanders", "", "X", "BARTHOLOMEW-ALEXANDERS"},
	} {
		if got := NewName(test.first, test.middle, test.last).OnCard(); got != test.want {
			t.Errorf("%+v is printed %q", test, got)
		}
	}
}

// TestNameOnCardCutsBetweenCharacters checks that names with any letters, which an import may
// contain, are cut between characters.
func TestNameOnCardCutsBetweenCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 30, -1)
		name := NewName(text.Draw(t, "first"), text.Draw(t, "middle"), text.Draw(t, "last"))
		printed := name.OnCard()
		if !utf8.ValidString(printed) || utf8.RuneCountInString(printed) > 22 {
			t.Fatalf("%+v is printed %q", name, printed)
		}
	})
}
