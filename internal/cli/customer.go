package cli

import (
	"context"

	"mintmark/client/admin"
)

// customerCommands are the commands on customers.
type customerCommands struct {
	List customerList `cmd:"" help:"List customers."`
	Get  customerGet  `cmd:"" help:"Print a customer."`

	Create customerCreate `cmd:"" help:"Make a customer, under the number that the bank has given it."`
	Update customerUpdate `cmd:"" help:"Change a customer."`

	Erase customerErase `cmd:"" help:"Erase what says something about a person, for good."`

	Access customerAccess `cmd:"" help:"List the accounts that a customer may use."`
}

// customerList lists customers.
type customerList struct {
	Listing
	Program int    `placeholder:"ID" help:"Of a program." group:"Filter"`
	Status  string `placeholder:"STATUS" help:"With a status, such as Active." group:"Filter"`
	Q       string `name:"q" placeholder:"TEXT" help:"With a text in what a person would search by." group:"Filter"`
}

func (customerList) Help() string { return "mintmark customer list --program 1 --q ada" }

func (c customerList) Run(ctx context.Context, t Terminal) error {
	return c.list(ctx, t, "customers", query("programId", c.Program, "status", c.Status, "q", c.Q),
		columns[admin.Customer]("id", "programId", "firstName", "lastName", "status", "access",
			"isActive", "isLocked"))
}

// customerGet prints a customer.
type customerGet struct {
	Remote
	ID int `arg:"" help:"Number of the customer."`
}

func (customerGet) Help() string { return "mintmark customer get 1001" }

func (c customerGet) Run(ctx context.Context, t Terminal) error {
	return c.get(ctx, t, path("customers", c.ID))
}

// customerCreate makes a customer.
type customerCreate struct{ Creation }

func (customerCreate) Help() string {
	return customers.help("A card needs a customer who is Verified, with a telephone number and an " +
		"address.\n\n" + `mintmark customer create --set id=1901 --set programId=1 --set status=Verified ` +
		`--set access=FULL --set firstName=Grace --set lastName=Example ` +
		`--set birthDate=1990-07-01 --set mobilePhone="+1 555 0100" ` +
		`--set mailing.line1="1 Main Street" --set mailing.city="New York" ` +
		`--set mailing.postalCode=10001 --set mailing.country=US`)
}

func (c customerCreate) Run(ctx context.Context, t Terminal) error {
	return c.create(ctx, t, "customers", customers)
}

// customerUpdate changes a customer.
type customerUpdate struct {
	ID int `arg:"" help:"Number of the customer."`
	Update
}

func (customerUpdate) Help() string {
	return `mintmark customer update 1002 --set isLocked=true --reason "asked by telephone"`
}

func (c customerUpdate) Run(ctx context.Context, t Terminal) error {
	return c.update(ctx, t, path("customers", c.ID), customers)
}

// customerErase erases a customer.
type customerErase struct {
	Change
	ID int `arg:"" help:"Number of the customer."`
}

func (customerErase) Help() string {
	return "Its cards must be over, its orders done and its accounts without money. " +
		"Nothing brings the data back.\n\n" +
		`mintmark customer erase 1901 --reason "request 2026/17"`
}

func (c customerErase) Run(ctx context.Context, t Terminal) error {
	return c.act(ctx, t, path("customers", c.ID, "erase"), body{})
}

// customerAccess lists what a customer may do with which account.
type customerAccess struct {
	Listing
	ID int `arg:"" help:"Number of the customer."`
}

func (customerAccess) Help() string { return "mintmark customer access 1001" }

func (c customerAccess) Run(ctx context.Context, t Terminal) error {
	return c.list(ctx, t, path("customers", c.ID, "access"), query(),
		columns[admin.Access]("accountId", "customerId", "access", "revision"))
}
