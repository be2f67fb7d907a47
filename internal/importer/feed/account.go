package feed

import (
	"slices"
	"strconv"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
	"mintmark/internal/importer/entity"
)

// takeAccount compares an account row with the stored account and writes the difference.
func (p *pass) takeAccount(at row) error {
	before := p.accounts[at.accountID]
	if at.deletes {
		return p.deleteAccount(at, before)
	}
	merge := entity.OfAccount(before, at.Has)
	after := &merge.After
	if before.ID == 0 {
		*after = customer.Account{ID: at.accountID, ProgramID: p.head.ProgramID}
	}
	m := members{at.Object}
	m.number("customerId", &after.CustomerID)
	textOf(m, "type", &after.Type)
	textOf(m, "status", &after.Status)
	m.text("name", &after.Name)
	m.text("tag", &after.Tag)
	patchNumber(m, after)
	patchBalances(m, merge)
	problems := at.Rest()
	nameless := p.leaveTexts(at, before, after)
	wrong := merge.Problems(p.decimals)
	if nameless && after.Name == "" {
		wrong = wrong.Without("name")
	}
	problems = append(problems, withoutKnown(wrong, problems)...)
	fine := p.problems.AddAll(at.line, problems)
	if !p.noteAccount(at, merge) || !fine || !p.isOurs(at, "accountId", before.ProgramID) {
		return nil
	}
	if !p.checkChange(at, merge) {
		return nil
	}
	return p.putAccount(at, merge)
}

// patchNumber takes the account number, given in full or masked. Only the masked form is stored.
func patchNumber(m members, a *customer.Account) {
	if m.Has("numberMasked") && m.Has("accountNumber") {
		m.Reject("numberMasked", "must not be given with accountNumber")
	}
	m.text("numberMasked", &a.NumberMasked)
	if !m.Has("accountNumber") {
		return
	}
	number := customer.AccountNumber(m.String("accountNumber"))
	if wrong := problem.Check(number); len(wrong) > 0 {
		m.Reject("accountNumber", wrong[0].Text)
	}
	a.NumberMasked = number.Masked()
}

func patchBalances(m members, merge *entity.Account) {
	m.amount("accountBalance", &merge.After.Balance)
	m.amount("pendingBalance", &merge.After.PendingBalance)
	m.amount("availableBalance", &merge.After.AvailableBalance)
	merge.MoveAvailable()
}

// checkChange reports whether an account may change as merged, and records the reasons against it.
func (p *pass) checkChange(at row, merge *entity.Account) bool {
	noted, owner := p.problems.Noted, merge.After.CustomerID
	if merge.Before.CustomerID != owner && !p.hasCustomer(owner) {
		p.problems.Add(at.line, "customerId", "there is no customer %d", owner)
	}
	p.problems.AddAll(at.line, merge.UnacceptedChanges(p.options.Accept))
	return p.problems.Noted == noted
}

// takeBalance compares a balance row with an account that is stored or that an earlier row has put.
func (p *pass) takeBalance(at row) error {
	before := p.accounts[at.accountID]
	merge := entity.OfAccount(before, at.Has)
	patchBalances(members{at.Object}, merge)
	problems := at.Rest()
	if names := entity.BalanceMembers; !slices.ContainsFunc(names, at.Has) {
		problems.Add("", "needs a balance: %s, %s or %s", names[0], names[1], names[2])
	}
	for _, wrong := range merge.After.Validate(p.decimals) {
		if slices.Contains(entity.BalanceMembers, wrong.Path) && at.Has(wrong.Path) {
			problems = append(problems, withoutKnown(problem.List{wrong}, problems)...)
		}
	}
	problems = append(problems, withoutKnown(merge.RangeProblems(), problems)...)
	fine := p.problems.AddAll(at.line, problems)
	if !p.noteBalance(at, merge) || !p.isOurs(at, "accountId", before.ProgramID) {
		return nil
	}
	if before.ID == 0 {
		p.problems.Add(at.line, "accountId", "there is no account %d", at.accountID)
	}
	if before.ID == 0 || !fine {
		return nil
	}
	return p.putAccount(at, merge)
}

// deleteAccount closes an account. Its row stays in the store.
func (p *pass) deleteAccount(at row, before customer.Account) error {
	fine := p.problems.AddAll(at.line, at.Rest())
	merge := entity.OfAccount(before, at.Has)
	merge.After.Status = customer.Closed
	noted := p.noteAccount(at, merge)
	if !noted || !fine || !p.isOurs(at, "accountId", before.ProgramID) {
		return nil
	}
	if before.ID == 0 {
		p.problems.Add(at.line, "accountId", "there is no account %d", at.accountID)
		return nil
	}
	if before.Status != customer.Closed {
		if before.Balance.TenThousandths != 0 || before.PendingBalance.TenThousandths != 0 ||
			before.Held.TenThousandths != 0 || merge.After.AvailableBalance.TenThousandths != 0 {
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
	return p.putAccount(at, merge)
}

func (p *pass) putAccount(at row, merge *entity.Account) error {
	c := p.change(at, strconv.Itoa(at.accountID), merge.Before.ID == 0)
	diffAccounts(merge.Before, merge.After, c.add)
	merge.SetModifiedDates(p.r.Now())
	after := merge.Stored()
	p.accounts[at.accountID] = after
	p.addUp(merge.Before, after)
	return p.settle(c, func() error {
		err := p.tx.Accounts().Put(after)
		after.Revision++
		p.accounts[at.accountID] = after
		return err
	})
}

// diffAccounts calls tell for each member in which two accounts differ.
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
			tell(entity.BalanceMembers[i], amounts[0], amounts[1])
		}
	}
}
