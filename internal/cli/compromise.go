package cli

import (
	"context"

	"mintmark/client/admin"
)

// CardCompromised reports compromised card numbers. With --plain it also accepts numbers in the
// clear.
type CardCompromised struct {
	Remote
	Program int    `required:"" placeholder:"ID" help:"Number of the program."`
	Name    string `required:"" placeholder:"NAME" help:"Name of the list."`
	Act     string `required:"" enum:"lock,replace" placeholder:"ACT" help:"lock: at once and for good, as suspected fraud; replace: order cards with other numbers."`
	PerDay  int    `placeholder:"N" help:"How many cards are replaced a day; all at once unless given."`
	Reason  string `required:"" placeholder:"TEXT" help:"Why, for the audit."`
	DryRun  bool   `help:"Print which numbers are cards of the program, and change nothing."`
	File    string `arg:"" help:"File with a card number a line, encrypted with age; - reads standard input."`
}

// Help returns the help text below the flags.
func (CardCompromised) Help() string {
	return "The cards are handled while the server runs; mintmark compromise get prints how far " +
		"they are. The same numbers again are the same list. Numbers are never arguments: other " +
		"users of the machine see those. A file with readable numbers is refused without " +
		"--plain.\n\n" +
		"echo 4111 1111 1111 1111 | mintmark card compromised - --program 1 --name shop --act lock " +
		"--reason \"told by the scheme\""
}

// Run sends the card numbers and prints what is done about their cards.
func (c CardCompromised) Run(ctx context.Context, t Terminal) error {
	t, err := c.checked(t, c.File)
	if err != nil {
		return err
	}
	request := pathOf("compromises", query("programId", c.Program, "name", c.Name, "act", c.Act,
		"perDay", c.PerDay))
	request.Reason, request.DryRun, request.FileType = c.Reason, c.DryRun, "text/plain"
	text, err := c.sendRows(ctx, t, c.File, request)
	if err != nil {
		return err
	}
	list, err := printed[admin.Compromise](c.Remote, t, text)
	switch {
	case err != nil:
		return err
	case list.Repeated:
		t.say("The same numbers were reported before; nothing was done.")
	case c.DryRun:
		t.say("Nothing was done.")
	}
	return nil
}
