package cli

import (
	"context"

	"mintmark/client/admin"
)

// bankCommands are the commands on banks.
type bankCommands struct {
	List   bankList   `cmd:"" help:"List banks."`
	Get    bankGet    `cmd:"" help:"Print a bank."`
	Create bankCreate `cmd:"" help:"Make a bank."`
	Update bankUpdate `cmd:"" help:"Change a bank."`
}

// bankList lists banks.
type bankList struct {
	Listing
	Q string `name:"q" placeholder:"TEXT" help:"With a text in the name." group:"Filter"`
}

func (bankList) Help() string { return "mintmark bank list" }

func (b bankList) Run(ctx context.Context, t Terminal) error {
	return b.list(ctx, t, "banks", query("q", b.Q), columns[admin.Bank]("id", "name", "revision"))
}

// bankGet prints a bank.
type bankGet struct {
	Remote
	ID int `arg:"" help:"Number of the bank."`
}

func (bankGet) Help() string { return "mintmark bank get 1" }

func (b bankGet) Run(ctx context.Context, t Terminal) error {
	return b.get(ctx, t, path("banks", b.ID))
}

// bankCreate makes a bank.
type bankCreate struct {
	Making
	Name string `arg:"" help:"Name of the bank."`
	ID   int    `name:"id" placeholder:"ID" help:"Its number; the next one when left out."`
}

func (bankCreate) Help() string { return `mintmark bank create "Third Bank"` }

func (b bankCreate) Run(ctx context.Context, t Terminal) error {
	return b.post(ctx, t, "banks", body{"name": b.Name}.with("id", b.ID))
}

// bankUpdate changes a bank.
type bankUpdate struct {
	ID int `arg:"" help:"Number of the bank."`
	Update
}

func (bankUpdate) Help() string { return `mintmark bank update 1 --set name="First Bank"` }

func (b bankUpdate) Run(ctx context.Context, t Terminal) error {
	return b.update(ctx, t, path("banks", b.ID), resource{})
}
