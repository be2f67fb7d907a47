package main

import (
	"context"
	"fmt"

	"mintmark/internal/cli"
	"mintmark/internal/operate/rows"
)

// cardByHand holds the commands on cards that are written by hand.
type cardByHand struct {
	Search      cli.CardSearch      `cmd:"" help:"Find a card by its whole number, which is read from standard input."`
	Compromised cli.CardCompromised `cmd:"" help:"Lock or replace cards with compromised numbers."`
	Import      cardImportCommand   `cmd:"" help:"Import cards with their existing numbers."`
}

type cardImportCommand struct {
	place
	cli.CardImport
}

func (cardImportCommand) Help() string {
	return "With --data or --config it writes to the database on this machine; otherwise it " +
		"sends the file to a service.\n\nEach line is a JSON object. The first names the source, " +
		"the program and the sequence, as for mintmark feed; each other line is a card. The card " +
		"processor gets no order. Everything is checked first: if there is a mistake, nothing " +
		"is written. An interrupted run continues when the same file is sent again.\n\n" +
		"A file with readable numbers is refused without --plain.\n\n" +
		"A complete file:\n\n" + rows.CardsExample + "\n" +
		"age --encrypt --recipient age1... --output cards.age cards.ndjson\n\n" +
		"mintmark card import cards.age --data DIR --dry-run\n\n" +
		"docs/moving.md explains every member."
}

func (i cardImportCommand) Run(ctx context.Context, c console) error {
	if i.elsewhere() {
		return i.CardImport.Run(ctx, c.terminal())
	}
	terminal, err := i.Checked(c.terminal())
	if err != nil {
		return err
	}
	at, err := i.where()
	if err != nil {
		return err
	}
	takeOneCore()
	ctx, end := c.progress(ctx, "bytes")
	report, err := rows.ImportCards(ctx, rows.FeedOptions{
		Location: at, File: i.File, In: terminal.In, Accept: i.Accept, DryRun: i.DryRun,
		Tell: func(rows.FeedChange) {},
	})
	end()
	if err != nil {
		return err
	}
	for _, line := range report.Lines() {
		fmt.Fprintln(c.out, line)
	}
	cli.PrintApplied(c.terminal(), i.DryRun, report.Source, report.Sequence, report.After,
		report.Repeated)
	return nil
}
