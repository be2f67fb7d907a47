package load

import (
	"fmt"
	"strconv"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

// findAccounts reads the stored accounts, and the owners that are not in the file.
func (p *pass) findAccounts(items []item) error {
	var err error
	p.accounts, err = p.r.Accounts().FindMany(numbersIn(items, "accountId"))
	if err != nil {
		return err
	}
	return p.findOwners(numbersIn(items, "customerId"))
}

// findOwners reads the customers that are not in the file.
func (p *pass) findOwners(customerIDs []int) error {
	var others []int
	for _, id := range customerIDs {
		if _, there := p.known.customers[id]; !there {
			others = append(others, id)
		}
	}
	var err error
	p.customers, err = p.r.Customers().FindMany(others)
	return err
}

func (p *pass) takeAccount(at item) error {
	id := numberIn(at.node, "accountId")
	stored, there := p.accounts[id]
	before := accountEntry{AccountID: id}
	if there {
		before = entryOfAccount(stored)
	}
	after, fine := patch(p, at, before, !there)
	if _, given := memberOf(at.node, "availableBalance"); given == nil {
		after.AvailableBalance.TenThousandths += after.AccountBalance.TenThousandths -
			before.AccountBalance.TenThousandths
	}
	number := customer.AccountNumber(after.AccountNumber)
	if number != customer.AccountNumber(before.AccountNumber) {
		fine = p.problems.addAll(at, problem.Check(number)) && fine
	}
	after.AccountNumber = number.Masked()
	fine = p.problems.addAll(at, problem.Check(after.account())) && fine
	first, again := p.known.accounts[id]
	if id == 0 || p.again(at, "accountId", "accounts", first.index, again) {
		return nil
	}
	p.known.accounts[id] = listedAccount{
		after.ProgramID, at.index, customer.AccountType(after.Type),
	}
	in, known := p.inProgram(at, after.ProgramID)
	if there && stored.ProgramID != after.ProgramID {
		p.elsewhere(at, "programId", "account", id, "program", stored.ProgramID)
		return nil
	}
	if !fine || !known || !p.checkAccount(at, before, after, in, !there) ||
		!p.mayName(at, stored, after) {
		return nil
	}
	p.date(at, before, &after)
	name := label{subject{"accounts", strconv.Itoa(id)}, stored.Revision}
	return settle(p, name, before, after, nil, func(tx store.Tx) error {
		merged := after.account()
		merged.Revision, merged.Held = stored.Revision, stored.Held
		merged.AvailableBalance.TenThousandths -= stored.Held.TenThousandths
		return tx.Accounts().Put(merged)
	})
}

// mayName reports whether an account may have the texts of an entry: those of a customer who was
// erased are gone.
func (p *pass) mayName(at item, stored customer.Account, after accountEntry) bool {
	noted := p.problems.Noted
	if stored.IsErased() && stored.CustomerID == after.CustomerID {
		p.refuse(at, "name", entity.CustomerErased, fmt.Sprintf(
			"the customer of account %d was erased", stored.ID))
	}
	return p.problems.Noted == noted
}

// checkAccount reports whether an account may be kept, and notes the reasons. A stored owner is not
// looked up again.
func (p *pass) checkAccount(
	at item, before, after accountEntry, in *program.Program, fresh bool,
) bool {
	noted := p.problems.Noted
	if before.CustomerID != after.CustomerID {
		p.hasCustomer(at, "customerId", in.ID, after.CustomerID)
	}
	merged := after.account()
	for _, wrong := range merged.Validate(in.Settings.DecimalCount) {
		// A balance may be stored with more digits than the program has now: the operator has
		// agreed to that when the program lost them.
		if _, given := memberOf(at.node, wrong.Path); fresh || given != nil {
			p.problems.add(at, wrong.Path, "%s", wrong.Text)
		}
	}
	if !fresh && before.CustomerID != after.CustomerID {
		p.refuse(at, "customerId", entity.AccountMoved, fmt.Sprintf(
			"account %d belongs to customer %d", after.AccountID, before.CustomerID))
	}
	if !fresh && before.Type != after.Type {
		p.refuse(at, "type", entity.AccountType, fmt.Sprintf("account %d is a %s account",
			after.AccountID, before.Type))
	}
	return p.problems.Noted == noted
}

// date sets the dates of a change where the file gives none.
func (p *pass) date(at item, before accountEntry, after *accountEntry) {
	now := value.Time{Time: p.r.Now()}
	_, given := memberOf(at.node, "balanceLastModifiedDate")
	moved := before.AccountBalance.TenThousandths != after.AccountBalance.TenThousandths ||
		before.AvailableBalance.TenThousandths != after.AvailableBalance.TenThousandths ||
		before.PendingBalance.TenThousandths != after.PendingBalance.TenThousandths
	if after.BalanceLastModifiedDate.IsZero() || given == nil && moved {
		after.BalanceLastModifiedDate = now
	}
	_, given = memberOf(at.node, "lastModifiedDate")
	if after.LastModifiedDate.IsZero() ||
		given == nil && len(differences(before, *after)) > 0 {
		after.LastModifiedDate = now
	}
}

// findAccess reads the stored accesses, and the customers and accounts that are not in the file.
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
	p.access = make(map[pair]customer.Access)
	for _, one := range all {
		p.access[pair{one.CustomerID, one.AccountID}] = one
	}
	return err
}

// findOtherAccounts reads the accounts that are not in the file.
func (p *pass) findOtherAccounts(accountIDs []int) error {
	var others []int
	for _, id := range accountIDs {
		if _, there := p.known.accounts[id]; !there {
			others = append(others, id)
		}
	}
	var err error
	p.accounts, err = p.r.Accounts().FindMany(others)
	return err
}

func (p *pass) takeAccess(at item) error {
	of := pair{numberIn(at.node, "customerId"), numberIn(at.node, "accountId")}
	stored := p.access[of]
	before := accessEntry{
		ProgramID: numberIn(at.node, "programId"), CustomerID: of.customerID,
		AccountID: of.accountID, Access: string(stored.Type),
	}
	after, fine := patch(p, at, before, true)
	merged := after.access()
	merged.Revision = stored.Revision
	fine = p.problems.addAll(at, merged.Validate()) && fine
	p.problems.addAll(at, problem.Check(ownProgram(after.ProgramID)))
	first, again := p.known.access[of]
	if of.customerID == 0 || of.accountID == 0 ||
		p.again(at, "accountId", "access", first.index, again) {
		return nil
	}
	p.known.access[of] = listedAccess{at.index, customer.AccountAccess(after.Access)}
	in, known := p.inProgram(at, after.ProgramID)
	if !fine || !known {
		return nil
	}
	hasCustomer := p.hasCustomer(at, "customerId", in.ID, of.customerID)
	_, hasAccount := p.accountType(at, "accountId", in.ID, of.accountID)
	if !hasCustomer || !hasAccount {
		return nil
	}
	both := fmt.Sprintf("%d to %d", of.customerID, of.accountID)
	name := label{subject{"access", both}, stored.Revision}
	return settle(p, name, before, after, nil, func(tx store.Tx) error {
		return tx.Access().Put(merged)
	})
}
