package issuing

import (
	"context"
	"fmt"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/customer"
	"mintmark/internal/store"
)

// The names of an operator's acts on customers.
const (
	createCustomerAct = "create customer"
	changeCustomerAct = "change customer"
)

// CreateCustomer keeps a new customer of a program, under the number that the bank has given it.
func (s *Service) CreateCustomer(
	ctx context.Context, who Operator, asked customer.Customer,
) (customer.Customer, error) {
	var made customer.Customer
	err := s.act(ctx, who, InProgram(asked.ProgramID), createCustomerAct, func(tx *Tx) error {
		others, err := tx.Customers().FindMany([]int{asked.ID})
		if err != nil {
			return err
		}
		var taken error
		if _, ok := others[asked.ID]; ok {
			taken = takenBy("customer", asked.ID)
		}
		made = asked
		made.Revision = 0
		return orTaken(tx.putCustomer(&made, nil), taken)
	})
	return made, err
}

// ChangeCustomer changes a customer at the revision that the operator has read. Without a birth
// date the customer keeps the one it has.
func (s *Service) ChangeCustomer(
	ctx context.Context, who Operator, revision int, asked customer.Customer,
) (customer.Customer, error) {
	var after customer.Customer
	err := s.act(ctx, who, InProgram(asked.ProgramID), changeCustomerAct, func(tx *Tx) error {
		before, err := tx.Customers().Find(asked.ProgramID, asked.ID)
		if err != nil {
			return err
		}
		if err := atRevision("the customer", before.Revision, revision); err != nil {
			return err
		}
		after = asked
		after.Revision = before.Revision
		if after.Birth.IsZero() {
			after.Birth = before.Birth
		}
		return tx.putCustomer(&after, customerMembers(before))
	})
	return after, err
}

// putCustomer stores a customer with its entry, or returns what is wrong with it. The entry is kept
// for ever, so it has none of what says something about a person.
func (tx *Tx) putCustomer(c *customer.Customer, before members) error {
	if err := orInvalid(c.Validate(tx.Now())); err != nil {
		return err
	}
	open := []string{"programId", "status", "accessType", "isActive", "isLocked"}
	put := func() error { return tx.Customers().Put(*c) }
	return tx.putPrivate(audit.Of(audit.Customer, c.ID), before, customerMembers(*c), open,
		&c.Revision, put)
}

func customerMembers(c customer.Customer) members {
	return members{
		"programId": c.ProgramID, "status": c.Status, "accessType": c.AccessType,
		"isActive": c.IsActive, "isLocked": c.IsLocked, "deceasedDate": dateText(c.Deceased),
		"birthDate": dateText(c.Birth), "firstName": c.FirstName, "lastName": c.LastName,
		"mobilePhone": c.MobilePhone, "homePhone": c.HomePhone, "mailingAddress": c.Mailing,
		"residenceAddress": c.Residence,
	}
}

// dateText is a calendar date, nothing for a zero one.
func dateText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// FindCustomer returns a customer of the operator's scope. It is for acts that change it; a read is
// in the audit: see ReadCustomer.
func (s *Service) FindCustomer(
	ctx context.Context, who Operator, customerID int,
) (customer.Customer, error) {
	var found customer.Customer
	err := s.store.View(ctx, func(r store.Tx) error {
		byID, err := r.Customers().FindMany([]int{customerID})
		one, there := byID[customerID]
		if err == nil && !there {
			err = fmt.Errorf("customer %d: %w", customerID, store.ErrNotFound)
		}
		found = one
		return err
	})
	if err == nil {
		_, err = s.programInScope(ctx, who, found.ProgramID)
	}
	if err != nil {
		return customer.Customer{}, faultOf(err)
	}
	return found, nil
}
