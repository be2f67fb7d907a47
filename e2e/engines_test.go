package e2e

import (
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"mintmark/internal/testkit/testrun"
)

// onBothEngines lists the tests of what the database must guarantee: they always run on both
// engines. The others run on the embedded store, and on PostgreSQL in make check.
var onBothEngines = []func(*testing.T){
	// Acknowledged writes survive a crash.
	TestCrash, TestCrashedServer, TestNodeIsKilled, TestProcessorCrash, TestClaimsOfAKilledNode,
	TestWebhooksOverKills, TestReady,
	// Callers, and nodes, compete at the database.
	TestLinearizable, TestOneTagAtOnce, TestOneRequestAtOnce, TestOneReportAtOnce, TestRevokedKey,
	TestLoadBesideServer, TestLoadWaits, TestRollingRestart, TestOneServer,
	// Many statements are specific to the engine.
	TestBackupDrill, TestRestoreKilled, TestPointInTime, TestReseal, TestFeed,
	TestEnvironmentsStayApart, TestDoctorBesideAServer,
	TestGeneratedRequests, TestGeneratedOperators,
}

// among narrows a -run pattern to the given tests. It returns "" if the pattern selects none of
// them.
func among(tests []func(*testing.T), pattern string) string {
	top, subtests, deeper := strings.Cut(pattern, "/")
	chooses, err := regexp.Compile(top)
	if err != nil {
		return pattern // go test has rejected it already
	}
	var chosen []string
	for _, test := range tests {
		path := runtime.FuncForPC(reflect.ValueOf(test).Pointer()).Name()
		if name := path[strings.LastIndex(path, ".")+1:]; chooses.MatchString(name) {
			chosen = append(chosen, name)
		}
	}
	if len(chosen) == 0 {
		return ""
	}
	narrowed := "^(" + strings.Join(chosen, "|") + ")$"
	if deeper {
		narrowed += "/" + subtests
	}
	return narrowed
}

// TestAmong checks which of the tests for both engines a pattern selects.
func TestAmong(t *testing.T) {
	t.Parallel()
	tests := []func(*testing.T){TestCrash, TestCrashedServer, TestReady}
	for pattern, want := range map[string]string{
		"":             "^(TestCrash|TestCrashedServer|TestReady)$",
		"^TestCrash$":  "^(TestCrash)$",
		"Crash/a|b":    "^(TestCrash|TestCrashedServer)$/a|b",
		"TestConsole.": "",
	} {
		same(t, pattern, among(tests, pattern), want)
	}
}

// fewer holds the numbers of rounds in make test, by the variable that sets them. The tests
// themselves have the numbers for make check.
var fewer = map[string]int{
	"MINTMARK_CRASH_CYCLES": 4, "MINTMARK_DRILL_ORDERS": 60,
	"MINTMARK_PROCESSOR_CRASHES": 2, "MINTMARK_RECONCILED_CARDS": 500,
	"MINTMARK_RESEAL_KILLS": 1, "MINTMARK_RESEALED_CARDS": 300, "MINTMARK_RESTORE_KILLS": 2,
	"MINTMARK_ROUNDS": 10, "MINTMARK_STOLEN_KILLS": 2, "MINTMARK_TWIN_REQUESTS": 1000, "MINTMARK_WAITING_ORDERS": 200,
}

// some returns the first items, or all of them in make check.
func some[T any](all []T, first int) []T {
	if testrun.Full() {
		return all
	}
	return all[:min(first, len(all))]
}
