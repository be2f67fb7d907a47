package feed

import (
	"fmt"

	"mintmark/internal/domain/customer"
)

// takeAccess compares an access row with the stored access and writes the difference.
func (p *pass) takeAccess(at row) error {
	of := at.pair()
	before := p.access[of]
	after := customer.Access{
		CustomerID: of.CustomerID, AccountID: of.AccountID, Type: before.Type,
		Revision: before.Revision,
	}
	if !at.deletes {
		textOf(members{at.Object}, "access", &after.Type)
	}
	problems := at.Rest()
	if !at.deletes {
		problems = append(problems, withoutKnown(after.Validate(), problems)...)
	}
	fine := p.problems.AddAll(at.line, problems)
	if !p.noteAccess(at) || !fine {
		return nil
	}
	if !p.hasCustomer(of.CustomerID) {
		p.problems.Add(at.line, "customerId", "there is no customer %d", of.CustomerID)
		return nil
	}
	if account := p.accounts[of.AccountID]; account.ProgramID != p.head.ProgramID {
		p.problems.Add(at.line, "accountId", "there is no account %d", of.AccountID)
		return nil
	}
	name := fmt.Sprintf("%d to %d", of.CustomerID, of.AccountID)
	if at.deletes {
		return p.deleteAccess(at, name, before)
	}
	c := p.change(at, name, before.CustomerID == 0)
	differ(c.add, "access", string(before.Type), string(after.Type))
	p.access[of] = after
	return p.settle(c, func() error {
		err := p.tx.Access().Put(after)
		after.Revision++
		p.access[of] = after
		return err
	})
}

// deleteAccess deletes an access. An access that does not exist counts as deleted already.
func (p *pass) deleteAccess(at row, name string, before customer.Access) error {
	c := p.change(at, name, false)
	if before.CustomerID != 0 {
		c.add("access", string(before.Type), "")
	}
	delete(p.access, at.pair())
	return p.settle(c, func() error { return p.tx.Access().Delete(before) })
}
