package admin

import (
	"context"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/customer"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/customers"
)

func (d *Desk) customers() *Resource {
	return &Resource{
		Noun: "customer", Path: "customers", Item: "customers/{id}",
		ID:    Param{Name: "id", Help: "Number of the customer.", Number: true},
		Help:  "Customers.",
		Nav:   Nav{"Issuing", "Customers"},
		Empty: "Customers come from the core banking system: mintmark load --config mintmark.yaml FILE adds the first.",
		Roles: support,
		Columns: []string{
			"id", "programId", "firstName", "lastName", "status", "access", "isActive", "isLocked",
		},
		Fields: []Field{
			{Name: "id", Label: "Number", On: Creating, Required: true,
				Help: "The bank's own number."},
			{Name: "programId", Label: "Program", On: Creating, Required: true},
			{Name: "status", Label: "Status", Required: true,
				Choices: choices(customer.Statuses...)},
			{Name: "access", Label: "Access", Required: true,
				Choices: choices(customer.AccessTypes...)},
			{Name: "firstName", Label: "First name", Required: true},
			{Name: "lastName", Label: "Last name", Required: true},
			{Name: "birthDate", Label: "Birth date", Required: true,
				Help: "A calendar date, never returned."},
			{Name: "mobilePhone", Label: "Mobile phone"},
			{Name: "homePhone", Label: "Home phone"},
			{Name: "mailing", Label: "Mailing address"},
			{Name: "residence", Label: "Residence"},
			{Name: "isActive", Label: "Active", Default: "true"},
			{Name: "isLocked", Label: "Locked"},
			{Name: "deceasedDate", Label: "Deceased", Help: "A calendar date."},
		},
		List: plain(list(Op{
			Summary: "List customers", Example: "mintmark customer list --program 1 --q ada",
			Filters: []Field{
				thoseOfProgram, thoseWithStatus,
				{Name: "q", Label: "Number, name or telephone",
					Help: "a part of the number, a name or a telephone number"},
			},
		}, d.findCustomers), d.listCustomers),
		Show: get(Op{
			Summary: "Read a customer", Example: "mintmark customer get 1001",
		}, byID(showCustomer, d.acts.Customers.ReadCustomer)),
		Create: create(Op{
			Summary: "Create a customer of a program", Members: true,
			Help: "A card needs a customer who is Verified, with a telephone number and an address.",
			Example: "mintmark customer create --set id=1901 --set programId=1 " +
				"--set status=Verified --set access=FULL --set firstName=Grace " +
				"--set lastName=Example --set birthDate=1990-07-01 " +
				`--set mobilePhone="+1 555 0100" --set mailing.line1="1 Main Street" ` +
				`--set mailing.city="New York" --set mailing.postalCode=10001 ` +
				"--set mailing.country=US",
		}, d.createCustomer),
		Change: patch(Op{
			Summary: "Change a customer",
			Example: `mintmark customer update 1002 --set isLocked=true ` +
				`--reason "asked by telephone"`,
			ReasonHelp: "Cause and source of the request.",
		}, d.findCustomer, d.changeCustomer),
		Acts: []*Op{
			act(Op{
				Name: "erase", Summary: "Erase the personal data of a customer, its accounts " +
					"and its ended cards permanently",
				FourEyes: true, Reason: true, Risky: true,
				Help: "Its cards must be archived, denied or replaced, its orders done, and " +
					"its accounts without money. This cannot be undone.",
				Example:    `mintmark customer erase 1901 --reason "request 2026/17"`,
				Button:     "Erase customer {id} for good",
				ReasonHelp: "Number of the request. No name: the reason is kept permanently.",
				Effect: "Names, birth date, telephones and addresses are removed from the " +
					"customer, its accounts, its cards and the audit. This cannot be undone. " +
					"Its cards must be archived, denied or replaced, its orders done, and its " +
					"accounts without money.",
			}, atRevision[wire.PlainAct](showCustomer, d.acts.Customers.EraseCustomer)),
			list(Op{
				Name: "access", Summary: "List the accounts that a customer may use",
				Example: "mintmark customer access 1001",
			}, d.listAccess),
		},
	}
}

// Filters of customers and accounts.
var (
	thoseOfProgram  = Field{Name: "programId", Label: "Program", Help: "those of a program"}
	thoseWithStatus = Field{Name: "status", Label: "Status", Help: "those with a status"}
)

