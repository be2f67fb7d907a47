package customer

import (
	"time"

	"mintmark/internal/base/problem"
)

// Validate returns the problems of a customer that an operator wants to store. It compares members
// only if each is valid by itself.
func (c Customer) Validate(now time.Time) problem.List {
	problems := problem.Check(c)
	if c.IsErased() {
		return problems.Without("birthDate")
	}
	if len(problems) > 0 {
		return problems
	}
	switch {
	case c.Birth.After(now):
		problems.Add("birthDate", "lies in the future")
	case c.Birth.Before(EarliestBirth(now)):
		problems.Add("birthDate", "lies more than %d years ago", maxAgeYears)
	}
	switch {
	case c.Deceased.IsZero():
	case c.Deceased.Before(c.Birth):
		problems.Add("deceasedDate", "lies before birthDate")
	case c.Deceased.After(now):
		problems.Add("deceasedDate", "lies in the future")
	}
	return problems
}

// EarliestBirth returns the earliest birth date that a customer may have.
func EarliestBirth(now time.Time) time.Time {
	return now.UTC().AddDate(-maxAgeYears, 0, 1).Truncate(24 * time.Hour)
}

// Validate returns the problems of an account that an operator wants to store, in a program whose
// amounts have decimalCount decimal places.
func (a Account) Validate(decimalCount int) problem.List {
	problems := problem.Check(a)
	for _, balance := range a.balances() {
		if balance.amount.Digits() > decimalCount {
			problems.Add(balance.name, "has more decimal digits than the program's %d", decimalCount)
		}
	}
	return problems
}

// Validate returns the problems of an access that an operator wants to store.
func (a Access) Validate() problem.List { return problem.Check(a) }
