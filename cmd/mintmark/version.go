package main

import (
	"fmt"
	"runtime/debug"
)

// versionCommand prints what this program was built from.
type versionCommand struct{}

// Run prints the version and the commit, as far as the build knows them.
func (versionCommand) Run(c console) error {
	version, commit := "development", "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" && info.Main.Version != "(devel)" {
			version = info.Main.Version
		}
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				commit = setting.Value
			}
		}
	}
	fmt.Fprintf(c.out, "mintmark %s, commit %s\n", version, commit)
	return nil
}
