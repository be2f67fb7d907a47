package admin

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing/customers"
	"mintmark/internal/store"
)

// Creating and changing customers and their accounts.

// findCustomer returns the customer of a patch. In a dry run it counts as a read, and is audited as
// such, because a dry run shows the customer and leaves no other entry.
func (d *Desk) findCustomer(ctx context.Context, c *call) (wire.Customer, error) {
	read := d.acts.Customers.FindCustomer
	if c.who.DryRun {
		read = d.acts.Customers.ReadCustomer
	}
	return convert(showCustomer)(read(ctx, c.who, c.id("id")))
}

func (d *Desk) createCustomer(
	ctx context.Context, c *call, n wire.NewCustomer,
) (wire.Customer, error) {
	wanted, err := wantedCustomer(wire.Customer{
		ID: n.ID, ProgramID: n.ProgramID, Status: n.Status, Access: n.Access,
		FirstName: n.FirstName, LastName: n.LastName, BirthDate: n.BirthDate,
		MobilePhone: n.MobilePhone, HomePhone: n.HomePhone, Mailing: n.Mailing,
		Residence: n.Residence, IsActive: n.IsActive == nil || *n.IsActive,
		IsLocked: n.IsLocked, DeceasedDate: n.DeceasedDate,
	})
	if err != nil {
		return wire.Customer{}, err
	}
	holder, err := d.acts.Customers.CreateCustomer(ctx, c.who, wanted)
	return convert(showCustomer)(holder, renamed(inProgram(err), "customerId", "id"))
}

func (d *Desk) changeCustomer(
	ctx context.Context, c *call, after wire.Customer,
) (wire.Customer, error) {
	wanted, err := wantedCustomer(after)
	if err != nil {
		return wire.Customer{}, err
	}
	changed, err := d.acts.Customers.ChangeCustomer(ctx, c.who, c.revision, wanted)
	return convert(showCustomer)(changed, renamed(err, "customerId", "id"))
}

// wantedCustomer converts the requested state of a customer.
func wantedCustomer(w wire.Customer) (customer.Customer, error) {
	var wrong problem.List
	wanted := customer.Customer{
		Standing: customer.Standing{
			ID: w.ID, ProgramID: w.ProgramID, Status: customer.Status(w.Status),
			AccessType: customer.AccessType(w.Access), IsActive: w.IsActive, IsLocked: w.IsLocked,
			Deceased: readDate(&wrong, "deceasedDate", w.DeceasedDate),
			Birth:    readDate(&wrong, "birthDate", w.BirthDate),
		},
		FirstName: w.FirstName, LastName: w.LastName,
		MobilePhone: w.MobilePhone, HomePhone: w.HomePhone,
	}
	if w.Mailing != nil {
		wanted.Mailing = customer.Address(*w.Mailing)
	}
	if w.Residence != nil {
		wanted.Residence = customer.Address(*w.Residence)
	}
	if len(wrong) > 0 {
		return wanted, web.Invalid(wrong)
	}
	return wanted, nil
}

// readDate parses a calendar date. An empty string is the zero time.
func readDate(wrong *problem.List, name, text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	date, err := time.Parse(time.DateOnly, text)
	if err != nil {
		wrong.Add(name, "must be a date, such as 1985-03-14")
	}
	return date
}

// inProgram reports an unknown program as a problem of the member programId.
func inProgram(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return web.Invalid(problem.List{{Path: "programId", Text: "names no program in scope"}})
	}
	return err
}

func (d *Desk) createAccount(
	ctx context.Context, c *call, n wire.NewAccount,
) (wire.Account, error) {
	if n.AvailableBalance == "" {
		n.AvailableBalance = n.AccountBalance
	}
	wanted, err := wantedAccount(wire.Account{
		ID: n.ID, ProgramID: n.ProgramID, CustomerID: n.CustomerID, Type: n.Type,
		Status: n.Status, Name: n.Name, Tag: n.Tag, AccountNumber: n.AccountNumber,
		AccountBalance: n.AccountBalance, AvailableBalance: n.AvailableBalance,
		PendingBalance: n.PendingBalance,
	}, customers.AccountSheet{})
	if err != nil {
		return wire.Account{}, err
	}
	accountSheet, err := d.acts.Customers.CreateAccount(ctx, c.who, wanted)
	return convert(showAccount)(accountSheet, renamed(inProgram(err), "accountId", "id"))
}

func (d *Desk) changeAccount(
	ctx context.Context, c *call, after wire.Account,
) (wire.Account, error) {
	before, err := d.acts.Customers.ReadAccount(ctx, c.who, after.ID)
	if err != nil {
		return wire.Account{}, err
	}
	wanted, err := wantedAccount(after, before)
	if err != nil {
		return wire.Account{}, err
	}
	changed, err := d.acts.Customers.ChangeAccount(ctx, c.who, c.revision, wanted)
	return convert(showAccount)(changed, renamed(err, "accountId", "id"))
}

// wantedAccount converts the requested state of an account. A balance that equals the one shown
// before stays unchanged, including decimals that the program does not show.
func wantedAccount(
	w wire.Account, before customers.AccountSheet,
) (customers.AccountSpec, error) {
	var wrong problem.List
	was := showAccount(before)
	balance := func(name string, wanted, shown json.Number, kept value.Amount) value.Amount {
		if wanted == "" || before.ID != 0 && wanted == shown {
			return kept
		}
		read, err := value.ParseAmount(wanted.String())
		if err != nil {
			wrong.Add(name, "%v", err)
		}
		return read
	}
	wanted := customers.AccountSpec{
		Account: customer.Account{
			ID: w.ID, ProgramID: w.ProgramID, CustomerID: w.CustomerID,
			Type: customer.AccountType(w.Type), Status: customer.AccountStatus(w.Status),
			Name: w.Name, Tag: w.Tag,
			Balance: balance("accountBalance", w.AccountBalance, was.AccountBalance,
				before.Balance),
			AvailableBalance: balance("availableBalance", w.AvailableBalance,
				was.AvailableBalance, before.AvailableBalance),
			PendingBalance: balance("pendingBalance", w.PendingBalance, was.PendingBalance,
				before.PendingBalance),
		},
		Number: customer.AccountNumber(w.AccountNumber),
	}
	if len(wrong) > 0 {
		return wanted, web.Invalid(wrong)
	}
	return wanted, nil
}
