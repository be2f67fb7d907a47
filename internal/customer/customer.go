// Package customer knows the customers of a program, their accounts, and who may do what with
// which account. They come from the operator's side; the card operations only read them. Which
// account a card draws on belongs to package card.
package customer

import (
	"time"

	"mintmark/internal/fault"
)

// Status is how far the bank is with a customer.
type Status string

// The statuses of a customer.
const (
	Initiated    Status = "Initiated"
	ManualReview Status = "Manual Review"
	Verified     Status = "Verified"
	Denied       Status = "Denied"
	Archived     Status = "Archived"
)

// Statuses lists the statuses of a customer.
var Statuses = []Status{Initiated, ManualReview, Verified, Denied, Archived}

// AccessType says what a customer may do at all (section 5, 4).
type AccessType string

// The access types of a customer. None stands for no access.
const (
	Full        AccessType = "FULL"
	AccountOnly AccessType = "ACCT"
	CardOnly    AccessType = "CARD"
	None        AccessType = "NONE"
)

// AccessTypes lists the access types of a customer.
var AccessTypes = []AccessType{Full, AccountOnly, CardOnly, None}

// Customer is a person the bank knows.
type Customer struct {
	ID         int
	ProgramID  int
	Status     Status
	AccessType AccessType
	IsActive   bool
	IsLocked   bool
	Deceased   time.Time // a calendar date; zero while alive
	Birth      time.Time // a calendar date
	FirstName  string
	LastName   string

	MobilePhone string
	HomePhone   string
	Mailing     Address
	Residence   Address
}

// Address is a postal address. The zero value stands for none.
type Address struct {
	Line1      string `json:"line1"`
	Line2      string `json:"line2,omitempty"`
	City       string `json:"city"`
	Region     string `json:"region,omitempty"`
	PostalCode string `json:"postalCode"`
	Country    string `json:"country"`
}

// Check returns the fault that keeps the customer from any card operation, or nil. The order is
// fixed: inactive or archived, deceased, locked, not verified (section 7.1, 60002 to 60005).
func (c Customer) Check() error {
	switch {
	case !c.IsActive || c.Status == Archived:
		return fault.New(fault.CustomerInactive, c.ID)
	case !c.Deceased.IsZero():
		return fault.New(fault.CustomerDeceased, c.ID)
	case c.IsLocked:
		return fault.New(fault.CustomerLocked, c.ID)
	case c.Status != Verified:
		return fault.New(fault.CustomerNotVerified, c.ID)
	}
	return nil
}

// CheckHolder returns the fault that keeps the customer from holding a card, or nil (150206 and
// 150207 of section 7.2). What keeps anybody from acting stands in the place of the status.
func (c Customer) CheckHolder() error {
	switch {
	case !c.IsActive:
		return fault.New(fault.HolderStatus, c.ID, "Inactive")
	case !c.Deceased.IsZero():
		return fault.New(fault.HolderStatus, c.ID, "Deceased")
	case c.IsLocked:
		return fault.New(fault.HolderStatus, c.ID, "Locked")
	}
	switch c.Status {
	case Initiated, ManualReview, Verified:
	default:
		return fault.New(fault.HolderStatus, c.ID, c.Status)
	}
	switch c.AccessType {
	case Full, AccountOnly, CardOnly:
		return nil
	}
	return fault.New(fault.HolderAccessType, c.ID, c.AccessType)
}

// CheckReachable returns the fault that keeps cards from being created for the customer: the
// bank must be able to call and to write (150231, then 150232 of section 7.2).
func (c Customer) CheckReachable() error {
	if c.MobilePhone == "" && c.HomePhone == "" {
		return fault.New(fault.PhoneRequired, c.ID)
	}
	if c.Mailing == (Address{}) && c.Residence == (Address{}) {
		return fault.New(fault.AddressRequired, c.ID)
	}
	return nil
}

// ManagesAccounts reports whether the customer's own access type lets it change which accounts
// a card draws on (section 4.2, addAccount).
func (c Customer) ManagesAccounts() bool {
	return c.AccessType == Full || c.AccessType == AccountOnly
}

// BornOn reports whether the date is the customer's birth date, as a calendar date.
func (c Customer) BornOn(year int, month time.Month, day int) bool {
	y, m, d := c.Birth.Date()
	return y == year && m == month && d == day
}