func (d *Desk) accounts() *Resource {
	read := byID(showAccount, d.acts.Customers.ReadAccount)
	return &Resource{
		Noun: "account", Path: "accounts", Item: "accounts/{id}",
		ID:    Param{Name: "id", Help: "Number of the account.", Number: true},
		Help:  "Accounts of customers, and who else has access.",
		Roles: support,
		Columns: []string{
			"id", "programId", "customerId", "type", "status", "name", "numberMasked",
			"accountBalance", "availableBalance", "held",
		},
		Fields: []Field{
			{Name: "id", Label: "Number", On: Creating, Required: true,
				Help: "The bank's own number."},
			{Name: "programId", Label: "Program", On: Creating, Required: true},
			{Name: "customerId", Label: "Customer", Required: true},
			{Name: "type", Label: "Type", Required: true,
				Choices: choices(customer.AccountTypes...)},
			{Name: "status", Label: "Status", Required: true,
				Choices: choices(customer.AccountStatuses...)},
			{Name: "name", Label: "Name", Required: true},
			{Name: "tag", Label: "Tag", Help: "The caller's own key of the account."},
			{Name: "accountNumber", Label: "Account number", Required: true,
				Help: "Given in full, shown masked, never returned."},
			{Name: "numberMasked", Label: "Account number", On: Shown},
			{Name: "accountBalance", Label: "Balance", Help: "0 when left out."},
			{Name: "availableBalance", Label: "Available",
				Help: "The balance when left out."},
			{Name: "pendingBalance", Label: "Pending", Help: "0 when left out."},
			{Name: "held", Label: "Held", On: Shown, Help: "Sum of the holds."},
		},
		List: list(Op{
			Summary: "List accounts", Example: "mintmark account list --customer 1001",
			Filters: []Field{
				thoseOfProgram,
				{Name: "customerId", Label: "Customer", Help: "those of an owner"},
				thoseWithStatus,
				{Name: "q", Label: "Search",
					Help: "a part of the number, the name, the tag or the masked number"},
			},
		}, d.listAccounts),
		Show: get(Op{
			Summary: "Read an account", Example: "mintmark account get 2001",
		}, read),
		Create: create(Op{
			Summary: "Create an account of a customer", Members: true,
			Help: "Its owner, too, needs access to it before a card can draw on it: " +
				"account access set.",
			Example: "mintmark account create --set id=2901 --set programId=1 " +
				"--set customerId=1001 --set type=Checking --set status=Open --set name=Travel " +
				"--set accountNumber=12345678 --set accountBalance=100",
		}, d.createAccount),
		Change: patch(Op{
			Summary: "Change an account",
			Example: `mintmark account update 2001 --set name="Everyday money"`,
		}, read, d.changeAccount),
	}
}

func (d *Desk) access() *Resource {
	return &Resource{
		Noun: "account access", Item: "accounts/{id}/access/{customerId}",
		In:      Param{Name: "id", Help: "Number of the account.", Number: true},
		ID:      Param{Name: "customerId", Help: "Number of the customer.", Number: true},
		Help:    "Access of customers to accounts of other customers.",
		Roles:   support,
		Columns: []string{"accountId", "customerId", "access", "revision"},
		Fields: []Field{{Name: "access", Label: "Access", Required: true,
			Help: "Rights of the customer on the account.", Choices: choices("FULL", "RDONLY", "NONE")}},
		Show: get(Op{
			Summary: "Read what a customer may do with an account",
			Example: "mintmark account access get 2001 1002",
		}, d.readAccess),
		Change: put(Op{
			Name: "set", Summary: "Set what a customer may do with an account",
			Example: "mintmark account access set 2001 1002 --access RDONLY " +
				`--reason "power of attorney"`,
		}, d.putAccess),
		Remove: remove(Op{
			Summary: "Remove the access of a customer to an account",
			Example: "mintmark account access remove 2001 1002 " +
				`--reason "the power of attorney has ended"`,
		}, d.deleteAccess),
	}
}

// listCustomers answers with a page of findCustomers, and records the read in the audit.
func (d *Desk) listCustomers(ctx context.Context, c *call) (wire.List[wire.Customer], error) {
	answer, err := reader[wire.Customer](d.findCustomers).list(ctx, c)
	if err != nil {
		return answer, err
	}
	return answer, d.noteShown(ctx, c, "list customers", answer.Items, nil)
}

func (d *Desk) findCustomers(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Customer, string, error) {
	return convertAll(showCustomer)(d.acts.Customers.ListCustomers(ctx, c.who,
		customers.CustomerFilter{
			ProgramID: c.number("programId"), Status: c.query.Get("status"), Text: c.query.Get("q"),
		}, page))
}

// showCustomer converts a customer, without the birth date.
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

func (d *Desk) listAccounts(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Account, string, error) {
	return convertAll(showAccount)(d.acts.Customers.ListAccounts(ctx, c.who,
		customers.AccountFilter{
			ProgramID: c.number("programId"), CustomerID: c.number("customerId"),
			Status: c.query.Get("status"), Text: c.query.Get("q"),
		}, page))
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

func (d *Desk) listAccess(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Access, string, error) {
	return convertAll(showAccess)(d.acts.Customers.ListAccess(ctx, c.who, c.id("id"), page))
}

func (d *Desk) readAccess(ctx context.Context, c *call) (wire.Access, error) {
	return convert(showAccess)(
		d.acts.Customers.FindAccess(ctx, c.who, c.id("id"), c.id("customerId")))
}

func (d *Desk) putAccess(
	ctx context.Context, c *call, a wire.PutAccess,
) (wire.Access, error) {
	return convert(showAccess)(d.acts.Customers.PutAccess(ctx, c.who, c.id("id"),
		c.id("customerId"), c.revision, a.Access))
}

func (d *Desk) deleteAccess(ctx context.Context, c *call) error {
	return d.acts.Customers.DeleteAccess(ctx, c.who, c.id("id"), c.id("customerId"), c.revision)
}

func showAccess(a customer.Access) wire.Access {
	return wire.Access{
		AccountID: a.AccountID, CustomerID: a.CustomerID, Revision: a.Revision,
		Access: string(a.Type),
	}
}
