package app

import "runtime/debug"

// Build identifies the source of the program.
type Build struct{ Version, Commit string }

// What scripts/dist builds has its version and commit from the linker: go build finds neither in a
// second working tree of git, and the same source has to give the same bytes everywhere.
var linkedVersion, linkedCommit string

// Version returns the version and the commit, as far as the build knows them.
func Version() Build {
	if linkedVersion != "" {
		return Build{Version: linkedVersion, Commit: linkedCommit}
	}
	built := Build{Version: "development", Commit: "unknown"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return built
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		built.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			built.Commit = setting.Value
		}
	}
	return built
}
