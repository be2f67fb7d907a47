// Package version identifies the build of the program.
package version

import (
	"context"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// Build identifies the source of the program.
type Build struct{ Version, Commit string }

// release is the newest release. CHANGELOG.md names it, too, and scripts/dist reads it here.
const release = "0.1.0"

// The linker sets these in builds by scripts/dist: in a second git worktree go build finds neither
// version nor commit, and the same source must produce the same bytes everywhere.
var linkedVersion, linkedCommit string

// Current returns the version and the commit, as far as the build has them.
func Current() Build { return current() }

var current = sync.OnceValue(func() Build {
	if linkedVersion != "" {
		return Build{Version: linkedVersion, Commit: linkedCommit}
	}
	built := Build{Version: release + "-development", Commit: "unknown"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return built
	}
	if info.Main.Version == "v"+release { // from the git tag
		built.Version = release
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			built.Commit = setting.Value
			return built
		}
	}
	if commit := checkedOut(); commit != "" && info.Main.Path == "mintmark" {
		built.Commit = commit
	}
	return built
})

// checkedOut returns the commit of the directory in which go run built and started the program:
// unlike go build, go run does not record a commit. Its programs are in the cache of the go
// command.
func checkedOut() string {
	program, err := os.Executable()
	if err != nil || !strings.Contains(program, "go-build") {
		return ""
	}
	const patience = time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	commit, err := exec.CommandContext(ctx, "git", "rev-parse", "HEAD").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(commit))
}
