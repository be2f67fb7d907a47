package feed

import (
	"fmt"
	"slices"
	"strconv"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
	"mintmark/internal/importer/entity"
)

// The core banking system does not know of the holds that stand here, so an available balance is
// fed, compared and given back as it would be without them.

func withoutHolds(a customer.Account) customer.Account {
	a.AvailableBalance.TenThousandths += a.Held.TenThousandths
	return a
}

// takeAccount compares a row of an account with the stored one.
func (p *pass) takeAccount(at row) error {
	before := p.accounts[at.accountID]
	if at.deletes {
		return p.deleteAccount(at, before)
	}
	after := withoutHolds(before)
	if before.ID == 0 {
		after = customer.Account{ID: at.accountID, ProgramID: p.head.ProgramID}
	}
	m := members{at.Object}
	m.number("customerId", &after.CustomerID)
	textOf(m, "type", &after.Type)
	textOf(m, "status", &after.Status)
	m.text("name", &after.Name)
	m.text("tag", &after.Tag)
	patchNumber(m, &after)
	patchBalances(m, &after, before)
	found := at.Rest()
	nameless := p.leaveTexts(at, before, &after)
	found = append(found, unlike(p.accountProblems(at, before, after, nameless), found)...)
	fine := p.problems.AddAll(at.line, found)
	if !p.noteAccount(at, before, after) || !fine || !p.isOurs(at, "accountId", before.ProgramID) {
		return nil
	}
	if !p.mayBecome(at, before, after) {
		return nil
	}
	return p.putAccount(at, before, after)
}

// patchNumber takes the number, whole or as it is kept.
func patchNumber(m members, a *customer.Account) {
	if m.Has("numberMasked") && m.Has("accountNumber") {
		m.Reject("numberMasked", "stands beside accountNumber, which is enough")
	}
	m.text("numberMasked", &a.NumberMasked)
	if !m.Has("accountNumber") {
		return
	}
	number := customer.AccountNumber(m.Text("accountNumber"))
	if wrong := problem.Check(number); len(wrong) > 0 {
		m.Reject("accountNumber", wrong[0].Text)
	}
	a.NumberMasked = number.Masked()
}

// patchBalances takes the balances. An available one that the row leaves out moves with the balance
// itself.
func patchBalances(m members, a *customer.Account, before customer.Account) {
	m.amount("accountBalance", &a.Balance)
	m.amount("pendingBalance", &a.PendingBalance)
	if m.Has("availableBalance") {
		m.amount("availableBalance", &a.AvailableBalance)
		return
	}
	a.AvailableBalance.TenThousandths += a.Balance.TenThousandths - before.Balance.TenThousandths
}

// accountProblems returns what is wrong with an account, which may be one without a name. A balance
// that the row leaves out may have more digits than the program has by now: the operator has agreed
// to that.
func (p *pass) accountProblems(
	at row, before, after customer.Account, nameless bool,
) problem.List {
	found := after.Validate(p.decimals)
	if nameless && after.Name == "" {
		found = without(found, "name")
	}
	if before.ID == 0 {
		return found
	}
	return slices.DeleteFunc(found, func(one problem.Problem) bool {
		return slices.Contains(balanceNames, one.Path) && !at.Has(one.Path)
	})
}

var balanceNames = []string{"accountBalance", "availableBalance", "pendingBalance"}

// mayBecome reports whether an account may become another one, and notes the reasons.
func (p *pass) mayBecome(at row, before, after customer.Account) bool {
	noted := p.problems.Noted
	if before.CustomerID != after.CustomerID && !p.hasCustomer(after.CustomerID) {
		p.problems.Add(at.line, "customerId", "there is no customer %d", after.CustomerID)
	}
	if before.ID != 0 && before.CustomerID != after.CustomerID {
		p.refuse(at, "customerId", entity.AccountMoved, fmt.Sprintf(
			"account %d belongs to customer %d", after.ID, before.CustomerID))
	}
	if before.ID != 0 && before.Type != after.Type {
		p.refuse(at, "type", entity.AccountType, fmt.Sprintf("account %d is a %s account",
			after.ID, before.Type))
	}
	return p.problems.Noted == noted
}

