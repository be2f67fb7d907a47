package card

import "strings"

// Name is a holder's name as printed on the card, in upper case.
type Name struct {
	First  string `json:"firstName"`
	Middle string `json:"middleName,omitempty"`
	Last   string `json:"lastName"`
}

// NewName returns a name with its parts in upper case.
func NewName(first, middle, last string) Name {
	return Name{upper(first), upper(middle), upper(last)}
}

// OnCard returns the printed name: the non-empty parts joined by single spaces, cut to
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

// printsLetter reports whether the printed name contains a letter.
func (n Name) printsLetter() bool { return strings.ContainsAny(n.OnCard(), letters) }

// upper converts only the letters a to z to upper case. No other letter can be printed, not even
// one whose capital could be, such as the dotless i.
func upper(text string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, text)
}
