package operator

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"go.mau.fi/util/confusable"
	"golang.org/x/text/unicode/norm"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
)

// MaxName is the maximum length of a name, in characters.
const MaxName = 50

// CheckName records the problems of the name of an operator or a token.
func CheckName(path, name string, wrong *problem.List) {
	length := utf8.RuneCountInString(name)
	switch {
	case name == "":
		wrong.Add(path, "is required")
	case length > MaxName:
		wrong.Add(path, "must have at most %d characters", MaxName)
	case name != strings.TrimSpace(name) || strings.ContainsFunc(name, unicode.IsControl) ||
		!utf8.ValidString(name):
		wrong.Add(path, "must neither begin nor end with a space, nor hold control characters")
	case strings.ContainsFunc(name, isInvisible):
		wrong.Add(path, "must have no invisible characters, such as marks of direction")
	case pan.MayContain(name):
		wrong.Add(path, "must not hold a card number")
	case mixesScripts(norm.NFKC.String(name)):
		wrong.Add(path, "must not mix Latin letters with letters that look like them")
	}
}

// isInvisible reports whether a character is invisible, other than a plain space.
func isInvisible(r rune) bool { return r != ' ' && (unicode.IsSpace(r) || !unicode.IsGraphic(r)) }

// mixesScripts reports whether a name has Latin letters and also letters of another script that
// look like Latin ones.
func mixesScripts(name string) bool {
	latin, alike := false, false
	for _, r := range name {
		switch {
		case unicode.Is(unicode.Latin, r):
			latin = true
		case unicode.IsLetter(r):
			looks, size := utf8.DecodeRuneInString(confusable.Skeleton(string(r)))
			alike = alike || size == 1 && unicode.IsLetter(looks)
		}
	}
	return latin && alike
}

// FoldName returns the same string for names that look alike: those that differ only in letter
// case, width, spaces, or letters that look like one another (Unicode TR 39).
func FoldName(name string) string {
	name = strings.ToLower(norm.NFKC.String(strings.Join(strings.Fields(name), " ")))
	name = strings.ToLower(confusable.Skeleton(name))
	return strings.ReplaceAll(name, "l", "i") // a capital i looks like an l
}

// Named returns the person to whom a typed name refers: the person with exactly this name, or else
// the only one whose name looks like it.
func Named(people []Person, name string) (person Person, ok bool) {
	folded, alike := FoldName(name), 0
	for _, p := range people {
		switch {
		case p.Name == name:
			return p, true
		case FoldName(p.Name) == folded:
			person, alike = p, alike+1
		}
	}
	if alike != 1 {
		return Person{}, false
	}
	return person, true
}
