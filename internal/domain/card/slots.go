package card

import (
	"slices"

	"mintmark/internal/domain/customer"
)

// Category is the product category of an account on a card. Each category has separate slots.
type Category = customer.AccountType

// MaxSlots is the maximum number of accounts of a category on a card (interface §4.5).
const MaxSlots = 4

// Categories lists the categories in the order in which a card shows its accounts.
var Categories = []Category{customer.Checking, customer.Savings}

// Slots holds the accounts a card draws on, by category, each list in order of priority: the
// account at index 0 has priority 1. A list cannot have gaps.
type Slots struct {
	Checking []int `json:"checking,omitempty"`
	Savings  []int `json:"savings,omitempty"`
}

// Equal reports whether two cards draw on the same accounts in the same order.
func (s Slots) Equal(other Slots) bool {
	return slices.Equal(s.Checking, other.Checking) && slices.Equal(s.Savings, other.Savings)
}

// Of returns the accounts of a category.
func (s Slots) Of(category Category) []int {
	switch category {
	case customer.Checking:
		return s.Checking
	case customer.Savings:
		return s.Savings
	}
	return nil
}

// All returns every account, in the order in which a card shows them.
func (s Slots) All() []int { return slices.Concat(s.Checking, s.Savings) }

// Find returns the category and the priority of an account on the card, or "" and 0 if the account
// is not on it.
func (s Slots) Find(accountID int) (Category, int) {
	for _, category := range Categories {
		if i := slices.Index(s.Of(category), accountID); i >= 0 {
			return category, i + 1
		}
	}
	return "", 0
}

// insert adds an account at a priority; those at and after it move down.
func (s Slots) insert(category Category, accountID, priority int) Slots {
	s = s.clone()
	return s.with(category, slices.Insert(s.Of(category), priority-1, accountID))
}

// remove removes an account; those after it move up.
func (s Slots) remove(accountID int) Slots {
	s = s.clone()
	category, priority := s.Find(accountID)
	return s.with(category, slices.Delete(s.Of(category), priority-1, priority))
}

// move changes the priority of an account; those in between shift toward the slot it leaves.
func (s Slots) move(accountID, priority int) Slots {
	category, _ := s.Find(accountID)
	return s.remove(accountID).insert(category, accountID, priority)
}

// clone copies the lists, so that changes to the copy do not affect a card that has the original.
func (s Slots) clone() Slots {
	return Slots{Checking: slices.Clone(s.Checking), Savings: slices.Clone(s.Savings)}
}

// with returns the slots with the list of one category replaced.
func (s Slots) with(category Category, accounts []int) Slots {
	if category == customer.Savings {
		s.Savings = accounts
	} else {
		s.Checking = accounts
	}
	return s
}
