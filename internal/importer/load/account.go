package load

import (
	"fmt"
	"strconv"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

// findAccounts reads the stored accounts, and those owners that are not in the file.
func (p *pass) findAccounts(items []item) error {
	var err error
	p.accounts, err = p.r.Accounts().FindMany(numbersIn(items, "accountId"))
	if err != nil {
		return err
	}
	return p.findOwners(numbersIn(items, "customerId"))
}

// findOwners reads those customers that are not in the file.
func (p *pass) findOwners(customerIDs []int) error {
	var others []int
	for _, id := range customerIDs {
		if _, ok := p.known.customers[id]; !ok {
			others = append(others, id)
		}
	}
	var err error
	p.customers, err = p.r.Customers().FindMany(others)
	return err
}

func (p *pass) takeAccount(at item) error {
	id := numberIn(at.node, "accountId")
	stored, isStored := p.accounts[id]
	before := accountEntry{AccountID: id}
	if isStored {
		before = entryOfAccount(entity.WithoutHolds(stored))
	}
	after, fine := patch(p, at, before, !isStored)
	number := customer.AccountNumber(after.AccountNumber)
	if number != customer.AccountNumber(before.AccountNumber) {
		fine = p.problems.addAll(at, problem.Check(number)) && fine
	}
	after.AccountNumber = number.Masked()
	merge := entity.OfAccount(stored, at.has)
	merge.After = after.account()
	merge.MoveAvailable()
	fine = p.problems.addAll(at, problem.Check(merge.After)) && fine
	first, again := p.known.accounts[id]
	if id == 0 || p.isRepeated(at, "accountId", "accounts", first.index, again) {
		return nil
	}
	p.known.accounts[id] = listedAccount{
		programID: after.ProgramID, index: at.index, kind: customer.AccountType(after.Type),
	}
	in, known := p.inProgram(at, after.ProgramID)
	if isStored && stored.ProgramID != after.ProgramID {
		p.reportOtherOwner(at, "programId", "account", id, "program", stored.ProgramID)
		return nil
	}
	if !fine || !known || !p.checkAccount(at, merge, in) || !p.mayName(at, stored, after) {
		return nil
	}
	merge.SetModifiedDates(p.r.Now())
	name := label{subject{"accounts", strconv.Itoa(id)}, stored.Revision}
	return settle(p, name, before, entryOfAccount(merge.After), nil, func(tx store.Tx) error {
		return tx.Accounts().Put(merge.Stored())
	})
}

// mayName reports whether an account may have the texts of an entry: the texts of an erased
// customer's account are erased, too.
func (p *pass) mayName(at item, stored customer.Account, after accountEntry) bool {
	noted := p.problems.Noted
	if stored.IsErased() && stored.CustomerID == after.CustomerID {
		p.refuse(at, "name", entity.CustomerErased, fmt.Sprintf(
			"the customer of account %d was erased", stored.ID))
	}
	return p.problems.Noted == noted
}

// checkAccount reports whether an account may be stored, and records the reasons against it. An
// owner who does not change is not looked up again.
func (p *pass) checkAccount(at item, merge *entity.Account, in *program.Program) bool {
	noted := p.problems.Noted
	if merge.Before.CustomerID != merge.After.CustomerID {
		p.hasCustomer(at, "customerId", in.ID, merge.After.CustomerID)
	}
	p.problems.addAll(at, merge.Problems(in.Settings.DecimalCount))
	p.problems.addAll(at, merge.UnacceptedChanges(p.options.Accept))
	return p.problems.Noted == noted
}

// findAccess reads the stored access, and those customers and accounts that are not in the file.
func (p *pass) findAccess(items []item) error {
	customerIDs := numbersIn(items, "customerId")
	if err := p.readAccess(customerIDs); err != nil {
		return err
	}
	if err := p.findOwners(customerIDs); err != nil {
		return err
	}
	return p.findOtherAccounts(numbersIn(items, "accountId"))
}

func (p *pass) readAccess(customerIDs []int) error {
	all, err := p.r.Access().List(customerIDs)
	p.access = make(map[entity.Pair]customer.Access)
	for _, stored := range all {
		p.access[entity.Pair{CustomerID: stored.CustomerID, AccountID: stored.AccountID}] = stored
	}
	return err
}

// findOtherAccounts reads those accounts that are not in the file.
func (p *pass) findOtherAccounts(accountIDs []int) error {
	var others []int
	for _, id := range accountIDs {
		if _, ok := p.known.accounts[id]; !ok {
			others = append(others, id)
		}
	}
	var err error
	p.accounts, err = p.r.Accounts().FindMany(others)
	return err
}

func (p *pass) takeAccess(at item) error {
	of := entity.Pair{
		CustomerID: numberIn(at.node, "customerId"), AccountID: numberIn(at.node, "accountId"),
	}
	stored := p.access[of]
	before := accessEntry{
		ProgramID: numberIn(at.node, "programId"), CustomerID: of.CustomerID,
		AccountID: of.AccountID, Access: string(stored.Type),
	}
	after, fine := patch(p, at, before, true)
	merged := after.access()
	merged.Revision = stored.Revision
	fine = p.problems.addAll(at, merged.Validate()) && fine
	p.problems.addAll(at, problem.Check(ownProgram(after.ProgramID)))
	first, again := p.known.access[of]
	if of.CustomerID == 0 || of.AccountID == 0 ||
		p.isRepeated(at, "accountId", "access", first.index, again) {
		return nil
	}
	p.known.access[of] = listedAccess{at.index, customer.AccountAccess(after.Access)}
	in, known := p.inProgram(at, after.ProgramID)
	if !fine || !known {
		return nil
	}
	hasCustomer := p.hasCustomer(at, "customerId", in.ID, of.CustomerID)
	_, hasAccount := p.accountType(at, "accountId", in.ID, of.AccountID)
	if !hasCustomer || !hasAccount {
		return nil
	}
	both := fmt.Sprintf("%d to %d", of.CustomerID, of.AccountID)
	name := label{subject{"access", both}, stored.Revision}
	return settle(p, name, before, after, nil, func(tx store.Tx) error {
		return tx.Access().Put(merged)
	})
}
