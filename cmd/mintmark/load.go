package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"mintmark/internal/operate/rows"
)

type loadCommand struct {
	place
	DryRun bool     `name:"dry-run" help:"Check the file, print each change, and write nothing."`
	Accept []string `help:"Allow a change that loses data, by the name in the refusal." placeholder:"LOSS"`
	File   string   `arg:"" type:"existingfile" help:"YAML file."`
}

func (loadCommand) Help() string {
	var losses []string
	for _, name := range rows.Losses.Names() {
		losses = append(losses, fmt.Sprintf("%s: %s", name, rows.Losses[name]))
	}
	return "A file may hold these lists, all optional:\n\n" + rows.LoadSummary +
		"\nEntries are matched by number or name. Members left out keep their value, null " +
		"removes it, and a list replaces the one before; bins and " +
		"pciKeys that are not listed stay. Cards are only added. Everything is checked first, " +
		"and nothing is written if the file has a fault.\n\nLosses that --accept allows: " +
		strings.Join(losses, "; ") + ".\n\nmintmark load --config mintmark.yaml --dry-run FILE " +
		"prints what would change. A complete file:\n\n" + rows.LoadExample +
		"\ndocs/load.md explains every member, and internal/app/demo/demo.yaml is a worked example."
}

func (l loadCommand) Run(ctx context.Context, c console) error {
	loading := rows.LoadOptions{File: l.File, Accept: l.Accept, DryRun: l.DryRun}
	if unknown := rows.Losses.Unknown(l.Accept); unknown != "" {
		return fmt.Errorf("--accept: %s: not one of: %s", unknown,
			strings.Join(rows.Losses.Names(), ", "))
	}
	var err error
	loading.Location, err = l.where()
	if err != nil {
		return err
	}
	loading.Tell = func(line string) {
		if l.DryRun {
			fmt.Fprintln(c.out, line)
		}
	}
	takeOneCore()
	ctx, end := c.progress(ctx, "entries")
	report, err := rows.Load(ctx, loading)
	end()
	if err != nil {
		return err
	}
	for _, note := range report.Notes {
		fmt.Fprintln(c.err, "note:", note)
	}
	for _, line := range report.Lines() {
		fmt.Fprintln(c.out, line)
	}
	done := "is loaded"
	if l.DryRun {
		done = "can be loaded; nothing was written"
	}
	fmt.Fprintf(c.out, "%s %s.\n", l.File, done)
	return nil
}

// takeOneCore leaves the other cores to a server on this machine, unless the operator set
// GOMAXPROCS.
func takeOneCore() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
}
