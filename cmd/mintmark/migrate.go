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
	data, database, err := m.where()
	if err != nil {
		return err
	}
	kept, err := app.OpenStore(ctx, data, database)
	if err != nil {
		return err
	}
	name := "in " + data
	if database.URL != "" {
		name = "on the server" // its connection string may hold a password
	}
	fmt.Fprintf(c.out, "The database %s is at this program's version.\n", name)
	return kept.Close()
}
