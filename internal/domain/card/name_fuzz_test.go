package card

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzName checks any name. An accepted name is printable: at most 22 of the characters that the
// interface allows, at least one of them a letter.
func FuzzName(f *testing.F) {
	f.Add("Ada", "", "Example")
	f.Add("jürgen", "d'", "O'Neil-Smith, Jr.")
	f.Add("ſ", "ı", "K") // letters whose upper case is ASCII
	f.Add(strings.Repeat("A", 64), strings.Repeat(" ", 64), strings.Repeat("-", 128))
	f.Fuzz(func(t *testing.T, first, middle, last string) {
		application := Application{
			FirstName: first, MiddleName: middle, LastName: last,
			NickName: "Nick", VendorTypeCode: "VS",
		}
		if application.Check() != nil {
			return
		}
		printed := application.Name().OnCard()
		if strings.Trim(printed, nameCharacters) != "" {
			t.Errorf("%q, %q, %q print as %q", first, middle, last, printed)
		}
		if length := utf8.RuneCountInString(printed); length == 0 || length > MaxNameOnCard {
			t.Errorf("%q has %d characters", printed, length)
		}
		if !strings.ContainsAny(printed, letters) {
			t.Errorf("%q has no letter", printed)
		}
	})
}
