package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"mintmark/internal/app"
)

// loadCommand takes an operator's file into the database.
type loadCommand struct {
	place
	DryRun bool     `name:"dry-run" help:"Check everything, tell each change, and write nothing."`
	Accept []string `help:"Allow a change that loses something, by the name that the refusal gives." placeholder:"LOSS"`
	File   string   `arg:"" type:"existingfile" help:"YAML file."`
}

// Help is printed below the flags.
func (loadCommand) Help() string {
	var losses []string
	for _, name := range app.LossNames() {
		losses = append(losses, fmt.Sprintf("%s: %s", name, app.Losses[name]))
	}
	return "A file may hold these lists, each of which may be left out:\n\n" + app.LoadSummary +
		"\nAn entry is found by its number or name. What it leaves out stays as it is, null " +
		"takes it away, and a list that is given takes the place of the one before; bins and " +
		"pciKeys that are not listed stay. Cards are only added. Everything is checked first, " +
		"and nothing is written when anything is wrong.\n\nLosses that --accept allows: " +
		strings.Join(losses, "; ") + ".\n\nmintmark load --config mintmark.yaml --dry-run FILE " +
		"tells what would change. A complete file:\n\n" + app.LoadExample +
		"\ndocs/load.md explains every member, and internal/demo/demo.yaml is a worked example."
}

// Run loads the file.
func (l loadCommand) Run(ctx context.Context, c console) error {
	loading := app.Loading{File: l.File, Accept: l.Accept, DryRun: l.DryRun}
	if unknown := app.CheckLosses(l.Accept); unknown != "" {
		return fmt.Errorf("--accept: %s: not one of: %s", unknown,
			strings.Join(app.LossNames(), ", "))
	}
	var err error
	loading.Place, err = l.where()
	if err != nil {
		return err
	}
	loading.Tell = func(line string) {
		if l.DryRun {
			fmt.Fprintln(c.out, line)
		}
	}
	takeOneCore()
	report, err := app.Load(ctx, loading)
	if errors.Is(err, context.Canceled) {
		// A load that was stopped is not done, so it is no success.
		return fmt.Errorf("stopped: %v", err)
	}
	if err != nil {
		return l.explain(err)
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

// takeOneCore leaves the other cores to the server beside, unless the operator decides otherwise.
func takeOneCore() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
}
