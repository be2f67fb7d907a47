package card

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/fault"
)

// Application is the part of a request to create a card that describes the card itself, as the
// caller sent it. Check validates it, except for the account, which requires stored data.
type Application struct {
	VendorTypeCode   string `json:"vendorTypeCode"`
	TypeCode         string `json:"typeCode"`
	PrimaryAccountID int    `json:"primaryAccountId"`
	FirstName        string `json:"firstName"`
	MiddleName       string `json:"middleName"`
	LastName         string `json:"lastName"`
	NickName         string `json:"nickName"`
	Tag              string `json:"tag"`
	Attributes
}

// valueRequired is a text of ValueNotAcceptable that this implementation chose.
const valueRequired = "A value is required."

// Check makes every check that needs only the application, in the order of the faults in the
// response. It returns at most one fault for each property, and none that depends on a value that
// is already invalid.
func (a Application) Check() error {
	var list findings
	if a.FirstName == "" || a.LastName == "" {
		list.add("names", fault.NamesRequired)
	}
	list.printable("firstName", a.FirstName, nameCharacters, fault.FirstNameCharacters)
	list.printable("middleName", a.MiddleName, nameCharacters, fault.MiddleNameCharacters)
	list.printable("lastName", a.LastName, lastNameCharacters, fault.LastNameCharacters)
	// If a name is already invalid, its printed form needs no second fault.
	if len(list.faults) == 0 && !a.Name().printsLetter() {
		list.add("nameOnCard", fault.NameOnCardRequired)
	}
	if _, known := codeOf(a.VendorTypeCode, pan.Vendors); !known {
		list.add("vendorTypeCode", fault.VendorTypeCodeInvalid, a.VendorTypeCode)
	}
	if _, known := codeOf(a.typeCode(), Types); !known {
		list.add("typeCode", fault.TypeCodeInvalid, a.TypeCode)
	}
	if a.NickName == "" {
		list.add("nickName", fault.ValueNotAcceptable, "nickName", valueRequired)
	}
	list.atMost("firstName", a.FirstName, MaxFirstName)
	list.atMost("middleName", a.MiddleName, MaxMiddleName)
	list.atMost("lastName", a.LastName, MaxLastName)
	list.atMost("nickName", a.NickName, MaxNickName)
	list.atMost("tag", a.Tag, MaxTag)
	list.attributes(a.Attributes)
	return list.faults.Err()
}

// Name returns the name as printed on the card.
func (a Application) Name() Name { return NewName(a.FirstName, a.MiddleName, a.LastName) }

// Type returns the card type in the interface's spelling; a debit card if the request names none.
func (a Application) Type() string {
	code, _ := codeOf(a.typeCode(), Types)
	return code
}

// Vendor returns the vendor in the interface's spelling.
func (a Application) Vendor() string {
	code, _ := codeOf(a.VendorTypeCode, pan.Vendors)
	return code
}

func (a Application) typeCode() string {
	if a.TypeCode == "" {
		return Debit
	}
	return a.TypeCode
}

// findings collects the faults of one stage, at most one for each property.
type findings struct {
	faults fault.List
	wrong  map[string]bool
}

func (f *findings) add(property string, kind fault.Kind, args ...any) {
	if f.wrong[property] {
		return
	}
	if f.wrong == nil {
		f.wrong = make(map[string]bool)
	}
	f.wrong[property] = true
	f.faults.Add(kind, args...)
}

// printable adds a fault for a name that, in upper case, has a character outside the set.
func (f *findings) printable(property, name, set string, kind fault.Kind) {
	if !isPrintable(upper(name), set) {
		f.add(property, kind, name)
	}
}

func isPrintable(name, set string) bool { return strings.Trim(name, set) == "" }

func (f *findings) atMost(property, text string, limit int) {
	if utf8.RuneCountInString(text) > limit {
		f.add(property, fault.ValueNotAcceptable, property,
			fmt.Sprintf("At most %d characters are allowed.", limit))
	}
}

// codeOf returns the known code that equals the text, ignoring case.
func codeOf(text string, known []string) (string, bool) {
	for _, code := range known {
		if strings.EqualFold(text, code) {
			return code, true
		}
	}
	return "", false
}
