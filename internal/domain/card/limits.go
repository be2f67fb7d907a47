package card

import "mintmark/internal/base/problem"

// Maximum lengths in characters.
const (
	MaxFirstName  = 64
	MaxMiddleName = 64
	MaxLastName   = 128
	MaxNameOnCard = 22 // as printed: longer names are cut off
	MaxNickName   = 50
	MaxTag        = 50
)

// The types of a card.
const (
	Debit  = "DBT"
	Credit = "CDT"
)

// Types lists the types of a card.
var Types = []string{Debit, Credit}

// LockTypes lists the lock types.
var LockTypes = []LockType{Unlocked, Customer, System}

// Signs that can be printed besides the letters A to Z. Only first and middle names may contain
// spaces.
const (
	LastNameSigns = "-'.,&"
	NameSigns     = LastNameSigns + " "
)

// Characters that can be printed, in upper case.
const (
	letters            = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lastNameCharacters = letters + LastNameSigns
	nameCharacters     = letters + NameSigns
)

// alphanumeric holds the characters of the interface's alphanumeric codes.
const alphanumeric = letters + "abcdefghijklmnopqrstuvwxyz0123456789"

// Rules checks each member of a card.
func (c Card) Rules(r *problem.Rules) {
	r.Number("cardId", c.ID, 1, problem.MaxGivenID)
	r.ID("programId", c.ProgramID)
	r.ID("customerId", c.CustomerID)
	r.ID("cardHolderCustomerId", c.HolderID)
	r.ID("binId", c.BinID)
	problem.OneOf(r, "typeCode", c.Type, Types)
	problem.OneOf(r, "status", c.Status, Statuses)
	problem.OneOf(r, "lockTypeCode", c.Lock.Type, LockTypes)
	problem.OneOf(r, "lockReasonTypeCode", c.Lock.Reason, Reasons)
	r.OptionalText("tag", c.Tag, MaxTag)
	r.Text("nickName", c.NickName, MaxNickName)
	r.Text("firstName", c.Name.First, MaxFirstName)
	printable(r, "firstName", c.Name.First, nameCharacters)
	r.OptionalText("middleName", c.Name.Middle, MaxMiddleName)
	printable(r, "middleName", c.Name.Middle, nameCharacters)
	r.Text("lastName", c.Name.Last, MaxLastName)
	printable(r, "lastName", c.Name.Last, lastNameCharacters)
	c.Attributes.Rules(r)
	r.Require("createdDate", !c.Created.IsZero())
}

// printable checks that every character of a name can be printed.
func printable(r *problem.Rules, member, name, set string) {
	signs := "hyphen, apostrophe, period, comma and ampersand"
	if set == nameCharacters {
		signs = "hyphen, apostrophe, period, comma, ampersand and space"
	}
	if !isPrintable(name, set) {
		r.Add(member, "%q may hold only the letters A to Z, %s", name, signs)
	}
}

// AccountIDs lists the accounts of a card, as an operator gives them: the first is the primary
// account, and each category fills its slots in list order.
type AccountIDs []int

// Rules checks the accounts of a card.
func (a AccountIDs) Rules(r *problem.Rules) {
	const name = "accountIds"
	r.Count(name, len(a), 1, len(Categories)*MaxSlots)
	for i, id := range a {
		r.Entry(name, i).ID("", id)
	}
	r.Must(name, problem.EachID, "")
	problem.Distinct(r, name, a)
}
