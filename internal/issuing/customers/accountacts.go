package customers

import (
	"context"
	"fmt"
	"slices"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/customer"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Audit names of operators' acts on accounts.
const (
	createAccountAct = "create account"
	changeAccountAct = "change account"
)

// AccountSpec is an account as an operator requests it.
type AccountSpec struct {
	customer.Account
	// Number is the complete account number, of which the last four digits are stored. If it is
	// empty, the account keeps its number.
	Number customer.AccountNumber
}

// CreateAccount stores a new account of a customer under the ID that the bank assigned. PutAccess
// grants its owner access to it.
func (s *Service) CreateAccount(
	ctx context.Context, who issuing.Operator, wanted AccountSpec,
) (AccountSheet, error) {
	return s.changeAccount(ctx, who, wanted, createAccountAct,
		func(tx *issuing.Tx, stored map[int]customer.Account) (AccountSheet, error) {
			var taken error
			if _, ok := stored[wanted.ID]; ok {
				taken = issuing.AlreadyExists("account", wanted.ID)
			}
			a := wanted.Account
			a.Held, a.Revision = value.Amount{}, 0
			sheet, err := putAccount(tx, a, wanted.Number, customer.Account{})
			return sheet, issuing.PreferInvalid(err, taken)
		})
}

// ChangeAccount changes an account at the revision that the operator read. It stays with its
// customer and keeps its type, because cards draw on it. If the balance changes and the available
// balance does not, the available balance moves by the same amount.
func (s *Service) ChangeAccount(
	ctx context.Context, who issuing.Operator, revision int, wanted AccountSpec,
) (AccountSheet, error) {
	return s.changeAccount(ctx, who, wanted, changeAccountAct,
		func(tx *issuing.Tx, stored map[int]customer.Account) (AccountSheet, error) {
			before, after, err := wanted.atRevision(revision, stored)
			if err != nil {
				return AccountSheet{}, err
			}
			switch {
			case wanted.CustomerID != before.CustomerID:
				return AccountSheet{}, issuing.Refuse(fmt.Sprintf(
					"The account belongs to customer %d. "+
						"Only mintmark load moves it.", before.CustomerID))
			case wanted.Type != before.Type:
				return AccountSheet{}, issuing.Refuse(fmt.Sprintf("The account is a %s account. "+
					"Only mintmark load changes the type.", before.Type))
			case before.IsErased() && !after.IsErased():
				return AccountSheet{}, issuing.Refuse(
					"The customer of the account was erased. Nothing brings the data back.")
			}
			if after.AvailableBalance.TenThousandths == before.AvailableBalance.TenThousandths &&
				!after.MoveAvailable(before) {
				return AccountSheet{}, issuing.Invalid("accountBalance", customer.AvailableTooLarge)
			}
			return putAccount(tx, after, wanted.Number, before)
		})
}

// atRevision returns the stored account, which must have the revision that the operator read, and
// the requested account.
func (wanted AccountSpec) atRevision(
	revision int, stored map[int]customer.Account,
) (before, after customer.Account, err error) {
	before, there := stored[wanted.ID]
	if !there || before.ProgramID != wanted.ProgramID {
		return before, after, fmt.Errorf("account %d: %w", wanted.ID, store.ErrNotFound)
	}
	after = wanted.Account
	after.NumberMasked, after.Held = before.NumberMasked, before.Held
	after.Revision = before.Revision
	return before, after, issuing.CheckRevision("the account", before.Revision, revision)
}

// changeAccount runs an act on an account, which receives the stored account with its ID, if any.
func (s *Service) changeAccount(
	ctx context.Context, who issuing.Operator, wanted AccountSpec, act string,
	change func(*issuing.Tx, map[int]customer.Account) (AccountSheet, error),
) (done AccountSheet, err error) {
	err = s.Act(ctx, who, issuing.InProgram(wanted.ProgramID), act, func(tx *issuing.Tx) error {
		stored, err := tx.Accounts().FindMany([]int{wanted.ID})
		if err == nil {
			done, err = change(tx, stored)
		}
		return err
	})
	return done, err
}

// putAccount validates an account and stores it with its audit entry. before is the zero value for
// a new account.
func putAccount(tx *issuing.Tx,
	after customer.Account, number customer.AccountNumber, before customer.Account,
) (AccountSheet, error) {
	var wrong problem.List
	if number != "" {
		wrong = problem.Check(number)
		after.NumberMasked = number.Masked()
	}
	decimals := tx.Program.Settings.DecimalCount
	if len(wrong) == 0 {
		wrong = accountProblems(after, before, decimals)
	}
	// The store holds this sum, so it must fit.
	if _, fits := value.Sum(after.AvailableBalance.TenThousandths, after.Held.TenThousandths); !fits {
		wrong.Add("availableBalance", customer.AvailableTooLarge)
	}
	if err := wrong.Err(); err != nil {
		return AccountSheet{}, err
	}
	if err := checkOwner(tx, after); err != nil {
		return AccountSheet{}, err
	}
	was := issuing.Members(nil)
	if before.ID != 0 {
		was = accountMembers(before)
	}
	now := tx.Now()
	after.BalanceModified = before.BalanceModified
	if before.ID == 0 || !after.HasBalancesOf(before) {
		after.BalanceModified = now
	}
	after.Modified = now
	open := []string{
		"programId", "customerId", "type", "status", "accountBalance", "availableBalance",
		"pendingBalance",
	}
	err := tx.PutPrivate(audit.Of(audit.Account, after.ID), was, accountMembers(after), open,
		&after.Revision, func() error { return tx.Accounts().Put(after) })
	return AccountSheet{after, decimals}, err
}

// accountProblems returns the problems of an account. An unchanged balance may have more digits
// than the program has now, and an account of an erased customer has no name.
func accountProblems(after, before customer.Account, decimals int) problem.List {
	problems := after.Validate(decimals)
	if before.IsErased() {
		problems = problems.Without("name")
	}
	if before.ID == 0 || !after.HasBalancesOf(before) {
		return problems
	}
	known := before.Validate(decimals)
	return slices.DeleteFunc(problems, func(wrong problem.Problem) bool {
		return slices.Contains(known, wrong)
	})
}

// checkOwner returns an error unless the customer of an account is one of its program.
func checkOwner(tx *issuing.Tx, a customer.Account) error {
	owners, err := tx.Customers().FindMany([]int{a.CustomerID})
	if err == nil && owners[a.CustomerID].ProgramID != a.ProgramID {
		return issuing.Invalid("customerId", "names no customer of program %d", a.ProgramID)
	}
	return err
}

func accountMembers(a customer.Account) issuing.Members {
	return issuing.Members{
		"programId": a.ProgramID, "customerId": a.CustomerID, "type": a.Type, "status": a.Status,
		"name": a.Name, "tag": a.Tag, "accountNumber": a.NumberMasked,
		"accountBalance":   a.Balance.Fixed(value.AmountDigits),
		"availableBalance": a.AvailableBalance.Fixed(value.AmountDigits),
		"pendingBalance":   a.PendingBalance.Fixed(value.AmountDigits),
	}
}
