package customer

// Uses counts the cards that a customer created or holds and that are not at their end, and the
// accounts that the customer owns and that are not closed.
type Uses struct{ Cards, Accounts int }

// AccountTotals holds the control totals of a program: the number of its accounts, and the sum of
// their balances in ten-thousandths.
type AccountTotals struct {
	Accounts int
	Balance  int64
}
