package main

import (
	"context"
	"fmt"

	"mintmark/internal/app"
)

// loadCommand takes an operator's file into the database.
type loadCommand struct {
	place
	File string `arg:"" type:"existingfile" help:"YAML file."`
}

// Help is printed below the flags.
func (loadCommand) Help() string {
	return "A file may hold these lists, each of which may be left out:\n\n" + app.LoadSummary +
		"\nFor example:\n\n" + app.LoadExample +
		"\ndocs/load.md explains every member, and internal/demo/demo.yaml is a worked example. " +
		"Nothing is loaded when anything in the file is wrong."
}

// Run loads the file, all of it or nothing.
func (l loadCommand) Run(ctx context.Context, c console) error {
	data, database, err := l.where()
	if err != nil {
		return err
	}
	if err := app.Load(ctx, data, database, l.File); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%s is loaded.\n", l.File)
	return nil
}
