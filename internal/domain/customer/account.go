package customer

import (
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/fault"
)

// AccountStatus is the status of an account, from opening to closing.
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

// AccountType is the type of an account.
type AccountType string

// The types of an account. A card can draw on the first two.
const (
	Checking     AccountType = "Checking"
	Savings      AccountType = "Savings"
	ForBenefitOf AccountType = "ForBenefitOf"
)

// AccountTypes lists the types of an account.
var AccountTypes = []AccountType{Checking, Savings, ForBenefitOf}

// Account is a customer's account. Its balances are those that the bank last supplied, as changed
// since by card-based transfers: see package authorization.
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
	Held             value.Amount // sum of the active holds, which reduce AvailableBalance

	BalanceModified time.Time
	Modified        time.Time

	Revision int // counts the changes of the stored account; 0 for a new account
}

// AccountAccess is a customer's level of access to an account.
type AccountAccess string

// The levels of a customer's access to an account.
const (
	FullAccess AccountAccess = "FULL"
	ReadOnly   AccountAccess = "RDONLY"
	NoAccess   AccountAccess = "NONE"
)

// Access is a customer's access to an account.
type Access struct {
	CustomerID int
	AccountID  int
	Type       AccountAccess

	Revision int // counts the changes of the stored access; 0 for a new access
}

// balance is a balance of an account, by the name that operators use.
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

// MoveAvailable changes the available balance by the change of the balance since before, and
// reports whether the result fits into an amount.
func (a *Account) MoveAvailable(before Account) (fits bool) {
	a.AvailableBalance.TenThousandths, fits = value.Sum(a.AvailableBalance.TenThousandths,
		a.Balance.TenThousandths, -before.Balance.TenThousandths)
	return fits
}

// AvailableTooLarge is the problem of a balance that makes the available balance too large.
const AvailableTooLarge = "makes the available balance too large, with or without the holds"

// SupportsCards reports whether a card can draw on accounts of this type.
func (t AccountType) SupportsCards() bool { return t == Checking || t == Savings }

// CheckPrimary returns the fault that prevents the account from being the first of a new card, or
// nil. It checks access, type and status in that order (fault.AccountAccess,
// fault.PrimaryAccountType and fault.PrimaryAccountStatus).
func (a Account) CheckPrimary(customerID int, access AccountAccess) error {
	if access != FullAccess {
		return fault.New(fault.AccountAccess, access, customerID, a.ID)
	}
	if !a.Type.SupportsCards() {
		return fault.New(fault.PrimaryAccountType, a.ID)
	}
	if a.Status != Open && a.Status != PendingOpen {
		return fault.New(fault.PrimaryAccountStatus, a.ID, a.Status)
	}
	return nil
}

// CheckAdd returns the fault that prevents the account from being added to a card, or nil. It
// checks access, type and status in that order (fault.AccountAccess, fault.AddAccountType and
// fault.AddAccountStatus).
func (a Account) CheckAdd(customerID int, access AccountAccess) error {
	if access != FullAccess {
		return fault.New(fault.AccountAccess, access, customerID, a.ID)
	}
	if !a.Type.SupportsCards() {
		return fault.New(fault.AddAccountType, a.ID)
	}
	if a.Status != Open {
		return fault.New(fault.AddAccountStatus, a.ID, a.Status)
	}
	return nil
}

// WithoutPeople returns the account without the strings that people chose. It keeps the masked
// account number, which is needed for comparison with the bank's books.
func (a Account) WithoutPeople() Account {
	a.Name, a.Tag = "", ""
	return a
}

// IsErased reports whether the account was left by the erasure of its customer: any other account
// has a name.
func (a Account) IsErased() bool { return a.ID != 0 && a == a.WithoutPeople() }
