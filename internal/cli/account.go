package cli

import (
	"context"

	"mintmark/client/admin"
)

// accountCommands are the commands on accounts of customers.
type accountCommands struct {
	List   accountList           `cmd:"" help:"List accounts."`
	Get    accountGet            `cmd:"" help:"Print an account, its number masked."`
	Create accountCreate         `cmd:"" help:"Make an account of a customer, under the number that the bank has given it."`
	Update accountUpdate         `cmd:"" help:"Change an account."`
	Access accountAccessCommands `cmd:"" help:"What customers may do with an account of somebody else."`
}

// accountList lists accounts.
type accountList struct {
	Listing
	Program  int    `placeholder:"ID" help:"Of a program." group:"Filter"`
	Customer int    `placeholder:"ID" help:"Of a customer." group:"Filter"`
	Status   string `placeholder:"STATUS" help:"With a status, such as Open." group:"Filter"`
	Q        string `name:"q" placeholder:"TEXT" help:"With a text in what a person would search by." group:"Filter"`
}

func (accountList) Help() string { return "mintmark account list --customer 1001" }

func (a accountList) Run(ctx context.Context, t Terminal) error {
	filter := query("programId", a.Program, "customerId", a.Customer, "status", a.Status, "q", a.Q)
	return a.list(ctx, t, "accounts", filter, columns[admin.Account]("id", "programId",
		"customerId", "type", "status", "name", "numberMasked", "accountBalance",
		"availableBalance", "held"))
}

// accountGet prints an account.
type accountGet struct {
	Remote
	ID int `arg:"" help:"Number of the account."`
}

func (accountGet) Help() string { return "mintmark account get 2001" }

func (a accountGet) Run(ctx context.Context, t Terminal) error {
	return a.get(ctx, t, path("accounts", a.ID))
}

// accountCreate makes an account.
type accountCreate struct{ Creation }

func (accountCreate) Help() string {
	return accounts.help("Its owner, too, needs access to it before a card can draw on it: " +
		"account access set.\n\n" +
		`mintmark account create --set id=2901 --set programId=1 --set customerId=1001 ` +
		`--set type=Checking --set status=Open --set name=Travel ` +
		`--set accountNumber=12345678 --set accountBalance=100`)
}

func (a accountCreate) Run(ctx context.Context, t Terminal) error {
	err := a.create(ctx, t, "accounts", accounts)
	if err == nil {
		t.say("Its owner needs access to it before a card can draw on it: " +
			"mintmark account access set ACCOUNT CUSTOMER --access FULL")
	}
	return err
}

// accountUpdate changes an account.
type accountUpdate struct {
	ID int `arg:"" help:"Number of the account."`
	Update
}

func (accountUpdate) Help() string {
	return `mintmark account update 2001 --set name="Everyday money"`
}

func (a accountUpdate) Run(ctx context.Context, t Terminal) error {
	return a.update(ctx, t, path("accounts", a.ID), accounts)
}

// accountAccessCommands are the commands on who else may use an account.
type accountAccessCommands struct {
	Get    accessGet    `cmd:"" help:"Print what a customer may do with an account."`
	Set    accessSet    `cmd:"" help:"Say what a customer may do with an account."`
	Remove accessRemove `cmd:"" help:"Take a customer's access to an account away."`
}

// accessOf names an account and a customer.
type accessOf struct {
	Account  int `arg:"" help:"Number of the account."`
	Customer int `arg:"" help:"Number of the customer."`
}

func (a accessOf) path() string { return path("accounts", a.Account, "access", a.Customer) }

// accessGet prints an access.
type accessGet struct {
	Remote
	accessOf
}

func (accessGet) Help() string { return "mintmark account access get 2001 1002" }

func (a accessGet) Run(ctx context.Context, t Terminal) error { return a.get(ctx, t, a.path()) }

// accessSet sets an access.
type accessSet struct {
	Change
	accessOf
	Access string `required:"" enum:"FULL,RDONLY,NONE" help:"What the customer may do: ${enum}."`
}

func (accessSet) Help() string {
	return `mintmark account access set 2001 1002 --access RDONLY --reason "power of attorney"`
}

// Run sets it. Without a revision in the flags it replaces the access as it stands, or makes one.
func (a accessSet) Run(ctx context.Context, t Terminal) error {
	request := a.request("PUT", a.path(), body{"access": a.Access})
	request.Revision = a.Revision
	if a.Revision == 0 {
		found, err := a.revisionOf(ctx, a.path())
		problem, refused := problemIn(err)
		if err != nil && !(refused && problem.Name() == admin.NotFound) {
			return err
		}
		request.Revision = found
	}
	return a.show(ctx, t, request)
}

// accessRemove takes an access away.
type accessRemove struct {
	Change
	accessOf
}

func (accessRemove) Help() string {
	return `mintmark account access remove 2001 1002 --reason "the power of attorney has ended"`
}

func (a accessRemove) Run(ctx context.Context, t Terminal) error {
	return a.remove(ctx, t, a.path())
}
