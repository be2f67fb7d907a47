package admin

import (
	"context"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/customer"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/customers"
)

func (f *Face) customerRoutes() []*Op {
	text := Field{Name: "q", Help: "a part of the number, a name or a telephone number"}
	ofProgram := Field{Name: "programId", Help: "those of a program"}
	status := Field{Name: "status", Help: "those with a status"}
	return []*Op{
		list(Op{
			Path: "customers", Summary: "List customers", Roles: support,
			Filters: []Field{ofProgram, status, text},
		}, f.listCustomers),
		get(Op{
			Path: "customers/{id}", Summary: "Read a customer", Roles: support,
		}, f.readCustomer),
		create(Op{
			Path: "customers", Summary: "Make a customer of a program", Roles: support,
		}, f.createCustomer),
		patch(Op{
			Path: "customers/{id}", Summary: "Change a customer", Roles: support,
		}, f.customer, f.changeCustomer),
		fourEyes(act(Op{
			Path: "customers/{id}/erase", Summary: "Erase what says something about a person " +
				"from a customer, its accounts and its cards, which must be over; for good",
			Roles: support, Reason: true,
		}, f.eraseCustomer)),
		list(Op{
			Path: "customers/{id}/access", Summary: "List the accounts that a customer may use",
			Roles: support,
		}, f.listAccess),
		list(Op{
			Path: "accounts", Summary: "List accounts", Roles: support,
			Filters: []Field{ofProgram, {Name: "customerId", Help: "those of an owner"}, status,
				{Name: "q", Help: "a part of the number, the name, the tag or the masked number"}},
		}, f.listAccounts),
		get(Op{
			Path: "accounts/{id}", Summary: "Read an account", Roles: support,
		}, f.readAccount),
		create(Op{
			Path: "accounts", Summary: "Make an account of a customer", Roles: support,
		}, f.createAccount),
		patch(Op{
			Path: "accounts/{id}", Summary: "Change an account", Roles: support,
		}, f.readAccount, f.changeAccount),
		get(Op{
			Path:    "accounts/{id}/access/{customerId}",
			Summary: "Read what a customer may do with an account", Roles: support,
		}, f.readAccess),
		put(Op{
			Path:    "accounts/{id}/access/{customerId}",
			Summary: "Say what a customer may do with an account", Roles: support,
		}, f.putAccess),
		remove(Op{
			Path:    "accounts/{id}/access/{customerId}",
			Summary: "Take the access of a customer to an account away", Roles: support,
		}, f.deleteAccess),
	}
}

func (f *Face) listCustomers(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Customer, string, error) {
	programID, err := c.queryNumber("programId")
	if err != nil {
		return nil, "", err
	}
	found, last, err := f.acts.Customers.ListCustomers(ctx, c.who, customers.CustomerFilter{
		ProgramID: programID, Status: c.query.Get("status"), Text: c.query.Get("q"),
	}, page)
	return forms(found, showCustomer), last, err
}

func (f *Face) readCustomer(ctx context.Context, c *call) (wire.Customer, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.Customer{}, err
	}
	found, err := f.acts.Customers.ReadCustomer(ctx, c.who, id)
	return showCustomer(found), err
}

// showCustomer shows a customer, without the birth date.
func showCustomer(c customer.Customer) wire.Customer {
	shown := wire.Customer{
		ID: c.ID, Revision: c.Revision, ProgramID: c.ProgramID, Status: string(c.Status),
		Access: string(c.AccessType), FirstName: c.FirstName, LastName: c.LastName,
		MobilePhone: c.MobilePhone, HomePhone: c.HomePhone, Mailing: showAddress(c.Mailing),
		Residence: showAddress(c.Residence), IsActive: c.IsActive, IsLocked: c.IsLocked,
	}
	if !c.Deceased.IsZero() {
		shown.DeceasedDate = c.Deceased.Format(time.DateOnly)
	}
	return shown
}

func showAddress(a customer.Address) *wire.Address {
	if a == (customer.Address{}) {
		return nil
	}
	shown := wire.Address(a)
	return &shown
}

func (f *Face) listAccounts(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Account, string, error) {
	programID, err := c.queryNumber("programId")
	if err != nil {
		return nil, "", err
	}
	customerID, err := c.queryNumber("customerId")
	if err != nil {
		return nil, "", err
	}
	found, last, err := f.acts.Customers.ListAccounts(ctx, c.who, customers.AccountFilter{
		ProgramID: programID, CustomerID: customerID, Status: c.query.Get("status"),
		Text: c.query.Get("q"),
	}, page)
	return forms(found, showAccount), last, err
}

func (f *Face) readAccount(ctx context.Context, c *call) (wire.Account, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.Account{}, err
	}
	found, err := f.acts.Customers.ReadAccount(ctx, c.who, id)
	return showAccount(found), err
}

func showAccount(a customers.AccountSheet) wire.Account {
	return wire.Account{
		ID: a.ID, Revision: a.Revision, ProgramID: a.ProgramID, CustomerID: a.CustomerID,
		Type: string(a.Type), Status: string(a.Status), Name: a.Name,
		Tag: a.Tag, NumberMasked: a.NumberMasked, AccountBalance: amount(a.Balance, a.Decimals),
		AvailableBalance: amount(a.AvailableBalance, a.Decimals),
		PendingBalance:   amount(a.PendingBalance, a.Decimals), Held: amount(a.Held, a.Decimals),
	}
}

func (f *Face) listAccess(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Access, string, error) {
	id, err := c.number("id")
	if err != nil {
		return nil, "", err
	}
	found, last, err := f.acts.Customers.ListAccess(ctx, c.who, id, page)
	return forms(found, showAccess), last, err
}

// accessNumbers are the account and the customer of the path.
func (c *call) accessNumbers() (accountID, customerID int, err error) {
	accountID, err = c.number("id")
	if err != nil {
		return 0, 0, err
	}
	customerID, err = c.number("customerId")
	return accountID, customerID, err
}

func (f *Face) readAccess(ctx context.Context, c *call) (wire.Access, error) {
	accountID, customerID, err := c.accessNumbers()
	if err != nil {
		return wire.Access{}, err
	}
	found, err := f.acts.Customers.FindAccess(ctx, c.who, accountID, customerID)
	return showAccess(found), err
}

func (f *Face) putAccess(
	ctx context.Context, c *call, asked wire.PutAccess,
) (wire.Access, error) {
	accountID, customerID, err := c.accessNumbers()
	if err != nil {
		return wire.Access{}, err
	}
	stored, err := f.acts.Customers.PutAccess(ctx, c.who, accountID, customerID, c.revision, asked.Access)
	return showAccess(stored), err
}

func (f *Face) deleteAccess(ctx context.Context, c *call) error {
	accountID, customerID, err := c.accessNumbers()
	if err != nil {
		return err
	}
	return f.acts.Customers.DeleteAccess(ctx, c.who, accountID, customerID, c.revision)
}

func showAccess(a customer.Access) wire.Access {
	return wire.Access{
		AccountID: a.AccountID, CustomerID: a.CustomerID, Revision: a.Revision,
		Access: string(a.Type),
	}
}
