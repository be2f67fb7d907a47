package card

import (
	"time"

	"mintmark/internal/customer"
	"mintmark/internal/fault"
)

// Texts of 59956 on accountId that are this implementation's choice.
const (
	accountNotOnCard = "The account is not on the card."
	accountUnknown   = "The account is not known for the customer."
)

// AccountUnknown is the fault for an account that the customer has nothing to do with.
func AccountUnknown() error {
	return fault.New(fault.ValueNotAcceptable, "accountId", accountUnknown)
}

// AdmitAdd returns the fault that keeps the customer from adding any account to the card, or
// nil. Faults in their order: 150601, 150403, 150602.
func (c Card) AdmitAdd(who customer.Standing) error {
	if err := c.admitAccounts(AddAccount, who); err != nil {
		return err
	}
	if c.Lock.Type != Unlocked {
		return fault.New(fault.AddAccountLocked, c.ID)
	}
	return nil
}

// Add puts an account, already checked by itself, on the card at a priority. Faults in their
// order: 150606, 150604, 150607.
func (c Card) Add(account customer.Account, priority int, now time.Time) (Card, error) {
	if _, held := c.Slots.Find(account.ID); held > 0 {
		return Card{}, fault.New(fault.AddAccountTied, account.ID, c.ID, held)
	}
	count := len(c.Slots.Of(account.Type))
	if count >= MaxSlots {
		return Card{}, fault.New(fault.AddAccountFull, c.ID, account.Type)
	}
	if priority < 1 || priority > count+1 {
		return Card{}, fault.New(fault.AddAccountPriority, priority, count+1)
	}
	c.Slots = c.Slots.insert(account.Type, account.ID, priority)
	c.Modified = now
	return c, nil
}

// Remove takes an account off the card, for a customer who has full access to it. Faults in their
// order: 150701, 150403, 59956 on accountId, 150211, 150702.
func (c Card) Remove(
	who customer.Standing, accountID int, access customer.AccountAccess, now time.Time,
) (Card, error) {
	if err := c.admitAccounts(RemoveAccount, who); err != nil {
		return Card{}, err
	}
	if _, held := c.Slots.Find(accountID); held == 0 {
		return Card{}, fault.New(fault.ValueNotAcceptable, "accountId", accountNotOnCard)
	}
	if access != customer.FullAccess {
		return Card{}, fault.New(fault.AccountAccess, access, who.ID, accountID)
	}
	if accountID == c.PrimaryAccount() {
		return Card{}, fault.New(fault.RemoveAccountPrimary, accountID, c.ID)
	}
	c.Slots = c.Slots.remove(accountID)
	c.Modified = now
	return c, nil
}

// Reprioritize gives an account on the card another priority within its category. The account in
// slot 1 of the primary category is the primary account. A checking account that is given priority
// 1 becomes the primary account also where a savings account was it, so that the savings account
// can then be removed. Faults in their order: 150801, 150403, 59956 on accountId, 150802.
func (c Card) Reprioritize(
	who customer.Standing, accountID, priority int, now time.Time,
) (Card, error) {
	if err := c.admitAccounts(Reprioritize, who); err != nil {
		return Card{}, err
	}
	category, held := c.Slots.Find(accountID)
	if held == 0 {
		return Card{}, fault.New(fault.ValueNotAcceptable, "accountId", accountNotOnCard)
	}
	bound := len(c.Slots.Of(category))
	if priority < 1 || priority > bound {
		return Card{}, fault.New(fault.ReprioritizePriority, priority, c.ID, accountID, bound)
	}
	primary := c.PrimaryCategory
	if category == customer.Checking && priority == 1 {
		primary = customer.Checking
	}
	if priority == held && primary == c.PrimaryCategory {
		return c, nil
	}
	c.Slots, c.PrimaryCategory = c.Slots.move(accountID, priority), primary
	c.Modified = now
	return c, nil
}

// admitAccounts admits an act on the accounts of the card, which also needs the customer's own
// access type to be FULL or ACCT.
func (c Card) admitAccounts(act Act, who customer.Standing) error {
	if err := c.admit(act, who.ID); err != nil {
		return err
	}
	if !who.ManagesAccounts() {
		return fault.New(fault.CardAccess, who.ID, c.ID)
	}
	return nil
}
