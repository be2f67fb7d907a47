package feed

import (
	"strconv"

	"mintmark/internal/base/strictjson"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
)

// takeCustomer compares a customer row with the stored customer and writes the difference.
func (p *pass) takeCustomer(at row) error {
	before := p.customers[at.customerID]
	if at.deletes {
		return p.deleteCustomer(at, before)
	}
	after := before
	if before.ID == 0 {
		after = customer.Customer{Standing: customer.Standing{
			ID: at.customerID, ProgramID: p.head.ProgramID, IsActive: true,
		}}
	}
	patchCustomer(members{at.Object}, &after)
	problems := at.Rest()
	p.leaveErased(at, before, &after)
	problems = append(problems, withoutKnown(after.Validate(p.r.Now()), problems)...)
	fine := p.problems.AddAll(at.line, problems)
	if p.noteCustomer(at, after) && fine && p.isOurs(at, "customerId", before.ProgramID) {
		return p.putCustomer(at, before, after)
	}
	return nil
}

func (p *pass) putCustomer(at row, before, after customer.Customer) error {
	c := p.change(at, strconv.Itoa(at.customerID), before.ID == 0)
	diffCustomers(before, after, c.add)
	p.customers[at.customerID] = after
	return p.settle(c, func() error {
		err := p.tx.Customers().Put(after)
		after.Revision++
		p.customers[at.customerID] = after
		return err
	})
}

// patchCustomer overwrites the members of a customer with those of a row.
func patchCustomer(m members, c *customer.Customer) {
	textOf(m, "status", &c.Status)
	textOf(m, "access", &c.AccessType)
	m.text("firstName", &c.FirstName)
	m.text("lastName", &c.LastName)
	m.date("birthDate", &c.Birth)
	m.date("deceasedDate", &c.Deceased)
	m.text("mobilePhone", &c.MobilePhone)
	m.text("homePhone", &c.HomePhone)
	m.boolean("isActive", true, &c.IsActive)
	m.boolean("isLocked", false, &c.IsLocked)
	patchAddress(m, "mailing", &c.Mailing)
	patchAddress(m, "residence", &c.Residence)
}

func patchAddress(m members, name string, a *customer.Address) {
	if m.Has(name) && m.Raw(name) == nil {
		*a = customer.Address{}
	}
	m.Nested(name, func(o *strictjson.Object) {
		inside := members{o}
		inside.text("line1", &a.Line1)
		inside.text("line2", &a.Line2)
		inside.text("city", &a.City)
		inside.text("region", &a.Region)
		inside.text("postalCode", &a.PostalCode)
		inside.text("country", &a.Country)
	})
}

// diffCustomers calls tell for each member in which two customers differ.
func diffCustomers(before, after customer.Customer, tell func(path string, from, to any)) {
	differ(tell, "status", string(before.Status), string(after.Status))
	differ(tell, "access", string(before.AccessType), string(after.AccessType))
	differ(tell, "isActive", before.IsActive, after.IsActive)
	differ(tell, "isLocked", before.IsLocked, after.IsLocked)
	differ(tell, "firstName", before.FirstName, after.FirstName)
	differ(tell, "lastName", before.LastName, after.LastName)
	differ(tell, "birthDate", value.DateText(before.Birth), value.DateText(after.Birth))
	differ(tell, "deceasedDate", value.DateText(before.Deceased), value.DateText(after.Deceased))
	differ(tell, "mobilePhone", before.MobilePhone, after.MobilePhone)
	differ(tell, "homePhone", before.HomePhone, after.HomePhone)
	differ(tell, "mailing", before.Mailing, after.Mailing)
	differ(tell, "residence", before.Residence, after.Residence)
}

func differ[T comparable](tell func(path string, from, to any), path string, before, after T) {
	if before != after {
		tell(path, before, after)
	}
}

// deleteCustomer archives a customer. The customer's row stays in the store, because cards,
// postings and the audit log refer to it.
func (p *pass) deleteCustomer(at row, before customer.Customer) error {
	fine := p.problems.AddAll(at.line, at.Rest())
	after := before
	after.Status = customer.Archived
	if !p.noteCustomer(at, after) || !fine || !p.isOurs(at, "customerId", before.ProgramID) {
		return nil
	}
	if before.ID == 0 {
		p.problems.Add(at.line, "customerId", "there is no customer %d", at.customerID)
		return nil
	}
	if before.Status != customer.Archived {
		uses, err := p.r.Feeds().CountUses(at.customerID)
		if err != nil {
			return err
		}
		uses.Accounts += p.openedFor(at.customerID)
		if uses.Cards > 0 || uses.Accounts > 0 {
			p.problems.Add(at.line, "op", "customer %d has %d cards that are not at their end and "+
				"%d accounts that are not closed", at.customerID, uses.Cards, uses.Accounts)
			return nil
		}
	}
	return p.putCustomer(at, before, after)
}
