package main

import (
	"context"
	"fmt"
)

// migrateCommand migrates the database to the version of the program.
type migrateCommand struct{ place }

func (migrateCommand) Help() string { return "mintmark migrate --config mintmark.yaml" }

// Run migrates the database by opening and closing it.
func (m migrateCommand) Run(ctx context.Context, c console) error {
	at, err := m.where()
	if err != nil {
		return err
	}
	_, kept, err := at.Open(ctx)
	if err != nil {
		return m.explain(err)
	}
	fmt.Fprintf(c.out, "The database %s is at this program's version.\n", at)
	return kept.Close()
}
