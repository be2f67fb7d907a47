// Package customer defines the customers of a program, their accounts, and their access to
// accounts. Operators and banks write them; the card operations only read them. Package card
// defines which account a card draws on.
package customer

import (
	"time"

	"mintmark/internal/domain/fault"
)

// Status is the status of a customer at the bank.
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

// AccessType is what a customer is generally allowed to do (interface §7.4).
type AccessType string

// The access types of a customer. None means no access.
const (
	Full        AccessType = "FULL"
	AccountOnly AccessType = "ACCT"
	CardOnly    AccessType = "CARD"
	None        AccessType = "NONE"
)

// AccessTypes lists the access types of a customer.
var AccessTypes = []AccessType{Full, AccountOnly, CardOnly, None}

// Standing is the part of a customer that most acts need: who the customer is and what it may do.
// It is read without names, telephone numbers and addresses, which cost more to read than all of
// this.
type Standing struct {
	ID         int
	ProgramID  int
	Status     Status
	AccessType AccessType
	IsActive   bool
	IsLocked   bool
	Deceased   time.Time // a calendar date; zero while alive
	Birth      time.Time // a calendar date
}

// Customer is a customer of the bank.
type Customer struct {
	Standing

	FirstName string
	LastName  string

	MobilePhone string
	HomePhone   string
	Mailing     Address
	Residence   Address

	Revision int // counts the changes of the stored customer; 0 for a new customer
}

// Address is a postal address. The zero value means no address.
type Address struct {
	Line1      string `json:"line1"`
	Line2      string `json:"line2,omitempty"`
	City       string `json:"city"`
	Region     string `json:"region,omitempty"`
	PostalCode string `json:"postalCode"`
	Country    string `json:"country"`
}

// Check returns the fault that prevents the customer from using any card operation, or nil. The
// order of the checks is fixed: inactive or archived, deceased, locked, not verified (interface
// §7.3).
func (s Standing) Check() error {
	switch {
	case !s.IsActive || s.Status == Archived:
		return fault.New(fault.CustomerInactive, s.ID)
	case !s.Deceased.IsZero():
		return fault.New(fault.CustomerDeceased, s.ID)
	case s.IsLocked:
		return fault.New(fault.CustomerLocked, s.ID)
	case s.Status != Verified:
		return fault.New(fault.CustomerNotVerified, s.ID)
	}
	return nil
}

// CheckHolder returns the fault that prevents the customer from holding a card, or nil
// (fault.HolderStatus and fault.HolderAccessType). For an inactive, deceased or locked customer the
// fault shows that instead of the status.
func (s Standing) CheckHolder() error {
	switch {
	case !s.IsActive:
		return fault.New(fault.HolderStatus, s.ID, "Inactive")
	case !s.Deceased.IsZero():
		return fault.New(fault.HolderStatus, s.ID, "Deceased")
	case s.IsLocked:
		return fault.New(fault.HolderStatus, s.ID, "Locked")
	}
	switch s.Status {
	case Initiated, ManualReview, Verified:
	default:
		return fault.New(fault.HolderStatus, s.ID, s.Status)
	}
	if !s.UsesCards() {
		return fault.New(fault.HolderAccessType, s.ID, s.AccessType)
	}
	return nil
}

// CheckReachable returns the fault that prevents cards from being created for the customer, or nil:
// the bank must have a telephone number and an address (fault.PhoneRequired, then
// fault.AddressRequired).
func (c Customer) CheckReachable() error {
	if c.MobilePhone == "" && c.HomePhone == "" {
		return fault.New(fault.PhoneRequired, c.ID)
	}
	if c.Mailing == (Address{}) && c.Residence == (Address{}) {
		return fault.New(fault.AddressRequired, c.ID)
	}
	return nil
}

// ManagesAccounts reports whether the customer's own access type allows it to change the accounts
// that a card draws on (interface §7.4).
func (s Standing) ManagesAccounts() bool {
	return s.AccessType == Full || s.AccessType == AccountOnly
}

// UsesCards reports whether the customer's own access type allows it to act on cards, hold them and
// pay with them (interface §7.4).
func (s Standing) UsesCards() bool { return s.ManagesAccounts() || s.AccessType == CardOnly }

// MayPay reports whether cards that the customer created or holds may be used.
func (s Standing) MayPay() bool { return s.Obstacle() == "" }

// Obstacle returns why cards that the customer created or holds may not be used, or "" if they may.
func (s Standing) Obstacle() string {
	switch {
	case s.Status == Archived:
		return "archived"
	case !s.IsActive:
		return "inactive"
	case !s.Deceased.IsZero():
		return "deceased"
	case s.IsLocked:
		return "locked"
	case s.Status != Verified:
		return "not verified"
	case !s.UsesCards():
		return "without access to cards"
	}
	return ""
}

// BornOn reports whether the calendar date is the customer's birth date.
func (s Standing) BornOn(year int, month time.Month, day int) bool {
	y, m, d := s.Birth.Date()
	return y == year && m == month && d == day
}

// The name of an erased customer.
const (
	ErasedFirstName = "Erased"
	ErasedLastName  = "customer"
)

// Erased returns the customer without personal data. It keeps its ID, status and access type, and
// can no longer act.
func (c Customer) Erased() Customer {
	c.IsActive, c.Deceased, c.Birth = false, time.Time{}, time.Time{}
	c.FirstName, c.LastName = ErasedFirstName, ErasedLastName
	c.MobilePhone, c.HomePhone = "", ""
	c.Mailing, c.Residence = Address{}, Address{}
	return c
}

// IsErased reports whether the customer was erased by Erased.
func (c Customer) IsErased() bool { return c == c.Erased() }

// RestoresErased reports whether a change gives an erased customer personal data again.
func RestoresErased(before, after Customer) bool { return before.IsErased() && !after.IsErased() }
