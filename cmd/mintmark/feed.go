package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"mintmark/internal/cli"
	"mintmark/internal/operate/installation"
	"mintmark/internal/operate/rows"
)

type feedCommand struct {
	place
	cli.Feed
}

func (feedCommand) Help() string {
	var losses []string
	for _, name := range rows.FeedLosses.Names() {
		losses = append(losses, fmt.Sprintf("%s: %s", name, rows.FeedLosses[name]))
	}
	return "With --data or --config it writes to the database on this machine; otherwise it " +
		"sends the rows to a service.\n\nEach line is a JSON object. The first names the source, " +
		"the program and the sequence; a sequence is applied once, in order. Each other line is " +
		"a customer, an account, an access or a balance. Members left out keep their value. " +
		"Everything is checked first. An interrupted run continues when the same file is fed " +
		"again. The exit code is 1 when the totals of the last line differ from the stored " +
		"ones.\n\nLosses that --accept allows: " + strings.Join(losses, "; ") +
		".\n\nA complete file:\n\n" + rows.FeedExample + "\n" +
		"mintmark feed --data DIR --dry-run FILE\n\nmintmark feed rows.ndjson\n\n" +
		"docs/data.md explains every member."
}

func (f feedCommand) Run(ctx context.Context, c console) error {
	if unknown := rows.FeedLosses.Unknown(f.Accept); unknown != "" {
		return fmt.Errorf("--accept: %s: not one of: %s", unknown,
			strings.Join(rows.FeedLosses.Names(), ", "))
	}
	if f.elsewhere() {
		return f.Feed.Run(ctx, c.terminal())
	}
	at, err := f.where()
	if err != nil {
		return err
	}
	takeOneCore()
	ctx, end := c.progress(ctx, "bytes")
	report, err := rows.Feed(ctx, rows.FeedOptions{
		Location: at, File: f.File, In: os.Stdin, Accept: f.Accept, DryRun: f.DryRun,
		Tell: func(change rows.FeedChange) {
			if f.DryRun {
				fmt.Fprintln(c.out, change)
			}
		},
	})
	end()
	if err != nil {
		return err
	}
	for _, line := range report.Lines() {
		fmt.Fprintln(c.out, line)
	}
	cli.PrintApplied(c.terminal(), f.DryRun, report.Source, report.Sequence, report.After,
		report.Repeated)
	return cli.TotalsError(report.Differs())
}

type exportCommand struct {
	place
	Program int    `placeholder:"ID" help:"Number of the program; required if there are several."`
	Source  string `default:"core" help:"The source that the first line names (${default})."`
	Out     string `type:"path" placeholder:"FILE" help:"File to write, which must not exist; standard output without it."`
}

func (exportCommand) Help() string {
	return "The rows are those of mintmark feed, with the next sequence: fed into the " +
		"same installation they change nothing. The file holds data of customers.\n\n" +
		"mintmark export --data DIR --program 1 --out customers.ndjson"
}

func (e exportCommand) Run(ctx context.Context, at installation.Location, c console) error {
	exporting := rows.ExportOptions{Location: at, Source: e.Source, Program: e.Program}
	if e.Out == "" {
		return rows.Export(ctx, exporting, "standard output", c.out)
	}
	ctx, end := c.progress(ctx, "bytes")
	defer end()
	return rows.ExportTo(ctx, exporting, e.Out)
}
