package customers

import (
	"context"
	"fmt"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/customer"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Audit names of operators' acts on customers.
const (
	createCustomerAct = "create customer"
	changeCustomerAct = "change customer"
)

// CreateCustomer stores a new customer of a program under the ID that the bank assigned.
func (s *Service) CreateCustomer(
	ctx context.Context, who issuing.Operator, c customer.Customer,
) (customer.Customer, error) {
	var holder customer.Customer
	err := s.Act(ctx, who, issuing.InProgram(c.ProgramID), createCustomerAct,
		func(tx *issuing.Tx) error {
			others, err := tx.Customers().FindMany([]int{c.ID})
			if err != nil {
				return err
			}
			var taken error
			if _, ok := others[c.ID]; ok {
				taken = issuing.AlreadyExists("customer", c.ID)
			}
			holder = c
			holder.Revision = 0
			return issuing.PreferInvalid(putCustomer(tx, &holder, nil), taken)
		})
	return holder, err
}

// ChangeCustomer changes a customer at the revision that the operator read. Without a birth date,
// the customer keeps the stored one.
func (s *Service) ChangeCustomer(
	ctx context.Context, who issuing.Operator, revision int, c customer.Customer,
) (customer.Customer, error) {
	var after customer.Customer
	err := s.Act(ctx, who, issuing.InProgram(c.ProgramID), changeCustomerAct,
		func(tx *issuing.Tx) error {
			before, err := tx.Customers().Find(c.ProgramID, c.ID)
			if err != nil {
				return err
			}
			if err := issuing.CheckRevision("the customer", before.Revision, revision); err != nil {
				return err
			}
			after = c
			after.Revision = before.Revision
			if who.DryRun && !before.Birth.IsZero() { // to reveal nothing of the stored date
				before.Birth = customer.EarliestBirth(tx.Now())
			}
			if after.Birth.IsZero() {
				after.Birth = before.Birth
			}
			if customer.RestoresErased(before, after) {
				return issuing.Refuse("The customer was erased. Nothing brings the data back.")
			}
			return putCustomer(tx, &after, customerMembers(before))
		})
	return after, err
}

// putCustomer validates a customer and stores it with its audit entry. The entry is retained
// permanently, so it contains no personal data.
func putCustomer(tx *issuing.Tx, c *customer.Customer, before issuing.Members) error {
	if err := c.Validate(tx.Now()).Err(); err != nil {
		return err
	}
	open := []string{"programId", "status", "accessType", "isActive", "isLocked"}
	put := func() error { return tx.Customers().Put(*c) }
	return tx.PutPrivate(audit.Of(audit.Customer, c.ID), before, customerMembers(*c), open,
		&c.Revision, put)
}

func customerMembers(c customer.Customer) issuing.Members {
	return issuing.Members{
		"programId": c.ProgramID, "status": c.Status, "accessType": c.AccessType,
		"isActive": c.IsActive, "isLocked": c.IsLocked, "deceasedDate": value.DateText(c.Deceased),
		"birthDate": value.DateText(c.Birth), "firstName": c.FirstName, "lastName": c.LastName,
		"mobilePhone": c.MobilePhone, "homePhone": c.HomePhone, "mailingAddress": c.Mailing,
		"residenceAddress": c.Residence,
	}
}

// FindCustomer returns a customer in the operator's scope, for acts that change it. A read is
// recorded in the audit: see ReadCustomer.
func (s *Service) FindCustomer(
	ctx context.Context, who issuing.Operator, customerID int,
) (customer.Customer, error) {
	programOf := func(c customer.Customer) int { return c.ProgramID }
	return issuing.FindInScope(ctx, s.Service, who, programOf,
		func(r store.Tx) (customer.Customer, error) {
			byID, err := r.Customers().FindMany([]int{customerID})
			holder, ok := byID[customerID]
			if err == nil && !ok {
				err = fmt.Errorf("customer %d: %w", customerID, store.ErrNotFound)
			}
			return holder, err
		})
}
