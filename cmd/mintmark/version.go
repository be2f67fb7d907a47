package main

import (
	"fmt"

	"mintmark/internal/base/version"
)

type versionCommand struct{}

// Run prints the version and the commit, if the build recorded them.
func (versionCommand) Run(c console) error {
	built := version.Current()
	fmt.Fprintf(c.out, "mintmark %s, commit %s\n", built.Version, built.Commit)
	return nil
}
