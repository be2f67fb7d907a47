package audit

import "regexp"

// The strings about the people of a card are sealed within an entry, under a key that is deleted
// when they are erased. The hash of the entry covers the sealed string, so it stays valid
// permanently. Entries of earlier versions have these strings in the clear.

// Erased replaces a string whose key was deleted.
const Erased = "erased"

// ofPeople matches the members of a state that describe a person, with their values as escaped in
// JSON. Within a JSON string a quotation mark follows a backslash, so nothing in it can look like
// such a member.
var (
	ofPeople = regexp.MustCompile(`"(nameOnCard|nickName)":"((?:[^"\\]|\\.)*)"`)
	sealed   = regexp.MustCompile(`"(nameOnCard|nickName)":"sealed:([A-Za-z0-9_-]*)"`)
)

// NamesPeople reports whether a state has members that describe a person.
func NamesPeople(state string) bool { return ofPeople.MatchString(state) }

// HasSealed reports whether a state has sealed members.
func HasSealed(state string) bool { return sealed.MatchString(state) }

// EncryptPeople returns a state in which seal has encrypted the members that describe people. It
// calls seal with a member's name and its JSON-escaped value; seal returns URL-safe base64.
func EncryptPeople(state string, seal func(member, text string) (string, error)) (string, error) {
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

// OpenPeople returns a state in which open has decrypted the sealed members. A member for which
// open fails becomes Erased.
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
