package entity

import (
	"fmt"
	"slices"
	"time"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
)

// BalanceMembers lists the member names of an account's balances.
var BalanceMembers = []string{"accountBalance", "availableBalance", "pendingBalance"}

// Pair is a customer and an account that the customer has access to.
type Pair struct{ CustomerID, AccountID int }

// Account merges a row with a stored account. The source of a row does not know the holds in the
// store, so in both forms the available balance is the one without holds.
type Account struct {
	Before customer.Account // stored form, with ID 0 if there is none
	After  customer.Account
	Given  func(member string) bool // reports whether the row has a member

	noRange bool // the available balance, moved with the balance, would be out of range
}

// OfAccount begins a merge with a stored account. The caller changes After as the row says.
func OfAccount(stored customer.Account, given func(member string) bool) *Account {
	before := WithoutHolds(stored)
	return &Account{Before: before, After: before, Given: given}
}

// WithoutHolds returns an account with the available balance that it would have without holds.
func WithoutHolds(a customer.Account) customer.Account {
	a.AvailableBalance.TenThousandths += a.Held.TenThousandths
	return a
}

// Stored returns the merged account as it is stored, with its holds.
func (a *Account) Stored() customer.Account {
	kept := a.After
	kept.Held, kept.Revision = a.Before.Held, a.Before.Revision
	kept.AvailableBalance.TenThousandths -= kept.Held.TenThousandths
	return kept
}

// MoveAvailable moves the available balance by the change of the balance if the row leaves the
// available balance out.
func (a *Account) MoveAvailable() {
	a.noRange = !a.Given("availableBalance") && !a.After.MoveAvailable(a.Before)
}

// RangeProblems returns the problem of an available balance that is out of range, with or without
// the holds in the store.
func (a *Account) RangeProblems() problem.List {
	_, fits := value.Sum(a.After.AvailableBalance.TenThousandths, -a.Before.Held.TenThousandths)
	if fits && !a.noRange {
		return nil
	}
	member := "availableBalance"
	if !a.Given(member) {
		member = "accountBalance"
	}
	return problem.List{{Path: member, Text: customer.AvailableTooLarge}}
}

// Problems returns the problems of the merged account in a program with the given number of
// fraction digits. A stored balance that the row leaves out may have more digits: the operator
// accepted that when the program's number of digits was lowered.
func (a *Account) Problems(decimals int) problem.List {
	problems := a.After.Validate(decimals)
	if a.Before.ID != 0 {
		problems = slices.DeleteFunc(problems, func(p problem.Problem) bool {
			return slices.Contains(BalanceMembers, p.Path) && !a.Given(p.Path)
		})
	}
	return append(problems, a.RangeProblems()...)
}

// UnacceptedChanges returns the destructive changes that the operator has not accepted.
func (a *Account) UnacceptedChanges(accepted []string) problem.List {
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

// SetModifiedDates sets the dates of last change to now where something has changed and the row
// gives no date.
func (a *Account) SetModifiedDates(now time.Time) {
	moved := !a.After.HasBalancesOf(a.Before)
	if a.After.BalanceModified.IsZero() || moved && !a.Given("balanceLastModifiedDate") {
		a.After.BalanceModified = now
	}
	if a.After.Modified.IsZero() || a.differs() && !a.Given("lastModifiedDate") {
		a.After.Modified = now
	}
}

// differs reports whether the two forms differ in any member that a row can have.
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
