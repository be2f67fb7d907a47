package card

import "mintmark/internal/base/problem"

// Greatest lengths in characters.
const (
	MaxFirstName  = 64
	MaxMiddleName = 64
	MaxLastName   = 128
	MaxNameOnCard = 22 // printed: what does not fit is cut off
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

// Signs that can be printed beside the letters A to Z. A space may stand in first and middle names
// only.
const (
	LastNameSigns = "-'.,&"
	NameSigns     = LastNameSigns + " "
)

// Characters that can be printed, in capitals.
const (
	letters            = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lastNameCharacters = letters + LastNameSigns
	nameCharacters     = letters + NameSigns
)

// Characters of the interface's alphanumeric codes.
const alphanumeric = letters + "abcdefghijklmnopqrstuvwxyz0123456789"

// Rules tells what each member of a card must be.
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
	r.MayText("tag", c.Tag, MaxTag)
	r.Text("nickName", c.NickName, MaxNickName)
	r.Text("firstName", c.Name.First, MaxFirstName)
	printable(r, "firstName", c.Name.First, nameCharacters)
	r.MayText("middleName", c.Name.Middle, MaxMiddleName)
	printable(r, "middleName", c.Name.Middle, nameCharacters)
	r.Text("lastName", c.Name.Last, MaxLastName)
	printable(r, "lastName", c.Name.Last, lastNameCharacters)
	c.Attributes.Rules(r)
	r.Require("createdDate", !c.Created.IsZero())
}

// printable is the rule of a name whose characters can be printed.
func printable(r *problem.Rules, member, name, set string) {
	signs := "hyphen, apostrophe, period, comma and ampersand"
	if set == nameCharacters {
		signs = "hyphen, apostrophe, period, comma, ampersand and space"
	}
	if !isPrintable(name, set) {
		r.Add(member, "%q may hold only the letters A to Z, %s", name, signs)
	}
}

// AccountIDs are the accounts of a card, as an operator lists them: the first is the primary one,
// and each category takes its slots in the order of the list.
type AccountIDs []int

// Rules tells what the accounts of a card must be.
func (a AccountIDs) Rules(r *problem.Rules) {
	const name = "accountIds"
	r.Count(name, len(a), 1, len(Categories)*MaxSlots)
	for i, id := range a {
		r.Entry(name, i).ID("", id)
	}
	r.Must(name, problem.EachID, "")
	problem.Distinct(r, name, a)
}
