package main

import (
	"fmt"

	"mintmark/internal/app"
)

// versionCommand prints what this program was built from.
type versionCommand struct{}

// Run prints the version and the commit, as far as the build knows them.
func (versionCommand) Run(c console) error {
	built := app.Version()
	fmt.Fprintf(c.out, "mintmark %s, commit %s\n", built.Version, built.Commit)
	return nil
}
