package card

import (
	"time"

	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/fault"
)

// Texts of ValueNotAcceptable on accountId that this implementation chose.
const (
	accountNotOnCard = "The account is not on the card."
	accountUnknown   = "The account is not known for the customer."
)

// AccountUnknown returns the fault for an account to which the customer has no access.
func AccountUnknown() error {
	return fault.New(fault.ValueNotAcceptable, "accountId", accountUnknown)
}

// CheckAddAccount returns the fault that prevents a customer from adding any account to the card,
// or nil. Faults in order: CardAccess, AddAccountLocked.
func (c Card) CheckAddAccount(by customer.Standing) error {
	if err := c.checkManages(by); err != nil {
		return err
	}
	if c.Lock.Type != Unlocked {
		return fault.New(fault.AddAccountLocked, c.ID)
	}
	return nil
}

// AddAccount adds an account to the card at a priority. The account itself is already checked.
// Faults in order: AddAccountTied, AddAccountFull, AddAccountPriority.
func (c Card) AddAccount(account customer.Account, priority int, now time.Time) (Card, error) {
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

// RemoveAccount removes an account from the card for a customer, who needs full access to the
// account. Faults in order: CardAccess, ValueNotAcceptable on accountId, AccountAccess,
// RemoveAccountPrimary.
func (c Card) RemoveAccount(
	by customer.Standing, accountID int, access customer.AccountAccess, now time.Time,
) (Card, error) {
	if err := c.checkManages(by); err != nil {
		return Card{}, err
	}
	if _, held := c.Slots.Find(accountID); held == 0 {
		return Card{}, fault.New(fault.ValueNotAcceptable, "accountId", accountNotOnCard)
	}
	if access != customer.FullAccess {
		return Card{}, fault.New(fault.AccountAccess, access, by.ID, accountID)
	}
	if accountID == c.PrimaryAccount() {
		return Card{}, fault.New(fault.RemoveAccountPrimary, accountID, c.ID)
	}
	c.Slots = c.Slots.remove(accountID)
	c.Modified = now
	return c, nil
}

// ReprioritizeAccount changes the priority of an account on the card within its category. The
// account in slot 1 of the primary category is the primary account. A checking account that gets
// priority 1 becomes the primary account even if that was a savings account, so that the savings
// account can then be removed. Faults in order: CardAccess, ValueNotAcceptable on accountId,
// ReprioritizePriority.
func (c Card) ReprioritizeAccount(
	by customer.Standing, accountID, priority int, now time.Time,
) (Card, error) {
	if err := c.checkManages(by); err != nil {
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

// checkManages returns the fault that prevents a customer from managing the accounts of the card,
// or nil: the customer's own access type must be FULL or ACCT.
func (c Card) checkManages(by customer.Standing) error {
	if !by.ManagesAccounts() {
		return fault.New(fault.CardAccess, by.ID, c.ID)
	}
	return nil
}
