package cli

import "context"

// binByHand replaces the command that creates a BIN, because two of its flags had other names
// before.
type binByHand struct {
	Create binCreate `cmd:"" help:"Create a BIN."`
}

type binCreate struct {
	CreateFlags
	Program     int    `required:"" placeholder:"ID" help:"Number of the program."`
	Vendor      string `required:"" placeholder:"CODE" help:"Card vendor, such as VS."`
	FirstBody   string `required:"" xor:"first" placeholder:"DIGITS" help:"Lowest number, without its check digit."`
	LastBody    string `required:"" xor:"last" placeholder:"DIGITS" help:"Highest number, without its check digit."`
	First       string `hidden:"" required:"" xor:"first"` // old name
	Last        string `hidden:"" required:"" xor:"last"`  // old name
	ValidMonths int    `required:"" placeholder:"N" help:"How long a new card is valid."`
	Description string `placeholder:"TEXT" help:"Description for operators."`
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
