package app

import "runtime/debug"

// Build identifies the source of the program.
type Build struct{ Version, Commit string }

// Version returns the version and the commit, as far as the build knows them.
func Version() Build {
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
