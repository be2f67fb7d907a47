package customer

import (
	"strings"

	"mintmark/internal/base/problem"
)

// Maximum lengths in characters.
const (
	MaxFirstName   = 64
	MaxLastName    = 128
	MaxPhone       = 20
	MaxLine        = 100 // of an address
	MaxCity        = 50
	MaxRegion      = 50
	MaxPostalCode  = 20
	MaxCountry     = 50
	MaxAccountName = 50
	MaxAccountTag  = 50
)

// The number of digits of an account number.
const (
	MinAccountDigits = 4
	MaxAccountDigits = 17
)

// shownAccountDigits is the number of digits that a masked account number shows.
const shownAccountDigits = 4

// minPhoneDigits is the number of digits of the shortest telephone numbers.
const minPhoneDigits = 5

// maxAgeYears is the maximum age in years. It catches mistyped birth dates.
const maxAgeYears = 130

// AccountAccesses lists the levels of a customer's access to an account.
var AccountAccesses = []AccountAccess{FullAccess, ReadOnly, NoAccess}

// Rules checks each member of a customer.
func (c Customer) Rules(r *problem.Rules) {
	r.ID("customerId", c.ID)
	r.ID("programId", c.ProgramID)
	problem.OneOf(r, "status", c.Status, Statuses)
	problem.OneOf(r, "access", c.AccessType, AccessTypes)
	r.OptionalDate("deceasedDate", c.Deceased)
	r.Require("birthDate", !c.Birth.IsZero())
	r.OptionalDate("birthDate", c.Birth)
	r.Name("firstName", c.FirstName, MaxFirstName)
	r.Name("lastName", c.LastName, MaxLastName)
	phone(r, "mobilePhone", c.MobilePhone)
	phone(r, "homePhone", c.HomePhone)
	if c.Mailing != (Address{}) {
		c.Mailing.Rules(r.In("mailing"))
	}
	if c.Residence != (Address{}) {
		c.Residence.Rules(r.In("residence"))
	}
}

// phone checks an optional telephone number.
func phone(r *problem.Rules, name, text string) {
	r.OptionalText(name, text, MaxPhone)
	if text != "" && !isPhone(text) {
		r.Add(name, "%q is not a telephone number", text)
	}
}

// isPhone reports whether a string has enough digits and otherwise only the characters that people
// write between them.
func isPhone(text string) bool {
	digits := 0
	for _, letter := range text {
		switch {
		case letter >= '0' && letter <= '9':
			digits++
		case !strings.ContainsRune("+()-./ x", letter):
			return false
		}
	}
	return digits >= minPhoneDigits
}

// Rules checks each member of an address.
func (a Address) Rules(r *problem.Rules) {
	r.Text("line1", a.Line1, MaxLine)
	r.OptionalText("line2", a.Line2, MaxLine)
	r.Text("city", a.City, MaxCity)
	r.OptionalText("region", a.Region, MaxRegion)
	r.Text("postalCode", a.PostalCode, MaxPostalCode)
	r.Text("country", a.Country, MaxCountry)
}

// Rules checks each member of an account.
func (a Account) Rules(r *problem.Rules) {
	r.ID("accountId", a.ID)
	r.ID("programId", a.ProgramID)
	r.ID("customerId", a.CustomerID)
	problem.OneOf(r, "type", a.Type, AccountTypes)
	problem.OneOf(r, "status", a.Status, AccountStatuses)
	r.Text("name", a.Name, MaxAccountName)
	r.OptionalText("tag", a.Tag, MaxAccountTag)
	r.Require("accountNumber", a.NumberMasked != "")
	if !isMasked(a.NumberMasked) {
		r.Add("accountNumber", "must be masked, but for its last %d digits", shownAccountDigits)
	}
}

func isMasked(number string) bool {
	hidden := len(number) - shownAccountDigits
	return hidden >= 0 && len(number) >= MinAccountDigits && len(number) <= MaxAccountDigits &&
		strings.Trim(number[:hidden], "*") == "" &&
		strings.Trim(number[hidden:], "0123456789") == ""
}

// AccountNumber is the full number of an account, as an operator writes it.
type AccountNumber string

// Rules checks the account number.
func (n AccountNumber) Rules(r *problem.Rules) {
	r.Digits("accountNumber", string(n), MinAccountDigits, MaxAccountDigits)
}

// Masked returns the account number with asterisks in place of all but its last digits. It leaves a
// number that is already masked unchanged.
func (n AccountNumber) Masked() string {
	hidden := max(0, len(n)-shownAccountDigits)
	return strings.Repeat("*", hidden) + string(n[hidden:])
}

// Rules checks each member of an access.
func (a Access) Rules(r *problem.Rules) {
	r.ID("customerId", a.CustomerID)
	r.ID("accountId", a.AccountID)
	problem.OneOf(r, "access", a.Type, AccountAccesses)
}