// takeBalance compares a row of balances with those of a stored account, or of one that an earlier
// row has put.
func (p *pass) takeBalance(at row) error {
	before := p.accounts[at.accountID]
	after := withoutHolds(before)
	m := members{at.Object}
	patchBalances(m, &after, before)
	found := at.Rest()
	if !slices.ContainsFunc(balanceNames, m.Has) {
		found.Add("", "needs a balance: %s, %s or %s", balanceNames[0], balanceNames[1],
			balanceNames[2])
	}
	for _, one := range after.Validate(p.decimals) {
		if slices.Contains(balanceNames, one.Path) && at.Has(one.Path) {
			found = append(found, unlike(problem.List{one}, found)...)
		}
	}
	fine := p.problems.AddAll(at.line, found)
	if !p.noteBalance(at, before, after) || !p.isOurs(at, "accountId", before.ProgramID) {
		return nil
	}
	if before.ID == 0 {
		p.problems.Add(at.line, "accountId", "there is no account %d", at.accountID)
	}
	if before.ID == 0 || !fine {
		return nil
	}
	return p.putAccount(at, before, after)
}

// deleteAccount takes an account out of use: it is closed, and its row stays.
func (p *pass) deleteAccount(at row, before customer.Account) error {
	fine := p.problems.AddAll(at.line, at.Rest())
	after := withoutHolds(before)
	after.Status = customer.Closed
	noted := p.noteAccount(at, before, after)
	if !noted || !fine || !p.isOurs(at, "accountId", before.ProgramID) {
		return nil
	}
	if before.ID == 0 {
		p.problems.Add(at.line, "accountId", "there is no account %d", at.accountID)
		return nil
	}
	if before.Status != customer.Closed {
		if before.Balance.TenThousandths != 0 || before.PendingBalance.TenThousandths != 0 ||
			before.Held.TenThousandths != 0 || after.AvailableBalance.TenThousandths != 0 {
			p.problems.Add(at.line, "op", "account %d has money or holds", at.accountID)
			return nil
		}
		cards, err := p.r.Feeds().CountCards(at.accountID)
		if err != nil {
			return err
		}
		if cards > 0 {
			p.problems.Add(at.line, "op", "%d cards draw on account %d", cards, at.accountID)
			return nil
		}
	}
	return p.putAccount(at, before, after)
}

// putAccount stores an account, given without its holds.
func (p *pass) putAccount(at row, before, after customer.Account) error {
	c := p.change(at, strconv.Itoa(at.accountID), before.ID == 0)
	diffAccounts(withoutHolds(before), after, c.add)
	after.AvailableBalance.TenThousandths -= after.Held.TenThousandths
	now := p.r.Now()
	if before.ID == 0 || sums(before) != sums(after) {
		after.BalanceModified = now
	}
	if len(c.members) > 0 || c.fresh {
		after.Modified = now
	}
	p.accounts[at.accountID] = after
	p.addUp(before, after)
	return p.settle(c, func() error {
		err := p.tx.Accounts().Put(after)
		after.Revision++
		p.accounts[at.accountID] = after
		return err
	})
}

// sums are the balances of an account, to be compared.
func sums(a customer.Account) [3]int64 {
	return [...]int64{
		a.Balance.TenThousandths, a.AvailableBalance.TenThousandths,
		a.PendingBalance.TenThousandths,
	}
}

// diffAccounts tells each member in which two accounts differ.
func diffAccounts(before, after customer.Account, tell func(path string, from, to any)) {
	differ(tell, "customerId", before.CustomerID, after.CustomerID)
	differ(tell, "type", string(before.Type), string(after.Type))
	differ(tell, "status", string(before.Status), string(after.Status))
	differ(tell, "name", before.Name, after.Name)
	differ(tell, "tag", before.Tag, after.Tag)
	differ(tell, "accountNumber", before.NumberMasked, after.NumberMasked)
	for i, amounts := range [][2]value.Amount{
		{before.Balance, after.Balance}, {before.AvailableBalance, after.AvailableBalance},
		{before.PendingBalance, after.PendingBalance},
	} {
		if amounts[0].TenThousandths != amounts[1].TenThousandths {
			tell(balanceNames[i], amounts[0], amounts[1])
		}
	}
}
