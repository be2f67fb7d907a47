package cli

import (
	"context"

	"mintmark/client/admin"
)

// binCommands are the commands on ranges of card numbers.
type binCommands struct {
	List   binList   `cmd:"" help:"List the BINs of a program."`
	Get    binGet    `cmd:"" help:"Print a BIN."`
	Create binCreate `cmd:"" help:"Add a BIN to a program."`
	Update binUpdate `cmd:"" help:"Change a BIN."`
}

// binList lists BINs.
type binList struct {
	Listing
	inProgram
	Q string `name:"q" placeholder:"TEXT" help:"With a text in the description or digits." group:"Filter"`
}

func (binList) Help() string { return "mintmark bin list --program 1" }

func (b binList) Run(ctx context.Context, t Terminal) error {
	return b.list(ctx, t, path("programs", b.Program, "bins"), query("q", b.Q), columns[admin.Bin](
		"id", "vendorTypeCode", "firstBody", "lastBody", "validMonths", "isActive", "description"))
}

// binGet prints a BIN.
type binGet struct {
	Remote
	inProgram
	ID int `arg:"" help:"Number of the BIN."`
}

func (binGet) Help() string { return "mintmark bin get 1 --program 1" }

func (b binGet) Run(ctx context.Context, t Terminal) error {
	return b.get(ctx, t, path("programs", b.Program, "bins", b.ID))
}

// binCreate adds a BIN.
type binCreate struct {
	Making
	inProgram
	Vendor      string `required:"" placeholder:"CODE" help:"Card vendor, such as VS."`
	FirstBody   string `required:"" xor:"first" placeholder:"DIGITS" help:"Lowest number, without its check digit."`
	LastBody    string `required:"" xor:"last" placeholder:"DIGITS" help:"Highest number, without its check digit."`
	First       string `hidden:"" required:"" xor:"first"` // the name of before
	Last        string `hidden:"" required:"" xor:"last"`  // the name of before
	ValidMonths int    `required:"" placeholder:"N" help:"How long a new card is valid."`
	Description string `placeholder:"TEXT" help:"For people."`
	Inactive    bool   `help:"No new cards are made from it yet."`
}

func (binCreate) Help() string {
	return "mintmark bin create --program 1 --vendor VS --first-body 499999000000000 " +
		"--last-body 499999999999999 --valid-months 36"
}

func (b binCreate) Run(ctx context.Context, t Terminal) error {
	if b.First != "" {
		t.say("--first is called --first-body now.")
	}
	if b.Last != "" {
		t.say("--last is called --last-body now.")
	}
	return b.post(ctx, t, path("programs", b.Program, "bins"), body{
		"vendorTypeCode": b.Vendor, "firstBody": b.FirstBody + b.First,
		"lastBody":    b.LastBody + b.Last,
		"validMonths": b.ValidMonths, "isActive": !b.Inactive,
	}.with("description", b.Description))
}

// binUpdate changes a BIN.
type binUpdate struct {
	ID int `arg:"" help:"Number of the BIN."`
	inProgram
	Update
}

func (binUpdate) Help() string {
	return `mintmark bin update 1 --program 1 --set description="debit cards"`
}

func (b binUpdate) Run(ctx context.Context, t Terminal) error {
	return b.update(ctx, t, path("programs", b.Program, "bins", b.ID), bins)
}
