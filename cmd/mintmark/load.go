package main

import (
	"context"
	"fmt"

	"mintmark/internal/app"
)

// loadCommand takes an operator's file into the database.
type loadCommand struct {
	place
	File string `arg:"" type:"existingfile" help:"YAML file; internal/demo/demo.yaml is a worked example."`
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
