package load

import (
	"strconv"

	"mintmark/internal/customer"
	"mintmark/internal/store"
	"mintmark/internal/value"
)

func (p *pass) findCustomers(items []item) error {
	var err error
	p.customers, err = p.r.Customers().FindMany(numbersIn(items, "customerId"))
	return err
}

// numbersIn returns the numbers that entries have under a name.
func numbersIn(items []item, name string) []int {
	var numbers []int
	for _, at := range items {
		if number := numberIn(at.node, name); number != 0 {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

func (p *pass) takeCustomer(at item) error {
	id := numberIn(at.node, "customerId")
	stored, there := p.customers[id]
	before := customerEntry{CustomerID: id}
	if there {
		before = entryOfCustomer(stored)
	}
	after, fine := patch(p, at, before, !there)
	first, again := p.known.customers[id]
	if id == 0 || p.again(at, "customerId", "customers", first.index, again) {
		return nil
	}
	p.known.customers[id] = listedCustomer{after.ProgramID, at.index}
	_, known := p.inProgram(at, after.ProgramID)
	if there && stored.ProgramID != after.ProgramID {
		p.elsewhere(at, "programId", "customer", id, "program", stored.ProgramID)
		return nil
	}
	if !fine || !known {
		return nil
	}
	if after.IsActive == nil {
		isActive := true
		after.IsActive = &isActive
	}
	merged := after.customer()
	if found := merged.Validate(p.r.Now()); len(found) > 0 {
		p.problems.addAll(at, found)
		return nil
	}
	name := label{"customers", strconv.Itoa(id), !there}
	return settle(p, name, before, after, nil, func(tx store.Tx) error {
		return tx.Customers().Put(merged)
	})
}

func entryOfCustomer(c customer.Customer) customerEntry {
	return customerEntry{
		CustomerID: c.ID, ProgramID: c.ProgramID,
		Status: string(c.Status), AccessType: string(c.AccessType),
		IsActive: &c.IsActive, IsLocked: c.IsLocked,
		DeceasedDate: value.Time{Time: c.Deceased}, BirthDate: value.Time{Time: c.Birth},
		FirstName: c.FirstName, LastName: c.LastName,
		MobilePhone: c.MobilePhone, HomePhone: c.HomePhone,
		MailingAddress: c.Mailing, ResidenceAddress: c.Residence,
	}
}

func (e *customerEntry) customer() customer.Customer {
	return customer.Customer{
		Standing: customer.Standing{
			ID: e.CustomerID, ProgramID: e.ProgramID,
			Status: customer.Status(e.Status), AccessType: customer.AccessType(e.AccessType),
			IsActive: orDefault(e.IsActive, true), IsLocked: e.IsLocked,
			Deceased: e.DeceasedDate.UTC(), Birth: e.BirthDate.UTC(),
		},
		FirstName: e.FirstName, LastName: e.LastName,
		MobilePhone: e.MobilePhone, HomePhone: e.HomePhone,
		Mailing: e.MailingAddress, Residence: e.ResidenceAddress,
	}
}
