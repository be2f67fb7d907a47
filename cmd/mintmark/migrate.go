package main

import (
	"context"
	"fmt"

	"mintmark/internal/app"
)

// migrateCommand brings the database to the version of the program.
type migrateCommand struct{ place }

// Run opens the database, which migrates it, and closes it again.
func (m migrateCommand) Run(ctx context.Context, c console) error {
	data, err := m.directory()
	if err != nil {
		return err
	}
	kept, err := app.OpenStore(ctx, data, app.Database{})
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "The database in %s is at this program's version.\n", data)
	return kept.Close()
}
