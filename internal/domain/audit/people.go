package audit

import "regexp"

// What an entry says of the people of a card stands in it sealed, under a key that goes when they
// are erased. The hash of the entry covers the sealed text, so it holds for ever. Entries of
// earlier versions have these texts in the clear.

// Erased stands for a text whose key is gone.
const Erased = "erased"

// ofPeople finds the members of a state that say something about a person, with their texts as
// JSON writes them. Inside a text of JSON a quotation mark stands behind a backslash, so what looks
// like a member there is none.
var (
	ofPeople = regexp.MustCompile(`"(nameOnCard|nickName)":"((?:[^"\\]|\\.)*)"`)
	sealed   = regexp.MustCompile(`"(nameOnCard|nickName)":"sealed:([A-Za-z0-9_-]*)"`)
)

// NamesPeople reports whether a state has members that say something about a person.
func NamesPeople(state string) bool { return ofPeople.MatchString(state) }

// HasSealed reports whether a state has members that are sealed.
func HasSealed(state string) bool { return sealed.MatchString(state) }

// SealPeople returns a state whose members about people are sealed by a function, which is handed
// the member's name and its text as JSON writes it. It returns base64 for URLs.
func SealPeople(state string, seal func(member, text string) (string, error)) (string, error) {
	var failed error
	done := ofPeople.ReplaceAllStringFunc(state, func(s string) string {
		parts := ofPeople.FindStringSubmatch(s)
		text, err := seal(parts[1], parts[2])
		if err != nil {
			failed = err
		}
		return `"` + parts[1] + `":"sealed:` + text + `"`
	})
	return done, failed
}

// OpenPeople returns a state whose sealed members are opened by a function. A member that it cannot
// open reads Erased.
func OpenPeople(state string, open func(member, sealed string) (string, error)) string {
	return sealed.ReplaceAllStringFunc(state, func(s string) string {
		parts := sealed.FindStringSubmatch(s)
		text, err := open(parts[1], parts[2])
		if err != nil {
			text = Erased
		}
		return `"` + parts[1] + `":"` + text + `"`
	})
}
