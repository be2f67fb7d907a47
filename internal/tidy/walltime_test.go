package tidy

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"testing"
)

// wallTime lists the packages, and single files of packages, that may read the wall clock, and
// why. Every time that a caller or an operator sees comes from internal/clock or from the
// transaction.
var wallTime = map[string]string{
	"internal/clock":                  "the one source of business time",
	"internal/store/sqlstore":         "the time of the engine; deadlines, the age of a read",
	"internal/store/storetest":        "a suite of tests",
	"internal/sandbox/requests.go":    "when requests came",
	"internal/sandbox/observed.go":    "how long answers took",
	"internal/web":                    "deadlines, and the durations in log lines",
	"internal/wire":                   "deadlines of connections",
	"internal/auth/callers.go":        "waiting between polls",
	"internal/auditlog/seal.go":       "waiting between looks",
	"internal/auditlog/archive.go":    "resting for as long as a removal took",
	"internal/auditlog/gaps.go":       "how long a gap is watched",
	"internal/processor/dispatch":     "resting between polls, deadlines of tries",
	"internal/issuing/ready.go":       "how old a probe is, and its deadline",
	"internal/issuing/idempotency.go": "resting for as long as a batch took",
	"internal/webhook":                "timestamps of signatures, durations, deadlines, waiting",
	"internal/listen":                 "timestamps of signatures, durations, waiting",
	"internal/otlp":                   "waiting between attempts, and how long a Retry-After is",
	"internal/load/load.go":           "the end of a chunk of work",
	"internal/feed/feed.go":           "the end of a chunk of work",
	"internal/intake/pace.go":         "waiting beside other writers",
	"internal/app/jobs.go":            "waiting between entries of refusals",
	"internal/app/certificate.go":     "waiting between looks at the files",
	"internal/app/machine.go":         "how far the clock of the server is off this machine's",
	"internal/app/doctor.go":          "whether a certificate has expired for all others",
	"internal/app/keywatch.go":        "waiting between looks at a file",
	"internal/app/backup.go":          "when a backup was made",
	"internal/app/patience.go":        "waiting beside other writers",
	"cmd/mintmark/backup.go":          "how long a backup took, for people",
	"cmd/mintmark/restore.go":         "how long a restore took, for people",
	"internal/app/worlds.go":          "waiting between looks",
	"internal/sandbox/parts.go":       "when a snapshot was made, for people",
	"internal/sandbox/door.go":        "for how long a door has patience",
	"internal/app/hold.go":            "since when a process serves, for people",
	"internal/processor/httpport":     "time-outs, and the timestamps of signatures",
	"internal/custody/transit":        "deadlines, and resting between attempts",
	"internal/processor/fileport":     "how long a file has rested",
	"internal/processor/standin":      "a program of its own, with the time of its machine",
	"internal/processor/face":         "the timestamps of signatures",
	"internal/injection/trial.go":     "the delays of fault rules",
	"internal/job/lease.go":           "how often a run at work renews its lease",
	"internal/cli/list.go":            "how long ago a moment of the command line was",
	"internal/cli/token.go":           "until when a token lasts",
	"internal/pgtest":                 "waiting for a server, in tests",
	"client":                          "how long a Retry-After is",
	"bench":                           "measuring",
	"e2e":                             "tests",
}

// askers are the functions of package time that read the wall clock, or wait by it.
var askers = []string{
	"After", "AfterFunc", "NewTicker", "NewTimer", "Now", "Since", "Sleep", "Tick", "Until",
}

// TestWallTime holds that business time has one source.
func TestWallTime(t *testing.T) { report(t, checkWallTime(goSources(t), wallTime)) }

func TestWallTimeIsChecked(t *testing.T) {
	const asks = "package a\n\nimport \"time\"\n\nvar began = time.Now()\n"
	const renamed = "package a\n\nimport wall \"time\"\n\nvar now, day = wall.Now, wall.Hour\n"
	const own = "package a\n\nvar began = time.Now()\n\nvar time = clock.New()\n"
	sources := []source{
		parse(t, "internal/asks/a.go", asks), parse(t, "internal/asks/a_test.go", asks),
		parse(t, "internal/renamed/a.go", renamed), parse(t, "internal/own/a.go", own),
		parse(t, "internal/file/a.go", asks), parse(t, "internal/file/b.go", asks),
		parse(t, "internal/tree/below/a.go", asks),
	}
	expect(t, checkWallTime(sources, map[string]string{
		"internal/file/b.go": "", "internal/tree": "", "internal/own": "", "internal/gone": "",
	}),
		"internal/asks/a.go:5: time.Now asks the wall clock",
		"internal/renamed/a.go:5: time.Now asks the wall clock",
		"internal/file/a.go:5: time.Now asks the wall clock",
		"internal/gone is on the list, and does not ask the wall clock",
		"internal/own is on the list, and does not ask the wall clock")
}

func checkWallTime(sources []source, allowed map[string]string) []string {
	var findings []string
	idle := maps.Clone(allowed)
	for _, s := range sources {
		if s.isTest() {
			continue
		}
		for _, asks := range wallTimeIn(s) {
			by := allowedBy(s, allowed)
			if by == "" {
				findings = append(findings, s.finding(s.line(asks.Pos()),
					fmt.Sprintf("time.%s asks the wall clock", asks.Sel.Name)))
			}
			delete(idle, by)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(idle)) {
		findings = append(findings, name+" is on the list, and does not ask the wall clock")
	}
	return findings
}

// allowedBy returns the entry that covers a file: the file itself, or a folder above it.
func allowedBy(s source, allowed map[string]string) string {
	for name := s.path; name != "."; name = path.Dir(name) {
		if _, found := allowed[name]; found {
			return name
		}
	}
	return ""
}

// wallTimeIn returns where a file names a function that reads the wall clock.
func wallTimeIn(s source) []*ast.SelectorExpr {
	name := ""
	for _, imported := range s.file.Imports {
		if imported.Path.Value == `"time"` {
			name = "time"
			if imported.Name != nil {
				name = imported.Name.Name
			}
		}
	}
	var found []*ast.SelectorExpr
	ast.Inspect(s.file, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if ok && name != "" && slices.Contains(askers, selector.Sel.Name) &&
			isQualified(selector, name, selector.Sel.Name) {
			found = append(found, selector)
		}
		return true
	})
	return found
}
