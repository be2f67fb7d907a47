package card

import "strings"

// Name is a holder's name as it is printed, in upper case.
type Name struct {
	First  string `json:"firstName"`
	Middle string `json:"middleName,omitempty"`
	Last   string `json:"lastName"`
}

// NewName upper-cases the parts of a name.
func NewName(first, middle, last string) Name {
	return Name{upper(first), upper(middle), upper(last)}
}

// OnCard returns what is printed: the parts that are there joined by single spaces, cut to
// MaxNameOnCard characters.
func (n Name) OnCard() string {
	parts := make([]string, 0, 3)
	for _, part := range []string{n.First, n.Middle, n.Last} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	printed := strings.Join(parts, " ")
	count := 0
	for at := range printed {
		if count == MaxNameOnCard {
			return printed[:at]
		}
		count++
	}
	return printed
}

// printsLetter reports whether the printed name holds a letter.
func (n Name) printsLetter() bool { return strings.ContainsAny(n.OnCard(), letters) }

// upper makes capitals of the letters a to z. Letters beyond them have no place on a card, not even
// those, like the dotless i, whose capital would have one.
func upper(text string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, text)
}
