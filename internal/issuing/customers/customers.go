package customers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/customer"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// readCustomerAct is the audit name of an operator's read of a customer.
const readCustomerAct = "read customer"

// CustomerFilter selects customers to list. A zero field does not restrict.
type CustomerFilter struct {
	ProgramID int
	Status    string
	Text      string // a part of the name, a telephone number or the ID
}

// ListCustomers returns the customers that an operator may see, in ascending order of their IDs.
func (s *Service) ListCustomers(
	ctx context.Context, who issuing.Operator, filter CustomerFilter, page issuing.Page,
) (customers []customer.Customer, last string, err error) {
	if err := checkFilter(filter.Text, filter.Status, customer.Statuses); err != nil {
		return nil, "", err
	}
	number := func(c customer.Customer) int { return c.ID }
	return issuing.PageOf(ctx, s.Service, who, filter.ProgramID, page, number, func(
		r store.Tx, programs []int, after, limit int,
	) ([]customer.Customer, error) {
		ids, err := r.Customers().List(store.CustomerQuery{
			Programs: programs, Status: customer.Status(filter.Status), Text: filter.Text,
			After: after, Limit: limit,
		})
		if err != nil {
			return nil, err
		}
		byID, err := r.Customers().FindMany(ids)
		return ordered(byID, number), err
	})
}

// checkFilter validates the filter of a list of customers or accounts.
func checkFilter[S ~string](text, status string, statuses []S) error {
	var wrong problem.List
	if status != "" && !slices.Contains(statuses, S(status)) {
		wrong.Add("", "the parameter status is not one of their statuses")
	}
	return wrong.Err()
}

// ordered returns the values of a map in ascending order of their IDs.
func ordered[T any](byID map[int]T, id func(T) int) []T {
	all := make([]T, 0, len(byID))
	for _, item := range byID {
		all = append(all, item)
	}
	slices.SortFunc(all, func(a, b T) int { return cmp.Compare(id(a), id(b)) })
	return all
}

// ReadCustomer returns a customer to an operator, and records the read in the audit.
func (s *Service) ReadCustomer(
	ctx context.Context, who issuing.Operator, customerID int,
) (customer.Customer, error) {
	c, err := s.FindCustomer(ctx, who, customerID)
	if err != nil {
		return customer.Customer{}, err
	}
	return c, s.PutEntry(ctx, audit.Entry{
		Actor: who.Actor, Act: readCustomerAct, ProgramID: c.ProgramID,
		Outcome: issuing.OutcomeRead,
		Subject: audit.Of(audit.Customer, customerID),
	})
}

// AccountFilter selects accounts to list. A zero field does not restrict.
type AccountFilter struct {
	ProgramID  int
	CustomerID int // the owner
	Status     string
	Text       string // a part of the name, the tag, the masked number or the ID
}

// AccountSheet is an account as shown to an operator.
type AccountSheet struct {
	customer.Account
	Decimals int // digits after the decimal point of the program's amounts
}

// ListAccounts returns the accounts that an operator may see, in ascending order of their IDs.
func (s *Service) ListAccounts(
	ctx context.Context, who issuing.Operator, filter AccountFilter, page issuing.Page,
) (sheets []AccountSheet, last string, err error) {
	if err := checkFilter(filter.Text, filter.Status, customer.AccountStatuses); err != nil {
		return nil, "", err
	}
	number := func(a customer.Account) int { return a.ID }
	accounts, last, err := issuing.PageOf(ctx, s.Service, who, filter.ProgramID, page, number, func(
		r store.Tx, programs []int, after, limit int,
	) ([]customer.Account, error) {
		ids, err := r.Accounts().List(store.AccountQuery{
			Programs: programs, CustomerID: filter.CustomerID, Text: filter.Text,
			Status: customer.AccountStatus(filter.Status), After: after, Limit: limit,
		})
		if err != nil {
			return nil, err
		}
		byID, err := r.Accounts().FindMany(ids)
		return ordered(byID, number), err
	})
	if err != nil {
		return nil, "", err
	}
	for _, a := range accounts {
		program, err := s.ProgramCache.Find(ctx, s.Store, a.ProgramID)
		if err != nil {
			return nil, "", err
		}
		sheets = append(sheets, AccountSheet{a, program.Settings.DecimalCount})
	}
	return sheets, last, nil
}

// ReadAccount returns an account in the operator's scope, with the decimals of its amounts.
func (s *Service) ReadAccount(
	ctx context.Context, who issuing.Operator, accountID int,
) (AccountSheet, error) {
	a, err := store.ViewOf(ctx, s.Store, func(r store.Tx) (customer.Account, error) {
		byID, err := r.Accounts().FindMany([]int{accountID})
		account, there := byID[accountID]
		if err == nil && !there {
			err = fmt.Errorf("account %d: %w", accountID, store.ErrNotFound)
		}
		return account, err
	})
	if err != nil {
		return AccountSheet{}, err
	}
	program, err := s.ProgramInScope(ctx, who, a.ProgramID)
	if err != nil {
		return AccountSheet{}, err
	}
	return AccountSheet{a, program.Settings.DecimalCount}, nil
}

