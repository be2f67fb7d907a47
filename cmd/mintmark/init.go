package main

import (
	"context"
	"fmt"
	"strings"

	"mintmark/internal/operate/installation"
)

// initCommand creates the keys and the database that serve, load and migrate need.
type initCommand struct {
	place
	custodians
	AcceptPinKey bool `help:"Replace the PIN key recorded in the database; without pin-private.pem a new key is made."`
}

func (initCommand) Help() string {
	return "Existing keys and databases are kept: a second run changes nothing. On each further " +
		"node of a PostgreSQL database, copy keyset.json and pin-private.pem from the first; " +
		"init checks that they belong to the database. " +
		"New key files are wrapped when the settings name a custody, or with " +
		"--custodians ada,grace by the passphrases of these two.\n\n" +
		"mintmark init --config mintmark.yaml"
}

func (i initCommand) Run(ctx context.Context, at installation.Location, c console) error {
	if err := i.apply(&at.Custody); err != nil {
		return err
	}
	initialized, err := installation.Init(ctx, at, i.AcceptPinKey)
	if err != nil {
		return err
	}
	unchanged := !initialized.Remembered && !initialized.MadeProcessorKey
	for _, line := range []struct {
		said bool
		text string
	}{
		{initialized.MadeKeyset, "The keyset in " + at.Data + " was made."},
		{initialized.MadePinKey, "The PIN key in " + at.Data + " was made."},
		{initialized.MadeProcessorKey, "The processor key in " + at.Data + " was made."},
		{initialized.MadeDatabase, "The database " + at.String() + " was made."},
		{initialized.Remembered, "The keys are recorded in the database."},
		{unchanged, "Keys and database exist; nothing was changed."},
	} {
		if line.said {
			fmt.Fprintln(c.out, line.text)
		}
	}
	if err := c.sayNewCustody(at, initialized.MadeKeyset); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "keyset   %s\nPIN key  %s\n",
		initialized.Installation.Keyset, initialized.Installation.PinKey)
	if initialized.MadeDatabase {
		fmt.Fprintf(c.err, "The first operator: mintmark operator create NAME "+
			"--role administrator %s\n", i.flags())
	}
	return nil
}

// sayNewCustody prints who can unwrap new key files.
func (c console) sayNewCustody(at installation.Location, created bool) error {
	if !created {
		return nil
	}
	state, err := installation.CustodyOf(at)
	if err == nil && state.Custody != "none" {
		fmt.Fprintf(c.out, "The key files are wrapped: %s %s.\n", state.Custody,
			strings.Join(state.Custodians, " and ")+state.TransitKey)
	}
	return err
}
