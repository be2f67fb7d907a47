package customer

import "testing"

// accountTest is an account, a customer's access to it, and the results of both checks.
type accountTest struct {
	access  AccountAccess
	kind    AccountType
	status  AccountStatus
	primary string
	add     string
}

var accountTests = []accountTest{
	{FullAccess, Checking, Open, "", ""},
	{FullAccess, Savings, Open, "", ""},
	{FullAccess, Checking, PendingOpen, "", statusAdd("PendingOpen")},
	{FullAccess, Savings, Dormant, statusPrimary("Dormant"), statusAdd("Dormant")},
	{FullAccess, Checking, PendingClosed, statusPrimary("PendingClosed"),
		statusAdd("PendingClosed")},
	{FullAccess, Checking, Closed, statusPrimary("Closed"), statusAdd("Closed")},
	{FullAccess, ForBenefitOf, Open, typePrimary, typeAdd},

	// The order is access, type, status.
	{FullAccess, ForBenefitOf, Closed, typePrimary, typeAdd},
	{ReadOnly, ForBenefitOf, Closed, access("RDONLY"), access("RDONLY")},
	{NoAccess, Checking, Open, access("NONE"), access("NONE")},
}

const (
	typePrimary = "150210: Primary AccountId 2001 must be a Checking or Savings account."
	typeAdd     = "150603: AccountId 2001 must be a Checking or Savings account."
)

func access(kind string) string {
	return "150211: Insufficient access type " + kind + " for CustomerId 1001 to Primary " +
		"AccountId 2001 to add a card. FULL is required."
}

func statusPrimary(status string) string {
	return "150209: Primary AccountId 2001 is in invalid status of " + status +
		". Must be Open or PendingOpen."
}

func statusAdd(status string) string {
	return "150605: AccountId 2001 is in a status of " + status +
		". Must be Open to add it to a card."
}

func TestAccountChecks(t *testing.T) {
	for _, test := range accountTests {
		account := Account{ID: 2001, Type: test.kind, Status: test.status}
		wantFault(t, account.CheckPrimary(1001, test.access), test.primary)
		wantFault(t, account.CheckAdd(1001, test.access), test.add)
	}
}

func TestForCard(t *testing.T) {
	want := map[AccountType]bool{Checking: true, Savings: true}
	for _, kind := range AccountTypes {
		if kind.SupportsCards() != want[kind] {
			t.Errorf("%s is for a card: %v", kind, kind.SupportsCards())
		}
	}
}
