package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"mintmark/client/admin"
	wire "mintmark/client/sandbox"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing/customers"
	"mintmark/internal/store"
)

func (s *Controls) customerRoutes() []route {
	return []route{
		put("customers/{id}", s.changeCustomer),
		put("accounts/{id}", s.changeAccount),
	}
}

// The members have the names of the operators' interface. An id may have the name that it has in a
// bank's file; the former names of other members are also accepted.
var (
	ofCustomers = patching{
		fixed: []string{"id", "revision", "programId"},
		aliases: map[string]string{
			"customerId": "id", "accessType": "access", "mailingAddress": "mailing",
			"residenceAddress": "residence",
		},
	}
	ofAccounts = patching{
		fixed:   []string{"id", "revision", "programId", "held", "numberMasked"},
		aliases: map[string]string{"accountId": "id"},
	}
)

// changeTries is the maximum number of attempts at a change that conflicts with others.
const changeTries = 5

// retryOnConflict calls change again after a conflict with another change, so that it reads the
// resource again.
func retryOnConflict[A any](change func() (A, error)) (done A, err error) {
	for range changeTries {
		done, err = change()
		if !errors.Is(err, store.ErrLostUpdate) {
			break
		}
	}
	return done, err
}

// changeCustomer changes any property of a customer by a merge patch.
func (s *Controls) changeCustomer(ctx context.Context, c *call) (wire.Customer, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.Customer{}, err
	}
	return retryOnConflict(func() (wire.Customer, error) {
		before, err := s.Service.Customers.FindCustomer(ctx, c.system(), id)
		if err != nil {
			return wire.Customer{}, err
		}
		after, err := patched(ofCustomers, c.body, shownCustomer(before))
		if err != nil {
			return wire.Customer{}, err
		}
		holder, err := readCustomer(after)
		if err != nil {
			return wire.Customer{}, err
		}
		stored, err := s.Service.Customers.ChangeCustomer(ctx, c.system(), before.Revision, holder)
		return shownCustomer(stored), ofCustomers.renamed(err)
	})
}

func shownCustomer(c customer.Customer) wire.Customer {
	return wire.Customer{
		ID: c.ID, Revision: c.Revision, ProgramID: c.ProgramID, Status: string(c.Status),
		Access: string(c.AccessType), FirstName: c.FirstName, LastName: c.LastName,
		MobilePhone: c.MobilePhone, HomePhone: c.HomePhone, Mailing: shownAddress(c.Mailing),
		Residence: shownAddress(c.Residence), IsActive: c.IsActive, IsLocked: c.IsLocked,
		DeceasedDate: value.DateText(c.Deceased), BirthDate: value.DateText(c.Birth),
	}
}

func shownAddress(a customer.Address) *admin.Address {
	if a == (customer.Address{}) {
		return nil
	}
	shown := admin.Address(a)
	return &shown
}

// readCustomer converts the JSON form back to a customer. Dates are the only members that may fail
// to parse.
func readCustomer(c wire.Customer) (customer.Customer, error) {
	var wrong problem.List
	read := customer.Customer{
		Standing: customer.Standing{
			ID: c.ID, ProgramID: c.ProgramID, Status: customer.Status(c.Status),
			AccessType: customer.AccessType(c.Access), IsActive: c.IsActive, IsLocked: c.IsLocked,
			Deceased: readDate(&wrong, "deceasedDate", c.DeceasedDate),
			Birth:    readDate(&wrong, "birthDate", c.BirthDate),
		},
		FirstName: c.FirstName, LastName: c.LastName, MobilePhone: c.MobilePhone,
		HomePhone: c.HomePhone,
	}
	if c.Mailing != nil {
		read.Mailing = customer.Address(*c.Mailing)
	}
	if c.Residence != nil {
		read.Residence = customer.Address(*c.Residence)
	}
	if c.BirthDate == "" {
		wrong.Add("birthDate", "a value is required")
	}
	if len(wrong) > 0 {
		return customer.Customer{}, web.Invalid(wrong)
	}
	return read, nil
}

// readDate parses a calendar date, ignoring a time after it, which callers may send.
func readDate(wrong *problem.List, name, text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	day, _, _ := strings.Cut(text, "T")
	date, err := time.Parse(time.DateOnly, day)
	if err != nil {
		wrong.Add(name, "must be a date, such as 2026-03-14")
	}
	return date
}

// changeAccount changes any property of an account by a merge patch. The available balance moves
// with the balance unless the patch names it.
func (s *Controls) changeAccount(ctx context.Context, c *call) (wire.Account, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.Account{}, err
	}
	return retryOnConflict(func() (wire.Account, error) {
		before, err := s.Service.Customers.ReadAccount(ctx, c.system(), id)
		if err != nil {
			return wire.Account{}, err
		}
		after, err := patched(ofAccounts, c.body, shownAccount(before))
		if err != nil {
			return wire.Account{}, err
		}
		wanted, err := readAccount(before.Account, after, hasMember(c.body, "availableBalance"))
		if err != nil {
			return wire.Account{}, err
		}
		stored, err := s.Service.Customers.AdjustAccount(ctx, c.system(), before.Revision, wanted)
		return shownAccount(stored), ofAccounts.renamed(err)
	})
}

// hasMember reports whether a body, which is a JSON object, has a member.
func hasMember(body []byte, member string) bool {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(body, &members) // the body is valid: it was read before
	_, there := members[member]
	return there
}

func shownAccount(a customers.AccountSheet) wire.Account {
	amount := func(of value.Amount) json.Number {
		return json.Number(of.Fixed(max(a.Decimals, of.Digits())).String())
	}
	return wire.Account{
		ID: a.ID, Revision: a.Revision, ProgramID: a.ProgramID, CustomerID: a.CustomerID,
		Type: string(a.Type), Status: string(a.Status), Name: a.Name, Tag: a.Tag,
		NumberMasked: a.NumberMasked, AccountBalance: amount(a.Balance),
		AvailableBalance: amount(a.AvailableBalance), PendingBalance: amount(a.PendingBalance),
		Held: amount(a.Held),
	}
}

// readAccount converts the JSON form back to an account; other fields are those of before.
func readAccount(
	before customer.Account, a wire.Account, namesAvailable bool,
) (customers.AccountSpec, error) {
	var wrong problem.List
	after := before
	after.CustomerID, after.Type = a.CustomerID, customer.AccountType(a.Type)
	after.Status, after.Name, after.Tag = customer.AccountStatus(a.Status), a.Name, a.Tag
	after.Balance = readAmount(&wrong, "accountBalance", a.AccountBalance)
	after.AvailableBalance = readAmount(&wrong, "availableBalance", a.AvailableBalance)
	after.PendingBalance = readAmount(&wrong, "pendingBalance", a.PendingBalance)
	if !namesAvailable && !after.MoveAvailable(before) {
		wrong.Add("accountBalance", customer.AvailableTooLarge)
	}
	if len(wrong) > 0 {
		return customers.AccountSpec{}, web.Invalid(wrong)
	}
	return customers.AccountSpec{
		Account: after, Number: customer.AccountNumber(a.AccountNumber),
	}, nil
}

func readAmount(wrong *problem.List, name string, text json.Number) value.Amount {
	amount, err := value.ParseAmount(text.String())
	if err != nil || strings.Trim(text.String(), "-.0123456789") != "" {
		wrong.Add(name, "must be a number in plain decimal digits, such as 12.50")
	}
	return amount
}