// ListAccess returns the access of a customer to accounts, including the customer's own.
func (s *Service) ListAccess(
	ctx context.Context, who issuing.Operator, customerID int, page issuing.Page,
) (access []customer.Access, last string, err error) {
	after, err := page.Number()
	if err != nil {
		return nil, "", err
	}
	if _, err := s.FindCustomer(ctx, who, customerID); err != nil {
		return nil, "", err
	}
	access, err = store.ViewOf(ctx, s.Store, func(r store.Tx) ([]customer.Access, error) {
		all, err := r.Access().List([]int{customerID})
		slices.SortFunc(all, func(a, b customer.Access) int {
			return cmp.Compare(a.AccountID, b.AccountID)
		})
		earlier := func(a customer.Access) bool { return a.AccountID <= after }
		return slices.DeleteFunc(all, earlier), err
	})
	if err != nil {
		return nil, "", err
	}
	access, last = issuing.CutPage(access, page, func(a customer.Access) int { return a.AccountID })
	return access, last, nil
}

// FindAccess returns the access of a customer to an account.
func (s *Service) FindAccess(
	ctx context.Context, who issuing.Operator, accountID, customerID int,
) (customer.Access, error) {
	if _, err := s.ReadAccount(ctx, who, accountID); err != nil {
		return customer.Access{}, err
	}
	return store.ViewOf(ctx, s.Store, func(r store.Tx) (customer.Access, error) {
		access, err := accessIn(r, accountID, customerID)
		if err == nil && access.Revision == 0 {
			err = fmt.Errorf("access of customer %d: %w", customerID, store.ErrNotFound)
		}
		return access, err
	})
}

// accessIn returns the access of a customer to an account, with revision 0 if there is none.
func accessIn(r store.Tx, accountID, customerID int) (customer.Access, error) {
	all, err := r.Access().List([]int{customerID})
	for _, a := range all {
		if a.AccountID == accountID {
			return a, err
		}
	}
	return customer.Access{CustomerID: customerID, AccountID: accountID}, err
}

// PutAccess sets the access of a customer to an account. revision is that of the access as read, 0
// for any.
func (s *Service) PutAccess(
	ctx context.Context, who issuing.Operator, accountID, customerID, revision int, access string,
) (customer.Access, error) {
	if !slices.Contains(customer.AccountAccesses, customer.AccountAccess(access)) {
		return customer.Access{}, issuing.Invalid("access", "must be one of FULL, RDONLY, NONE")
	}
	var stored customer.Access
	err := s.changeAccess(ctx, who, accountID, customerID, revision, "grant access",
		func(tx *issuing.Tx, before customer.Access) error {
			people, err := tx.Customers().FindMany([]int{customerID})
			if err != nil {
				return err
			}
			if people[customerID].ProgramID != tx.Caller.ProgramID {
				return issuing.Invalid("", "the program has no customer %d", customerID)
			}
			after := before
			after.Type = customer.AccountAccess(access)
			stored = after
			stored.Revision++
			if after == before {
				stored = before
				return nil
			}
			outcome := issuing.OutcomeChanged
			if before.Revision == 0 {
				outcome = issuing.OutcomeCreated
			}
			if err := tx.Access().Put(after); err != nil {
				return err
			}
			return auditAccess(tx, before, after, outcome)
		})
	return stored, err
}

// DeleteAccess deletes the access of a customer to an account.
func (s *Service) DeleteAccess(
	ctx context.Context, who issuing.Operator, accountID, customerID, revision int,
) error {
	return s.changeAccess(ctx, who, accountID, customerID, revision, "take access away",
		func(tx *issuing.Tx, before customer.Access) error {
			if before.Revision == 0 {
				return store.ErrNotFound
			}
			if err := tx.Access().Delete(before); err != nil {
				return err
			}
			return auditAccess(tx, before, customer.Access{}, issuing.OutcomeDeleted)
		})
}

func (s *Service) changeAccess(
	ctx context.Context, who issuing.Operator, accountID, customerID, revision int, act string,
	change func(*issuing.Tx, customer.Access) error,
) error {
	account, err := s.ReadAccount(ctx, who, accountID)
	if err != nil {
		return err
	}
	err = s.Act(ctx, who, issuing.InProgram(account.ProgramID), act, func(tx *issuing.Tx) error {
		before, err := accessIn(tx, accountID, customerID)
		if err == nil {
			err = issuing.CheckRevisionIf("the access", before.Revision, revision)
		}
		if err != nil {
			return err
		}
		return change(tx, before)
	})
	return err
}

// auditAccess stores the entry of a change of an access. Its subject is the customer.
func auditAccess(tx *issuing.Tx, before, after customer.Access, outcome string) error {
	of := max(before.CustomerID, after.CustomerID)
	return tx.PutEntry(audit.Entry{
		Subject: audit.Of(audit.Customer, of), Outcome: outcome,
		Before: accessText(before), After: accessText(after),
	})
}

func accessText(a customer.Access) string {
	if a.Type == "" {
		return ""
	}
	return audit.Members("accountId", strconv.Itoa(a.AccountID), "access", string(a.Type))
}
