package operator

import (
	"testing"

	"mintmark/internal/base/problem"
)

// TestCheckScope refuses a scope without banks, with some besides all, and with what is no bank.
func TestCheckScope(t *testing.T) {
	for _, c := range []struct {
		scope Scope
		want  string
	}{
		{Scope{All: true}, ""},
		{Scope{Banks: []int{1}}, ""},
		{Scope{}, "banks: at least one bank is needed, or all banks"},
		{Scope{All: true, Banks: []int{1}}, "banks: must be empty when allBanks is true"},
		{Scope{Banks: []int{0}}, "banks: 0 is not the number of a bank"},
	} {
		var wrong problem.List
		CheckScope(c.scope, &wrong)
		if got := wrong.String(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.scope, got, c.want)
		}
	}
}
