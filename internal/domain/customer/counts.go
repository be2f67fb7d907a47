package customer

// Uses are the cards that a customer created or holds and that are not at their end, and
// the accounts that it owns and that are not closed.
type Uses struct{ Cards, Accounts int }

// AccountTotals are the control totals of a program: how many accounts it has, and the sum of their
// balances in ten-thousandths.
type AccountTotals struct {
	Accounts int
	Balance  int64
}
