package customer

import (
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/fault"
)

// AccountStatus says how far an account is opened or closed.
type AccountStatus string

// The statuses of an account.
const (
	PendingOpen   AccountStatus = "PendingOpen"
	Open          AccountStatus = "Open"
	Dormant       AccountStatus = "Dormant"
	PendingClosed AccountStatus = "PendingClosed"
	Closed        AccountStatus = "Closed"
)

// AccountStatuses lists the statuses of an account.
var AccountStatuses = []AccountStatus{PendingOpen, Open, Dormant, PendingClosed, Closed}

// AccountType tells checking and savings accounts apart.
type AccountType string

// The types of an account. A card can draw on the first two.
const (
	Checking     AccountType = "Checking"
	Savings      AccountType = "Savings"
	ForBenefitOf AccountType = "ForBenefitOf"
)

// AccountTypes lists the types of an account.
var AccountTypes = []AccountType{Checking, Savings, ForBenefitOf}

// Account is a customer's account. Its balances are what the bank's ledger said last, and what
// card-based transfers have made of that since: see package authorization.
type Account struct {
	ID           int
	ProgramID    int
	CustomerID   int // the owner
	Type         AccountType
	Status       AccountStatus
	Name         string
	Tag          string
	NumberMasked string

	Balance          value.Amount
	AvailableBalance value.Amount
	PendingBalance   value.Amount
	Held             value.Amount // the sum of the holds that stand, which lower AvailableBalance

	BalanceModified time.Time
	Modified        time.Time

	Revision int // counts the changes of the stored account; 0 when it is new
}

// AccountAccess says what a customer may do with one account.
type AccountAccess string

// The accesses of a customer to an account.
const (
	FullAccess AccountAccess = "FULL"
	ReadOnly   AccountAccess = "RDONLY"
	NoAccess   AccountAccess = "NONE"
)

// Access is a customer's access to one account.
type Access struct {
	CustomerID int
	AccountID  int
	Type       AccountAccess

	Revision int // counts the changes of the stored access; 0 when it is new
}

// balance is one of the balances of an account, by the name that operators know.
type balance struct {
	name   string
	amount value.Amount
}

func (a Account) balances() []balance {
	return []balance{
		{"accountBalance", a.Balance}, {"availableBalance", a.AvailableBalance},
		{"pendingBalance", a.PendingBalance},
	}
}

// HasBalancesOf reports whether the account has the same balances as another.
func (a Account) HasBalancesOf(other Account) bool {
	return a.Balance.TenThousandths == other.Balance.TenThousandths &&
		a.AvailableBalance.TenThousandths == other.AvailableBalance.TenThousandths &&
		a.PendingBalance.TenThousandths == other.PendingBalance.TenThousandths
}

// MoveAvailable moves the available balance by as much as the balance differs from that of the account
// before, and reports whether an amount holds the result.
func (a *Account) MoveAvailable(before Account) (fits bool) {
	a.AvailableBalance.TenThousandths, fits = value.Sum(a.AvailableBalance.TenThousandths,
		a.Balance.TenThousandths, -before.Balance.TenThousandths)
	return fits
}

// NoRange is the problem of a balance that makes the available one too large.
const NoRange = "makes the available balance too large, with or without the holds"

// ForCard reports whether a card can draw on accounts of this type.
func (t AccountType) ForCard() bool { return t == Checking || t == Savings }

// CheckPrimary returns the fault that keeps the account from being the first of a new card, or
// nil. The order is fixed: access, type, status (fault.AccountAccess, fault.PrimaryAccountType and
// fault.PrimaryAccountStatus).
func (a Account) CheckPrimary(customerID int, access AccountAccess) error {
	if access != FullAccess {
		return fault.New(fault.AccountAccess, access, customerID, a.ID)
	}
	if !a.Type.ForCard() {
		return fault.New(fault.PrimaryAccountType, a.ID)
	}
	if a.Status != Open && a.Status != PendingOpen {
		return fault.New(fault.PrimaryAccountStatus, a.ID, a.Status)
	}
	return nil
}

// CheckAdd returns the fault that keeps the account from being added to a card, or nil: access,
// type, status (fault.AccountAccess, fault.AddAccountType and fault.AddAccountStatus).
func (a Account) CheckAdd(customerID int, access AccountAccess) error {
	if access != FullAccess {
		return fault.New(fault.AccountAccess, access, customerID, a.ID)
	}
	if !a.Type.ForCard() {
		return fault.New(fault.AddAccountType, a.ID)
	}
	if a.Status != Open {
		return fault.New(fault.AddAccountStatus, a.ID, a.Status)
	}
	return nil
}

// WithoutPeople returns the account without the texts that people gave it. Its masked number, which
// the books of the bank are compared by, stays.
func (a Account) WithoutPeople() Account {
	a.Name, a.Tag = "", ""
	return a
}

// IsErased reports whether the account is as the erasure of its customer leaves one: any other
// account has a name.
func (a Account) IsErased() bool { return a.ID != 0 && a == a.WithoutPeople() }
