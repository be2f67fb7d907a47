package card

import "strings"

// maxNameOnCard is how many characters are printed (section 8).
const maxNameOnCard = 22

// Name is a holder's name as it is printed, in upper case.
type Name struct {
	First, Middle, Last string
}

// NewName upper-cases the parts of a name.
func NewName(first, middle, last string) Name {
	return Name{strings.ToUpper(first), strings.ToUpper(middle), strings.ToUpper(last)}
}

// OnCard returns what is printed: the parts that are there joined by single spaces, the first 22
// characters of them (section 8, printed name).
func (n Name) OnCard() string {
	var parts []string
	for _, part := range []string{n.First, n.Middle, n.Last} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	printed := []rune(strings.Join(parts, " "))
	return string(printed[:min(len(printed), maxNameOnCard)])
}
