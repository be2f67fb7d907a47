package entity

import (
	"fmt"
	"slices"
	"time"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
)

// BalanceMembers are the names of the balances of an account.
var BalanceMembers = []string{"accountBalance", "availableBalance", "pendingBalance"}

// Pair is a customer and an account, to which the customer has access.
type Pair struct{ CustomerID, AccountID int }

// Account is the merge of a row with a stored account. The source of a row does not know of the holds
// that stand here, so both forms have the available balance that they would have without holds.
type Account struct {
	Before customer.Account // the stored one, of ID 0 for none
	After  customer.Account
	Given  func(member string) bool // whether the row has a member

	noRange bool // the balance moves the available one too far
}

// OfAccount begins the merge with a stored account: After is what the row is to change.
func OfAccount(stored customer.Account, given func(member string) bool) *Account {
	before := WithoutHolds(stored)
	return &Account{Before: before, After: before, Given: given}
}

// WithoutHolds returns an account as it would be without holds.
func WithoutHolds(a customer.Account) customer.Account {
	a.AvailableBalance.TenThousandths += a.Held.TenThousandths
	return a
}

// Kept returns the account as it is stored, with its holds.
func (a *Account) Kept() customer.Account {
	kept := a.After
	kept.Held, kept.Revision = a.Before.Held, a.Before.Revision
	kept.AvailableBalance.TenThousandths -= kept.Held.TenThousandths
	return kept
}

// MoveAvailable moves an available balance that the row leaves out with the balance itself.
func (a *Account) MoveAvailable() {
	a.noRange = !a.Given("availableBalance") && !a.After.MoveAvailable(a.Before)
}

// RangeProblems returns the problem of an available balance that is too large, with or without the
// holds that stand.
func (a *Account) RangeProblems() problem.List {
	_, fits := value.Sum(a.After.AvailableBalance.TenThousandths, -a.Before.Held.TenThousandths)
	if fits && !a.noRange {
		return nil
	}
	member := "availableBalance"
	if !a.Given(member) {
		member = "accountBalance"
	}
	return problem.List{{Path: member, Text: customer.NoRange}}
}

// Problems returns what is wrong with the account in a program of so many fraction digits. A stored
// balance that the row leaves out may have more digits: the operator has accepted that when the
// program lost them.
func (a *Account) Problems(decimals int) problem.List {
	problems := a.After.Validate(decimals)
	if a.Before.ID != 0 {
		problems = slices.DeleteFunc(problems, func(p problem.Problem) bool {
			return slices.Contains(BalanceMembers, p.Path) && !a.Given(p.Path)
		})
	}
	return append(problems, a.RangeProblems()...)
}

// Refused returns the destructive changes that are not accepted.
func (a *Account) Refused(accepted []string) problem.List {
	var problems problem.List
	if a.Before.ID == 0 {
		return problems
	}
	if a.Before.CustomerID != a.After.CustomerID {
		Refuse(&problems, accepted, "customerId", AccountMoved, fmt.Sprintf(
			"account %d belongs to customer %d", a.After.ID, a.Before.CustomerID))
	}
	if a.Before.Type != a.After.Type {
		Refuse(&problems, accepted, "type", AccountType, fmt.Sprintf(
			"account %d is a %s account", a.After.ID, a.Before.Type))
	}
	return problems
}

// Date sets the moments of the last changes to now, where something has changed and the row gives
// none.
func (a *Account) Date(now time.Time) {
	moved := !a.After.HasBalancesOf(a.Before)
	if a.After.BalanceModified.IsZero() || moved && !a.Given("balanceLastModifiedDate") {
		a.After.BalanceModified = now
	}
	if a.After.Modified.IsZero() || a.differs() && !a.Given("lastModifiedDate") {
		a.After.Modified = now
	}
}

// differs reports whether the forms differ in a member that a row may have.
func (a *Account) differs() bool {
	members := func(of customer.Account) customer.Account {
		of.Balance, of.AvailableBalance, of.PendingBalance = value.Amount{}, value.Amount{},
			value.Amount{}
		of.BalanceModified, of.Modified = time.Time{}, time.Time{}
		of.Held, of.Revision = value.Amount{}, 0
		return of
	}
	return members(a.Before) != members(a.After) || !a.After.HasBalancesOf(a.Before) ||
		!a.Before.BalanceModified.Equal(a.After.BalanceModified) ||
		!a.Before.Modified.Equal(a.After.Modified)
}
