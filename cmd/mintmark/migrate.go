package main

import (
	"context"
	"fmt"

	"mintmark/internal/operate/installation"
)

type migrateCommand struct{ place }

// Run opens the database, which migrates it, and closes it.
func (migrateCommand) Run(ctx context.Context, at installation.Location, c console) error {
	_, kept, err := at.Open(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "The database %s is at this program's version.\n", at)
	return kept.Close()
}
