package load

import (
	"fmt"
	"strconv"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/customer"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

func (p *pass) findCustomers(items []item) error {
	var err error
	p.customers, err = p.r.Customers().FindMany(numbersIn(items, "customerId"))
	return err
}

// numbersIn returns the ids that entries have in a member.
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
	stored, isStored := p.customers[id]
	before := customerEntry{CustomerID: id}
	if isStored {
		before = entryOfCustomer(stored)
	}
	after, fine := patch(p, at, before, !isStored)
	after.fill()
	merged := after.customer()
	merged.Revision = stored.Revision
	list := problem.Check(merged)
	if fine {
		list = merged.Validate(p.r.Now())
	}
	fine = p.problems.addAll(at, list) && fine
	first, again := p.known.customers[id]
	if id == 0 || p.isRepeated(at, "customerId", "customers", first.index, again) {
		return nil
	}
	p.known.customers[id] = listedCustomer{after.ProgramID, at.index}
	_, known := p.inProgram(at, after.ProgramID)
	if isStored && stored.ProgramID != after.ProgramID {
		p.reportOtherOwner(at, "programId", "customer", id, "program", stored.ProgramID)
		return nil
	}
	noted := p.problems.Noted
	if customer.RestoresErased(stored, merged) {
		p.refuse(at, "", entity.CustomerErased, fmt.Sprintf("customer %d was erased", id))
	}
	if !fine || !known || p.problems.Noted > noted {
		return nil
	}
	merged.Birth, merged.Deceased = merged.Birth.UTC(), merged.Deceased.UTC()
	name := label{subject{"customers", strconv.Itoa(id)}, stored.Revision}
	return settle(p, name, before, after, nil, func(tx store.Tx) error {
		return tx.Customers().Put(merged)
	})
}
