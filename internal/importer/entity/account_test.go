package entity

import (
	"testing"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
)

// TestAccountRange checks that no row makes the available balance too large: neither with the open
// holds, as in the store, nor without them, as shown.
func TestAccountRange(t *testing.T) {
	t.Parallel()
	const most = "922337203685477.5807"
	for _, row := range []struct{ balance, available, wrong string }{
		{balance: most, wrong: "accountBalance"},
		{balance: "922337203685467.5807"},
		{available: "-" + most, wrong: "availableBalance"},
		{available: most},
	} {
		stored := customer.Account{ID: 2001, Held: amount(t, "10")} // 10 is available without the hold
		given := map[string]string{"accountBalance": row.balance, "availableBalance": row.available}
		merge := OfAccount(stored, func(member string) bool { return given[member] != "" })
		if row.balance != "" {
			merge.After.Balance = amount(t, row.balance)
		}
		if row.available != "" {
			merge.After.AvailableBalance = amount(t, row.available)
		}
		merge.MoveAvailable()
		path := ""
		for _, wrong := range merge.RangeProblems() {
			path = wrong.Path
		}
		if path != row.wrong {
			t.Errorf("%+v: the wrong member is %q", row, path)
		}
	}
}

func amount(t *testing.T, text string) value.Amount {
	t.Helper()
	a, err := value.ParseAmount(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
